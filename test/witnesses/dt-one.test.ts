import { DVS } from '@dtone/dvs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DtOneEmulator } from '../../sandbox/providers/dt-one/emulator.ts';
import { createGateway } from '../../sandbox/providers/dt-one/listener.ts';
import { startEmulatedProvider } from '../support/emulated-provider.ts';
import type { EmulatedProvider } from '../support/emulated-provider.ts';

// DT One’s own client, `@dtone/dvs`, against our emulator of its API.

let provider: EmulatedProvider;
let emulator: DtOneEmulator;
let client: DVS;

beforeEach(async () => {
  emulator = new DtOneEmulator({
    apiKey: 'key',
    apiSecret: 'secret',
    speed: 0.001,
    lateLookups: 0,
  });
  provider = await startEmulatedProvider(emulator, createGateway(emulator).listener);
  client = new DVS({ apiKey: 'key', apiSecret: 'secret', baseUrl: provider.origin });
});

afterEach(async () => {
  await provider.close();
});

const bill = (externalId: string, account = '12345678900', autoConfirm = true): object => ({
  externalId,
  productId: 1001,
  calculationMode: 'DESTINATION_AMOUNT',
  destination: { unitType: 'CURRENCY', unit: 'KES', amount: 500 },
  autoConfirm,
  creditPartyIdentifier: { accountNumber: account },
});

const create = async (...of: Parameters<typeof bill>) =>
  await client.transactions.async.create({ data: { ...bill(...of) } });

async function pagesOf<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const all: Page[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

const refusalWith = (code: number) => ({
  data: { errors: [{ code, message: expect.any(String) as string }] },
});

test('DT One’s client pays in one step, and finds the transaction by its own id', async () => {
  const { data: created } = await create('p-1');
  expect(created).toMatchObject({ externalId: 'p-1', status: { class: { message: 'CONFIRMED' } } });
  await emulator.later.quiet();
  const [page] = await pagesOf(client.transactions.get({ params: { externalId: 'p-1' } }));
  expect(page?.data).toMatchObject([
    {
      id: created['id'],
      externalId: 'p-1',
      status: { id: 70_000, message: 'COMPLETED', class: { id: 7, message: 'COMPLETED' } },
      requestedValues: { destination: { amount: 500, unit: 'KES' } },
    },
  ]);
  expect(emulator.truth()).toMatchObject([{ reference: 'p-1', amount: '500.00' }]);
});

test('DT One’s client creates, then confirms or cancels', async () => {
  const [kept, cancelled] = [
    await create('p-1', '12345678900', false),
    await create('p-2', '12345678900', false),
  ].map(({ data }) => data['id'] as number);
  expect(emulator.truth()).toEqual([]);
  await client.transactions.async.confirm({ transactionId: kept ?? 0 });
  await client.transactions.cancel({ transactionId: cancelled ?? 0 });
  await emulator.later.quiet();
  const stateOf = async (transactionId = 0) =>
    (await client.transactions.getByTransactionId({ transactionId })).data['status'];
  expect(await stateOf(kept)).toMatchObject({ class: { message: 'COMPLETED' } });
  expect(await stateOf(cancelled)).toMatchObject({ class: { message: 'CANCELLED' } });
  await expect(
    client.transactions.async.confirm({ transactionId: cancelled ?? 0 }),
  ).rejects.toMatchObject(refusalWith(1_007_005));
});

test('DT One’s client pays synchronously', async () => {
  const { data } = await client.transactions.sync.create({ data: { ...bill('p-1') } });
  expect(data).toMatchObject({ status: { class: { message: 'COMPLETED' } } });
});

test('DT One’s client reads the code by which an id is refused that was used', async () => {
  await create('p-1');
  await expect(create('p-1')).rejects.toMatchObject(refusalWith(1_007_001));
  await emulator.later.quiet();
  expect(emulator.truth()).toHaveLength(1);
});

test('DT One’s client is told how many pages a list has', async () => {
  for (const id of ['p-1', 'p-2', 'p-3']) await create(id, '12345678900', false);
  const now = Date.now();
  const pages = await pagesOf(
    client.transactions.get({
      params: {
        fromDate: new Date(now - 3_600_000).toISOString(),
        toDate: new Date(now + 3_600_000).toISOString(),
        perPage: 2,
      },
    }),
  );
  expect(pages.map(({ data }) => data.map(({ externalId }) => externalId))).toEqual([
    ['p-1', 'p-2'],
    ['p-3'],
  ]);
  expect(pages.map(({ metaData }) => metaData)).toMatchObject([
    { page: 1, perPage: 2, total: 3, totalPages: 2 },
    { page: 2, perPage: 2, total: 3, totalPages: 2 },
  ]);
});

test('DT One’s client lists the balance and the products', async () => {
  const [balances] = await pagesOf(client.account.balances.get({}));
  expect(balances?.data).toMatchObject([{ unit: 'KES', available: 1_000_000, creditLimit: 0 }]);
  const [products] = await pagesOf(
    client.discovery.products.get({ params: { countryIsoCode: 'KEN' } }),
  );
  expect(products?.data.map(({ id, type }) => [id, type])).toEqual([
    [1001, 'RANGED_VALUE_PAYMENT'],
    [1002, 'FIXED_VALUE_RECHARGE'],
  ]);
});

test('DT One’s client looks up a mobile number, by GET', async () => {
  const look = (mobileNumber: string) =>
    pagesOf(client.lookup.mobileNumber.getByMobileNumber({ mobileNumber }));
  const [found] = await look('+254712345678');
  expect(found?.data).toMatchObject([{ identified: true }]);
  await expect(look('712345678')).rejects.toMatchObject(refusalWith(1_005_003));
});

test('DT One’s client is refused with a wrong secret', async () => {
  const stranger = new DVS({ apiKey: 'key', apiSecret: 'other', baseUrl: provider.origin });
  await expect(pagesOf(stranger.account.balances.get({}))).rejects.toMatchObject(
    refusalWith(1_000_401),
  );
});
