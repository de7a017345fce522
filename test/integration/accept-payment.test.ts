import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Biller } from '../../src/payments/billers/biller.ts';
import { billerOf } from '../../src/payments/billers/catalogue.ts';
import { acceptPayment, createCreateLane } from '../../src/payments/create/create.ts';
import type { CreateRequest } from '../../src/payments/create/decide.ts';
import { billerRecord, OPEN_ROUTE, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER } from '../support/new-transaction.ts';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});

const biller: Biller = billerOf(
  { ...billerRecord(BILLER), quarantined: false, offlineReason: null, offlineUntil: null },
  [OPEN_ROUTE],
);
const offline: Biller = { ...biller, availability: 'OFFLINE' };
const request: CreateRequest = {
  billerCode: BILLER,
  account: '14200000001',
  phone: null,
  amountCents: 10_000n,
  merchantReference: 'bill-1',
};

async function acceptor() {
  const vendorId = await books.addVendor(100_000n);
  const vendor = {
    vendorId,
    duplicateCheck: 'without_reference',
    duplicateWindowSeconds: 30,
    referenceRequired: false,
  } as const;
  const lane = createCreateLane({
    pool: books.openPool(),
    deadlineMs: 5_000,
    onAccepted: () => {},
  });
  return async (change: Partial<CreateRequest>, through: Biller | undefined) =>
    await acceptPayment(
      { ...request, ...change },
      { vendor, biller: through },
      { lane, pool: books.pool },
    );
}

describe('a repeat after the rules changed', () => {
  it('gets the first answer even if the biller is offline, has another minimum, or no longer exists', async () => {
    const accept = await acceptor();
    const first = await accept({}, biller);
    const repeats = [
      await accept({}, offline),
      await accept({}, { ...biller, minimumCents: 20_000n }),
      await accept({}, undefined),
    ];
    for (const repeat of repeats) expect(repeat).toEqual({ ...first, replayed: true });
  });

  it('with other content or without a reference is refused by the new rule', async () => {
    const accept = await acceptor();
    await accept({}, biller);
    for (const change of [
      { amountCents: 10_100n },
      { account: '14200000002' },
      { phone: '254712000001' },
      { merchantReference: 'bill-2' },
      { merchantReference: null },
    ]) {
      await expect(accept(change, offline)).rejects.toMatchObject({ code: 'biller_offline' });
    }
  });
});
