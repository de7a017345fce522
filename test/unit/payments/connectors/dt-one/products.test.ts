import { expect, test } from 'vitest';
import { PRODUCTS } from '../../../../../sandbox/providers/dt-one/products.ts';
import { readProducts } from '../../../../../src/payments/connectors/dt-one/products.ts';

const content = (products: unknown) => ({ kind: 'content', content: products }) as const;

test('products of a range and of a fixed amount, with prices', () => {
  expect(readProducts(content(PRODUCTS), 1)).toEqual({
    kind: 'page',
    next: null,
    products: [
      {
        productId: '1001',
        name: 'Example Power, any amount',
        service: 'Utilities, Electricity',
        provider: 'Example Power',
        value: '10 to 10000 KES',
        price: '10 to 10000 KES',
        requires: 'account_number',
      },
      {
        productId: '1002',
        name: 'Example Mobile 100 KES',
        service: 'Mobile, Airtime',
        provider: 'Example Mobile',
        value: '100 KES',
        price: '97.5 KES',
        requires: 'mobile_number',
      },
    ],
  });
});

test('what cannot be read is left out; a full page has a next one', () => {
  const [one] = PRODUCTS;
  const broken = [
    null,
    'x',
    { ...one, id: '1/../2' },
    { ...one, destination: { unit: 'KES', amount: '1e9' } },
  ];
  expect(readProducts(content([...broken, one]), 1)).toMatchObject({
    products: [{ productId: '1001' }],
  });
  const full = Array.from({ length: 100 }, () => one);
  expect(readProducts(content(full), 3)).toMatchObject({ next: '4' });
  const hidden = { ...one, name: 'a\u202eb\n', prices: null };
  expect(readProducts(content([hidden]), 1)).toMatchObject({
    products: [{ name: 'a b ', price: null }],
  });
});

test.each([
  [content({}), 'the answer is no list'],
  [{ kind: 'none', reason: 'cut', isWritten: true } as const, 'cut'],
  [{ kind: 'errors', httpStatus: 401, codes: ['1000401'], message: 'No' } as const, 'No'],
])('no list: %j', (answer, reason) => {
  expect(readProducts(answer, 1)).toEqual({ kind: 'unknown', reason });
});
