import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setBiller } from '../../src/payments/billers/administer.ts';
import type { Product, Connector, ProductPage } from '../../src/connectors/operator.ts';
import { listListings, listProducts } from '../../src/payments/billers/products-store.ts';
import { billerProducts } from '../../src/payments/operations/biller-products.ts';
import { refreshDue, refreshProducts } from '../../src/payments/dispatch/product-watch.ts';
import { openPaymentsOf } from '../support/dispatch-fixture.ts';
import { openBooks, OPERATOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER } from '../support/new-transaction.ts';
import { createScriptedConnector, paid } from '../support/scripted-connector.ts';

// What operators sell: the lists are read and stored, and limit the amounts that a biller accepts.

const never = new AbortController().signal;
const log = pino({ level: 'silent' });
let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});
beforeEach(async () => {
  await books.owner.query(
    `delete from operator_products; delete from operator_listings; update billers set amounts = 'any'`,
  );
});

function product(productCode: string, given: Partial<Product> = {}): Product {
  return {
    productCode,
    name: `Bouquet ${productCode}`,
    service: 'Utilities, Television',
    provider: 'Example TV',
    value: '1 MONTH',
    amount: { minimumCents: 60_000n, maximumCents: 60_000n, currency: 'KES' },
    price: null,
    validity: '30 DAY',
    requires: 'account_number',
    billerCodes: [BILLER],
    ...given,
  };
}

/** @param pages what each page says, in turn. */
function listing(...pages: readonly (readonly Product[] | string)[]): Connector {
  const products = async (cursor: string | null): Promise<ProductPage> => {
    const number = Number(cursor ?? 0);
    const page = pages[number] ?? [];
    if (typeof page === 'string') return { kind: 'unknown', reason: page };
    const next = number + 1 < pages.length ? String(number + 1) : null;
    return { kind: 'page', products: page, next };
  };
  return { ...createScriptedConnector({ pay: paid }), products };
}

const refresh = async (connector: Connector) =>
  await refreshProducts(books.pool, OPERATOR, { connector });
const codes = async () => (await listProducts(books.pool)).map(({ productCode }) => productCode);

async function version(): Promise<bigint> {
  const read = await books.pool.query<{ version: bigint }>(
    "select version from settings_versions where topic = 'billers'",
  );
  return read.rows[0]?.version ?? 0n;
}

describe('a list', () => {
  test('each list is read page by page and stored, one row for each code', async () => {
    const whole = product('1', { price: { minimumCents: 1n, maximumCents: 2n, currency: 'USD' } });
    const bare = product('2', { amount: null, validity: null, billerCodes: [] });
    expect(await refresh(listing([whole], [{ ...bare, name: 'Of another page' }, bare]))).toEqual({
      kind: 'refreshed',
      count: 2,
    });
    expect(await listProducts(books.pool)).toEqual([
      { operatorCode: OPERATOR, ...whole },
      { operatorCode: OPERATOR, ...bare },
    ]);
    const shared = { ...bare, billerCodes: ['one'] };
    await refresh(listing([shared], [{ ...shared, billerCodes: ['two'] }]));
    expect(await listProducts(books.pool)).toMatchObject([{ billerCodes: ['one', 'two'] }]);
    expect(await refresh(listing([bare]))).toMatchObject({ count: 1 });
    expect(await codes()).toEqual(['2']);
  });

  test('lists that break off change nothing, and say why', async () => {
    await refresh(listing([product('1')]));
    const before = (await listListings(books.pool))[0]?.refreshedAt;
    expect(await refresh(listing([product('2')], 'HTTP 502'))).toEqual({
      kind: 'failed',
      reason: 'HTTP 502',
    });
    const throws = async (): Promise<never> => await Promise.reject(new Error('a bug'));
    expect(await refresh({ ...listing(), products: throws })).toMatchObject({ reason: 'a bug' });
    const endless = async (): Promise<ProductPage> => ({ kind: 'page', products: [], next: '1' });
    expect(await refresh({ ...listing(), products: endless })).toMatchObject({ kind: 'failed' });
    expect(await codes()).toEqual(['1']);
    expect(await listListings(books.pool)).toEqual([
      { operatorCode: OPERATOR, refreshedAt: before, error: 'the list does not end' },
    ]);
  });

  test('makes running processes reload only if it changed', async () => {
    await refresh(listing([product('1'), product('2')]));
    const before = await version();
    await refresh(listing([product('2'), product('1')]));
    expect(await version()).toBe(before);
    await refresh(listing([product('1', { name: 'Another' }), product('2')]));
    expect(await version()).toBe(before + 1n);
  });

  test('each list is requested when it is due, by one process; operators without one are not asked', async () => {
    let asked = 0;
    const counting: Connector = {
      ...listing([product('1')]),
      products: async () => {
        asked += 1;
        return await Promise.resolve({ kind: 'page', products: [product('1')], next: null });
      },
    };
    const { catalogue } = openPaymentsOf(books);
    await catalogue.reload();
    const due = async (connector: Connector) =>
      await refreshDue({ pool: books.pool, catalogue, connectorOf: () => connector, log }, never);
    await due(createScriptedConnector({ pay: paid }));
    expect(await listListings(books.pool)).toEqual([]);
    await Promise.all([due(counting), due(counting)]);
    await due(counting);
    expect(asked).toBe(1);
    await books.owner.query(
      "update operator_listings set asked_at = now() - interval '11 minutes', error = 'x'",
    );
    await due(counting);
    expect(asked).toBe(2);
  });

  test('each list is requested again soon if it could not be saved', async () => {
    const named: Connector = listing([product('1', { name: 'Not\0 a text' })]);
    const { catalogue } = openPaymentsOf(books);
    await catalogue.reload();
    const deps = { pool: books.pool, catalogue, connectorOf: () => named, log };
    await expect(refreshDue(deps, never)).rejects.toThrow('invalid byte sequence');
    await books.owner.query(
      "update operator_listings set asked_at = now() - interval '11 minutes'",
    );
    await expect(refreshDue(deps, never)).rejects.toThrow('invalid byte sequence');
  });
});

test('vendors see what a biller sells: names and amounts, without operators and their prices', async () => {
  const price = { minimumCents: 1n, maximumCents: 2n, currency: 'USD' };
  const range = { minimumCents: 1n, maximumCents: 20_000n, currency: 'KES' };
  await refresh(
    listing([
      product('1', { price }),
      product('2', { name: 'Wallet', amount: range, value: '0.01 to 200 KES', validity: null }),
      product('7', { name: 'Below the minimum', amount: { ...range, maximumCents: 4_999n } }),
      product('3', { price }),
      { ...product('4'), name: 'Of another biller', billerCodes: ['another'] },
      product('5', { name: 'In dollars', amount: price }),
      product('6', { name: 'Without an amount', amount: null }),
    ]),
  );
  await setBiller(books.pool, BILLER, { minimumCents: 5_000n });
  const { catalogue } = openPaymentsOf(books);
  await catalogue.reload();
  const asked = { vid: 'any', biller_code: BILLER };
  const answer = () => billerProducts({ catalogue }).handle(asked, undefined, {} as never);
  expect(answer()).toEqual({
    header_status: 200,
    data: {
      biller_code: BILLER,
      only_products: 'false',
      products: [
        {
          ...{ name: 'Wallet', minimum_amount: '50.00', maximum_amount: '200.00' },
          ...{ value: null, validity: null },
        },
        {
          ...{ name: 'Bouquet 1', minimum_amount: '600.00', maximum_amount: '600.00' },
          ...{ value: '1 MONTH', validity: '30 DAY' },
        },
        {
          ...{ name: 'Bouquet 3', minimum_amount: '600.00', maximum_amount: '600.00' },
          ...{ value: '1 MONTH', validity: '30 DAY' },
        },
      ],
    },
  });
  await setBiller(books.pool, BILLER, { amounts: 'products' });
  await catalogue.reload();
  expect(answer()).toMatchObject({ data: { only_products: 'true' } });
});

describe('a biller that takes only amounts of products', () => {
  const soldFor = (minimumCents: bigint, maximumCents = minimumCents): Partial<Product> => ({
    amount: { minimumCents, maximumCents, currency: 'KES' },
  });

  async function pay(amountCents: bigint): Promise<unknown> {
    const payments = openPaymentsOf(books);
    await payments.catalogue.reload();
    const vendorId = await books.addVendor(1_000_000n);
    return await payments
      .create(
        { billerCode: BILLER, account: '12345', phone: null, amountCents, merchantReference: null },
        { vendorId, duplicateCheck: 'off', referenceRequired: false } as never,
      )
      .then(
        () => 'accepted',
        (error: unknown) => error,
      );
  }

  async function countPayments(): Promise<string | undefined> {
    const read = await books.pool.query<{ count: string }>(
      'select count(*)::text as count from payments',
    );
    return read.rows[0]?.count;
  }

  test('refuses any other amount before anything is written', async () => {
    await refresh(
      listing([
        product('1', soldFor(60_000n)),
        product('2', soldFor(100_000n, 200_000n)),
        product('3', { ...soldFor(70_000n), billerCodes: ['another'] }),
        product('4', { amount: { minimumCents: 1n, maximumCents: 90_000n, currency: 'USD' } }),
      ]),
    );
    expect(await pay(60_001n)).toBe('accepted');
    await setBiller(books.pool, BILLER, { amounts: 'products' });
    const before = await countPayments();
    for (const amountCents of [59_999n, 60_001n, 70_000n, 99_999n, 200_001n]) {
      expect(await pay(amountCents), String(amountCents)).toMatchObject({
        code: 'invalid_field',
        field: 'amount',
        message: expect.stringContaining('600.00, 1000.00 to 2000.00'),
      });
    }
    expect(await countPayments()).toBe(before);
    for (const amountCents of [60_000n, 100_000n, 200_000n]) {
      expect(await pay(amountCents), String(amountCents)).toBe('accepted');
    }
  });

  test('accepts what its operators accept, if no operator lists products any more', async () => {
    await refresh(listing([product('1')]));
    await setBiller(books.pool, BILLER, { amounts: 'products' });
    await refresh(listing([]));
    expect(await pay(12_345n)).toBe('accepted');
  });

  test('needs a product that is known', async () => {
    const setting = setBiller(books.pool, BILLER, { amounts: 'products' });
    await expect(setting).rejects.toThrow(/No operator lists a product of .* in KES/);
  });
});
