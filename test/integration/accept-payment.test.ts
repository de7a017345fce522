import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { decodeReference, encodeReference } from '../../src/parties/reference.ts';
import { DISBURSEMENTS } from '../../src/payments/billers/biller.ts';
import type { Biller } from '../../src/payments/billers/biller.ts';
import { newBatchId, planChunk } from '../../src/payments/bulk/batch.ts';
import { openCase } from '../../src/payments/cases/cases-store.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { createLostPayments } from '../../src/payments/quarantine/lost.ts';
import { billerOf } from '../../src/payments/billers/catalogue.ts';
import { archivePayments } from '../../src/payments/archive/archive.ts';
import { acceptPayment, createCreateLane } from '../../src/payments/create/create.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { CreateRequest } from '../../src/payments/create/payment.ts';
import {
  billerRecord,
  failedReport,
  OPEN_ROUTE,
  openBooks,
  OPERATOR,
} from '../support/money-fixture.ts';
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
  const lost = createLostPayments(books.pool);
  const accept = async (change: Partial<CreateRequest>, through: Biller | undefined) =>
    await acceptPayment(
      { ...request, ...change },
      { vendor, biller: through, lostOf: lost.find },
      { lane, pool: books.pool },
    );
  return Object.assign(accept, { vendor, lost });
}

describe('a request that may repeat a payment that a restore lost', () => {
  const facts = { source: 'statement', movement: 'payment', biller: BILLER, paid_cents: 10_000 };

  async function withLost(given: object = {}) {
    const accept = await acceptor();
    const earlier = await accept({}, biller);
    const paymentId = newId();
    const { vendorId } = accept.vendor;
    await openCase(books.pool, {
      ...{ vendorId, paymentId, kind: 'theirs_only', evidenceId: newId() },
      operatorCode: OPERATOR,
      facts: { ...facts, account: request.account, ...given },
    });
    await accept.lost.reload();
    return { accept, earlier, reference: encodeReference(vendorId, paymentId) };
  }

  it('a repeat of a lost payment is refused and names it while the case is open; existing payments are still answered', async () => {
    const { accept, earlier, reference } = await withLost();
    for (const through of [biller, offline]) {
      await expect(accept({ merchantReference: 'bill-2' }, through)).rejects.toMatchObject({
        code: 'reference_reused',
        reference,
      });
      expect(await accept({}, through)).toEqual({ ...earlier, replayed: true });
    }
    expect(
      await accept({ merchantReference: 'bill-3', amountCents: 20_000n }, biller),
    ).toMatchObject({ replayed: false });
    const [row] = await listCasesAbout(books.pool, accept.vendor.vendorId, idOf(reference));
    await books.owner.query(
      `update cases set proposed_by = 'Asha', resolution = 'keep_books', resolved_by = 'Baraka', resolved_at = now()
       where case_id = $1`,
      [row?.caseId],
    );
    await accept.lost.reload();
    expect(await accept({ merchantReference: 'bill-2' }, biller)).toMatchObject({
      replayed: false,
    });
  });

  it('a repeat of a lost payment is refused in a file, too', async () => {
    const { accept, reference } = await withLost();
    const { refused } = planChunk([{ request: { ...request, merchantReference: 'row-1' } }], 1, {
      batchId: newBatchId(),
      vendor: { ...accept.vendor, suspended: false },
      billerOf: () => biller,
      lostOf: accept.lost.find,
    });
    expect(refused).toMatchObject([{ refusal: { code: 'reference_reused' } }]);
    expect(refused[0]?.refusal.text).toContain(reference);
  });

  it('a repeat is recognised by an amount with the operator’s terms, and by the account in another form', async () => {
    const { accept } = await withLost({ paid_cents: 9_810, biller: null });
    await expect(accept({ merchantReference: 'bill-2' }, biller)).rejects.toMatchObject({
      code: 'reference_reused',
    });
  });
});

function idOf(reference: string): string {
  return decodeReference(reference)?.paymentId ?? '';
}

/** Ends the payment, and moves it to the archive. */
async function archiveNow(vendorId: number, paymentId: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'malipo-accept-'));
  try {
    await settlePayments(books.pool, [
      { ...failedReport({ vendorId, paymentId, billerCode: BILLER }), operatorCode: null },
    ]);
    const before = new Date(Date.now() + 60_000);
    await archivePayments(books.owner, { vendorIds: [vendorId], before, folder });
  } finally {
    await rm(folder, { recursive: true });
  }
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

  it.each<[string, Partial<Biller>, Partial<CreateRequest>]>([
    ['biller_offline', { availability: 'OFFLINE' }, {}],
    ['unknown_biller', { category: DISBURSEMENTS }, {}],
    ['amount_below_minimum', { minimumCents: 20_000n }, {}],
    ['amount_above_maximum', { maximumCents: 5_000n }, {}],
    [
      'invalid_field',
      { soldAmounts: [{ minimumCents: 1n, maximumCents: 2n, currency: 'KES' }] },
      {},
    ],
    ['invalid_field', { accountFormat: '^[A-Z]{3}$' }, {}],
    ['missing_field', { secondaryAccount: true }, {}],
    ['changed_meanwhile', {}, { shownFeeCents: 1n }],
  ])(
    'gets the first answer although a create would be refused now: %s, %o',
    async (code, change, asked) => {
      const accept = await acceptor();
      const first = await accept({}, biller);
      const now = { ...biller, ...change };
      const { vendorId } = accept.vendor;
      const before = await books.balances(vendorId);
      const refused = accept({ ...asked, merchantReference: 'bill-2' }, now);
      await expect(refused).rejects.toMatchObject({ code });
      expect(await accept(asked, now)).toEqual({ ...first, replayed: true });
      expect(await books.balances(vendorId)).toEqual(before);
    },
  );

  it('other content is refused with the payment that has the reference, and a repeat without one by the new rule', async () => {
    const accept = await acceptor();
    const { reference } = await accept({}, biller);
    for (const change of [
      { amountCents: 10_100n },
      { account: '14200000002' },
      { phone: '254712000001' },
    ]) {
      const refused = accept(change, offline);
      await expect(refused).rejects.toMatchObject({ code: 'reference_reused', reference });
    }
    for (const merchantReference of ['bill-2', null]) {
      await expect(accept({ merchantReference }, offline)).rejects.toMatchObject({
        code: 'biller_offline',
      });
    }
  });

  it('gets the first answer after the payment was archived', async () => {
    const accept = await acceptor();
    const phone = '254712000001';
    const first = await accept({ phone }, biller);
    await archiveNow(accept.vendor.vendorId, idOf(first.reference));
    expect(await accept({ phone }, offline)).toEqual({ ...first, replayed: true });
    const { reference } = first;
    for (const other of [{ phone, amountCents: 10_100n }, { phone: null }]) {
      const refused = accept(other, offline);
      await expect(refused).rejects.toMatchObject({ code: 'reference_reused', reference });
    }
  });

  it('waits for an equal request that is still in the lane, whose vendor’s float is locked', async () => {
    const accept = await acceptor();
    const holder = await books.owner.connect();
    try {
      await holder.query('begin');
      await holder.query(`select from accounts where vendor_id = $1 for update`, [
        accept.vendor.vendorId,
      ]);
      const all = Promise.allSettled([
        accept({}, biller),
        accept({}, offline),
        accept({ amountCents: 10_100n }, offline),
      ]);
      const different = accept({ merchantReference: 'bill-2' }, offline);
      await expect(different).rejects.toMatchObject({ code: 'biller_offline' });
      await holder.query('commit');
      const [first, repeat, other] = await all;
      const value = first.status === 'fulfilled' ? first.value : undefined;
      expect(repeat).toEqual({ status: 'fulfilled', value: { ...value, replayed: true } });
      expect(other).toMatchObject({
        reason: { code: 'reference_reused', reference: value?.reference },
      });
    } finally {
      holder.release();
    }
  });

  it('the caller is told that the outcome is unknown if that is all that is known of an equal request', async () => {
    const accept = await acceptor();
    const lost = Promise.withResolvers<never>();
    const client = { query: async () => await lost.promise, release: () => {} };
    const pool = { connect: async () => client } as never;
    const lane = createCreateLane({ pool, deadlineMs: 0, onAccepted: () => {} });
    const through = { lane, pool: books.pool };
    const { vendor } = accept;
    const answers = Promise.allSettled([
      acceptPayment(request, { vendor, biller }, through),
      acceptPayment(request, { vendor, biller: offline }, through),
    ]);
    lost.reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    for (const answer of await answers) {
      expect(answer).toMatchObject({ reason: { code: 'outcome_unknown' } });
    }
    await expect(
      acceptPayment(request, { vendor, biller: offline }, through),
    ).rejects.toMatchObject({ code: 'biller_offline' });
  });
});
