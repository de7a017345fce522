import { describe, expect, test } from 'vitest';
import { PRODUCTS } from '../../../../../sandbox/providers/dt-one/products.ts';
import { readAnswer } from '../../../../../src/connectors/operators/dt-one/classify.ts';
import { readProducts } from '../../../../../src/connectors/operators/dt-one/products.ts';
import type { BillersOf } from '../../../../../src/connectors/operators/dt-one/products.ts';

const content = (products: unknown) => ({ kind: 'content', content: products }) as const;

/** `bills` buys 1001 for any amount, `data` buys 1003 for 250.00. */
const billersOf: BillersOf = (productId) =>
  productId === '1003'
    ? { billerCodes: ['data'], amountCents: 25_000n }
    : { billerCodes: productId === '1001' ? ['bills'] : [], amountCents: null };

test('products of a range and of a fixed amount, with prices', () => {
  expect(readProducts(content(PRODUCTS), 1, billersOf)).toEqual({
    kind: 'page',
    next: null,
    products: [
      {
        productCode: '1001',
        name: 'Example Power, any amount',
        service: 'Utilities, Electricity',
        provider: 'Example Power',
        value: '10 to 10000 KES',
        amount: { minimumCents: 1_000n, maximumCents: 1_000_000n, currency: 'KES' },
        price: { minimumCents: 1_000n, maximumCents: 1_000_000n, currency: 'KES' },
        validity: null,
        requires: 'account_number',
        billerCodes: ['bills'],
      },
      {
        productCode: '1002',
        name: 'Example Mobile 100 KES',
        service: 'Mobile, Airtime',
        provider: 'Example Mobile',
        value: '100 KES',
        amount: { minimumCents: 10_000n, maximumCents: 10_000n, currency: 'KES' },
        price: { minimumCents: 9_750n, maximumCents: 9_750n, currency: 'KES' },
        validity: null,
        requires: 'mobile_number',
        billerCodes: [],
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
  expect(readProducts(content([...broken, one]), 1, billersOf)).toMatchObject({
    products: [{ productCode: '1001' }],
  });
  const full = Array.from({ length: 100 }, () => one);
  expect(readProducts(content(full), 3, billersOf)).toMatchObject({ next: '4' });
  const hidden = { ...one, name: 'a\u202eb\n', prices: null };
  expect(readProducts(content([hidden]), 1, billersOf)).toMatchObject({
    products: [{ name: 'a b ', price: null }],
  });
});

test('a page with fewer products than were asked for has a next one if its headers say so', () => {
  const next = (page: number, pages: string, products: unknown = PRODUCTS) => {
    const answer = readAnswer({
      kind: 'answer',
      httpStatus: 200,
      headers: { 'x-page': String(page), 'x-per-page': '2', 'x-total-pages': pages },
      body: Buffer.from(JSON.stringify(products)),
    });
    const read = readProducts(answer, page, billersOf);
    return read.kind === 'page' ? read.next : read.reason;
  };
  expect(next(1, '2')).toBe('2');
  expect(next(2, '2')).toBeNull();
  expect(next(1, 'many')).toBeNull();
  expect(next(1, '2', [])).toBeNull();
});

describe('what is no money, such as data', () => {
  const data = {
    ...PRODUCTS[1],
    id: 1003,
    destination: { unit_type: 'DATA', unit: 'GB', amount: 1.5 },
    validity: { quantity: 30, unit: 'DAY' },
  };

  test('a product that is no money, such as data, has its retail price as its value', () => {
    const priced = { ...data, prices: { retail: { amount: 300, unit: 'KES' }, wholesale: null } };
    expect(readProducts(content([priced]), 1, billersOf)).toMatchObject({
      products: [
        {
          value: '1.5 GB',
          amount: { minimumCents: 30_000n, maximumCents: 30_000n, currency: 'KES' },
          price: null,
          validity: '30 DAY',
          billerCodes: ['data'],
        },
      ],
    });
  });

  test('without one is worth what our settings say', () => {
    expect(readProducts(content([data]), 1, billersOf)).toMatchObject({
      products: [{ amount: { minimumCents: 25_000n, maximumCents: 25_000n, currency: 'KES' } }],
    });
  });
});

test('fractions of a cent cannot be paid: a range gets smaller, a fixed amount is not known', () => {
  const [one] = PRODUCTS;
  const ranged = { min: '10.001', max: '20.009' };
  for (const [amount, expected] of [
    [ranged, { minimumCents: 1_001n, maximumCents: 2_000n, currency: 'KES' }],
    ['10.001', null],
    [0, null],
  ] as const) {
    const given = { ...one, destination: { ...one.destination, amount } };
    expect(readProducts(content([given]), 1, billersOf)).toMatchObject({
      products: [{ amount: expected }],
    });
  }
});

test.each([
  [content({}), 'the answer is no list'],
  [{ kind: 'none', reason: 'cut', isWritten: true } as const, 'cut'],
  [{ kind: 'errors', httpStatus: 401, codes: ['1000401'], message: 'No' } as const, 'No'],
])('%j gives no list', (answer, reason) => {
  expect(readProducts(answer, 1, billersOf)).toEqual({ kind: 'unknown', reason });
});
