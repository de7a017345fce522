import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import {
  claim,
  insertUnmatchedCallback,
  writeProgress,
} from '../../src/payments/dispatch/store.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { HOUSE, openCase } from '../../src/payments/cases/cases-store.ts';
import { listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import { findPayment } from '../../src/payments/timeline/find.ts';
import { queryPayments } from '../../src/payments/timeline/query.ts';
import { findLostCases } from '../../src/payments/timeline/lost.ts';
import type { PaymentTimeline } from '../../src/payments/timeline/assemble.ts';
import { archivePayments } from '../../src/payments/archive/archive.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { CITUS_URL } from '../support/citus.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import { inProcess, malipo } from './cli-support.ts';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  await books.close();
});

const referenceOf = (made: NewPayment): string => encodeReference(made.vendorId, made.paymentId);

async function found(term: string, limit = 10): Promise<string[]> {
  const query = { term, filter: {}, from: new Date(0), to: new Date(8.64e15) };
  const pool = books.openPool({ byIndexOnly: true });
  const { payments } = await queryPayments(pool, query, { after: undefined, limit });
  return payments.map(({ vendorId, paymentId }) => encodeReference(vendorId, paymentId));
}

/** With their timelines. */
async function find(term: string): Promise<readonly PaymentTimeline[]> {
  const shown: PaymentTimeline[] = [];
  for (const reference of await found(term)) {
    const one = await findPayment(books.pool, reference);
    if (one !== undefined) shown.push(one);
  }
  return shown;
}

/** The kinds of entries, with what distinguishes them. */
function story({ timeline }: PaymentTimeline): string[] {
  return timeline.map((entry) => {
    switch (entry.kind) {
      case 'transfer':
        return `transfer ${entry.movement} ${entry.amountCents}`;
      case 'attempt':
        return `attempt ${entry.attemptNumber} ${String(entry.outcome)}`;
      case 'settled':
        return `settled ${entry.status} ${String(entry.source)}`;
      case 'event':
        return `event ${entry.type} ${entry.state}`;
      case 'case':
        return `case ${entry.caseKind} ${entry.action} ${String(entry.actor)}`;
      case 'correction':
        return `correction ${entry.resolution} ${String(entry.outcomeAfter)}`;
      default:
        return entry.kind;
    }
  });
}

async function addWebhook(vendorId: number): Promise<void> {
  await books.pool.query(
    `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
     values (bucket_of($1), $1, 'http://127.0.0.1:9', true, now())`,
    [vendorId],
  );
}

describe('payments are found', () => {
  test('payments are found by their reference and by that of any vendor, newest first', async () => {
    const vendorIds = await books.addVendors([90_000n, 90_000n]);
    const made = vendorIds.map((vendorId) =>
      newPayment({ vendorId, merchantReference: 'INV-7', account: newId() }),
    );
    await createInstructed(books.pool, made);
    const references = made.map(referenceOf);
    for (const reference of references) expect(await found(reference)).toEqual([reference]);
    expect(await found(references[0]?.toLowerCase() ?? '')).toEqual([references[0]]);
    expect(await found('INV-7')).toEqual(references.toReversed());
    expect(await found(' INV-7 ')).toEqual(references.toReversed());
    expect(await found('inv-7')).toEqual([]);
    // A vendor finds nothing by another vendor's payment id.
    expect(await found(encodeReference(vendorIds[0] ?? 0, made[1]?.paymentId ?? ''))).toEqual([]);
  });

  test('payments are found by account and phone, in whichever form the number is on file', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const made = [
      { account: '254733000001' },
      { account: '0733000001' },
      { phone: '+254733000001' },
      { phone: '254733000001', account: '254733000001' },
      { account: '2547330000011' },
    ].map((given) => newPayment({ vendorId, account: 'another', ...given }));
    await createInstructed(books.pool, made);
    const references = made.slice(0, 4).map(referenceOf).toReversed();
    for (const term of ['0733 000 001', '+254733000001', '254-733-000-001', '733000001']) {
      expect(await found(term)).toEqual(references);
    }
    expect(await found('0733000001', 3)).toEqual(references.slice(0, 3));
  });

  test('payments are found in every week in which there are payments', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const account = newId();
    const made = [0, 1, 2].map(() => newPayment({ vendorId, account }));
    await createPayments(books.pool, made);
    for (const [weeks, { paymentId }] of made.entries()) {
      await books.owner.query(
        `update payments set duplicate_key = duplicate_key - ($2::bigint << 46)
         where payment_id = $1`,
        [paymentId, weeks * 60],
      );
    }
    expect(await found(account)).toHaveLength(3);
  });

  // On a cluster the settings of a connection stay with the coordinator.
  test.skipIf(CITUS_URL !== undefined)(
    'payments are found by index only, among very many',
    async () => {
      const plan = await books.openPool({ byIndexOnly: true }).query<{ 'QUERY PLAN': string }>(
        `explain select 1 from payments t
       where ((t.duplicate_key >> 46) << 32 | (hashtextextended(t.account, 0) & 4294967295))
         = any (array(select generate_series(1, 10)::bigint))`,
      );
      const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(text).toContain('payments_by_account');
    },
  );

  test('payments are found also if they are archived', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'malipo-find-'));
    try {
      const vendorId = await books.addVendor(90_000n);
      const account = newId();
      const made = newPayment({ vendorId, account, merchantReference: 'ARCHIVED' });
      await createInstructed(books.pool, [made]);
      await settlePayments(books.pool, [failedReport(made)]);
      const before = new Date(Date.now() + 60_000);
      await archivePayments(books.owner, { vendorIds: [vendorId], before, folder });
      for (const term of [referenceOf(made), 'ARCHIVED', account]) {
        const [one] = await find(term);
        expect(one).toMatchObject({ status: 'FAILED', payment: { archived: true } });
        expect(story(one as PaymentTimeline)).toEqual([
          'created',
          'transfer reserved 10000',
          'settled FAILED null',
          'transfer released 10000',
        ]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('a timeline', () => {
  test('has a resend, the outcome, the transfers and the event', async () => {
    const vendorId = await books.addVendor(90_000n);
    await addWebhook(vendorId);
    const made = newPayment({ vendorId, feeCents: 5n });
    const [first] = await createInstructed(books.pool, [made]);
    if (first === undefined) throw new Error('nothing was claimed');
    const again = { claim: first, next: 'send' as const, delayMs: 0, operatorHandle: null };
    await writeProgress(books.pool, [{ ...again, note: 'connection refused' }]);
    const [open] = await find(referenceOf(made));
    expect(open?.status).toBe('QUEUED');
    expect(open?.payment).toMatchObject({ verifyCount: null });
    expect(open?.payment.dueAt).toBeInstanceOf(Date);
    await claim(books.pool, [
      { vendorId, billerCode: BILLER, stage: 'send', max: 1, leaseMs: 60_000 },
    ]);
    await insertUnmatchedCallback(books.pool, {
      operatorCode: OPERATOR,
      callbackId: newId(),
      reference: referenceOf(made),
      report: { kind: 'paid' },
      receivedAt: new Date(),
    });
    await settlePayments(books.pool, [paidReport(made, { source: 'status' })]);
    const [one] = await find(referenceOf(made));
    expect(story(one as PaymentTimeline)).toEqual([
      'created',
      'transfer reserved 10005',
      'attempt 1 not_sent',
      'attempt 2 paid',
      'unmatched_callback',
      'settled SUCCESS status',
      'transfer paid 10000',
      'transfer fee 5',
      'event transaction.succeeded waiting',
    ]);
    const times = one?.timeline.map(({ at }) => at.getTime()) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('has a case, its decision and the correction', async () => {
    const vendorId = await books.addVendor(90_000n);
    await addWebhook(vendorId);
    const made = newPayment({ vendorId });
    const bystander = newPayment({ vendorId });
    await createInstructed(books.pool, [made, bystander]);
    await settlePayments(books.pool, [failedReport(made)]);
    await settlePayments(books.pool, [paidReport(made, { source: 'callback' })]);
    const [row] = await listCasesAbout(books.pool, vendorId, made.paymentId);
    const caseId = row?.caseId ?? '';
    const proposal = {
      resolution: 'charge_vendor',
      note: 'as agreed',
      amount_cents: null,
      operator_reference: null,
      message: null,
      details: null,
    };
    await proposeResolution(books, { caseId, by: 'Asha', proposal });
    await approveCurrent(books, { caseId, by: 'Baraka' });
    const [one] = await find(referenceOf(made));
    expect(one?.status).toBe('SUCCESS');
    const entries = story(one as PaymentTimeline);
    expect(entries.slice(0, 6)).toEqual([
      'created',
      'transfer reserved 10000',
      'attempt 1 declined',
      'settled FAILED answer',
      'transfer released 10000',
      'event transaction.failed waiting',
    ]);
    expect(entries.slice(6).toSorted()).toEqual([
      'case contradiction approved Baraka',
      'case contradiction opened null',
      'case contradiction proposed Asha',
      'correction charge_vendor success',
      'event transaction.corrected waiting',
      'transfer correction 10000',
    ]);
    const [other] = await find(referenceOf(bystander));
    expect(story(other as PaymentTimeline)).toEqual([
      'created',
      'transfer reserved 10000',
      'attempt 1 null',
    ]);
  });
});

describe('a payment that only an operator reports', () => {
  test('a payment that only an operator reports is found by all that its customer can quote, until the ledger has it', async () => {
    const [vendorId = 0] = await books.addVendors([90_000n]);
    const made = newPayment({ vendorId, account: '0722555001' });
    const reference = referenceOf(made);
    const about = { operatorCode: OPERATOR, evidenceId: newId() } as const;
    const listed = {
      movement: 'payment',
      reference: reference.toLowerCase(),
      account: '0722555001',
    };
    const caseId = await openCase(books.pool, {
      ...{ ...about, vendorId, paymentId: made.paymentId, kind: 'theirs_only' },
      facts: { ...listed, operator_reference: 'QK7-lost', paid_cents: 5_000 },
    });
    const called = await openCase(books.pool, {
      ...{ ...about, vendorId: HOUSE, paymentId: null, kind: 'unmatched_callback' },
      facts: { reference, report: { kind: 'paid', operatorReference: 'QK8-lost' } },
    });
    const pool = books.openPool({ byIndexOnly: true });
    const casesOf = async (term: string) =>
      (await findLostCases(pool, term)).map((row) => row.caseId);
    const both = [caseId, called];
    for (const term of [reference, reference.toLowerCase()]) {
      expect(await casesOf(term)).toEqual(expect.arrayContaining(both));
    }
    for (const term of ['0722555001', 'qk7-LOST']) expect(await casesOf(term)).toEqual([caseId]);
    expect(await casesOf('QK8-lost')).toEqual([called]);
    const ran = await inProcess({ DATABASE_URL: books.url }, 'payment', 'find', 'QK7-lost');
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain(String(caseId));
    expect(await findLostCases(pool, reference, vendorId + 1)).toEqual([]);
    await createPayments(books.pool, [made]);
    expect(await casesOf('qk7-lost')).toEqual([]);
    expect(await casesOf('QK8-lost')).toEqual([]);
  });
});

describe('malipo payment', () => {
  const environment = (): Record<string, string> => ({ DATABASE_URL: books.url });

  test('prints a payment and its timeline within 80 columns', async () => {
    const vendorId = await books.addVendor(90_000n);
    const account = '37200009902';
    const made = newPayment({ vendorId, account });
    await createInstructed(books.pool, [made]);
    await settlePayments(books.pool, [failedReport(made, { message: 'No\u001B[2J' })]);
    const ran = await malipo(environment(), 'payment', 'show', referenceOf(made));
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^status +FAILED$/m);
    expect(ran.stdout).toMatch(/^failure code +declined$/m);
    expect(ran.stdout).toMatch(
      /^\S+ \S+ +instruction 1 sent to kplc: declined at \S+ \S+\s+\(answer\)$/m,
    );
    expect(ran.stdout).toContain('released 100.00: reserved → float');
    expect(ran.stdout).not.toContain('\u001B');
    expect(Math.max(...ran.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);

    const json = await malipo(environment(), 'payment', 'show', referenceOf(made), '--json');
    expect(json.json()).toMatchObject({
      reference: referenceOf(made),
      status: 'FAILED',
      amount: '100.00',
      vid: `vendor-${vendorId}`,
      timeline: [
        { kind: 'created' },
        { kind: 'transfer', movement: 'reserved', amount: '100.00' },
        { kind: 'attempt', outcome: 'declined' },
        { kind: 'settled', status: 'FAILED', source: 'answer' },
        { kind: 'transfer', movement: 'released' },
      ],
    });
  });

  test('payments are found within days, the last one included, in the time zone of the service', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const account = newId();
    // Midnights of Nairobi, three hours before those of UTC.
    const times = ['2026-03-01T20:59:59Z', '2026-03-01T21:00:00Z', '2026-03-02T21:00:00Z'];
    const made = times.map(() => newPayment({ vendorId, account }));
    await createPayments(books.pool, made);
    for (const [index, { paymentId }] of made.entries()) {
      await books.owner.query('update payments set created_at = $2 where payment_id = $1', [
        paymentId,
        times[index],
      ]);
    }
    const references = made.map(referenceOf);
    const within = async (...days: string[]): Promise<string[]> => {
      const ran = await inProcess(environment(), 'payment', 'find', account, '--json', ...days);
      const { payments } = ran.json<{ payments: { reference: string }[] }>();
      return payments.map((payment) => payment.reference);
    };
    expect(await within('--from', '2026-03-02', '--to', '2026-03-02')).toEqual([references[1]]);
    expect(await within('--from', '2026-03-02')).toEqual(references.slice(1).toReversed());
    // The limit applies to the period, so the newest payments do not count.
    expect(await within('--to', '2026-03-01', '--limit', '1')).toEqual([references[0]]);
    const refused = await inProcess(
      environment(),
      ...['payment', 'find', account, '--from', '2026-03-02', '--to', '2026-03-01'],
    );
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('--to must not be before from');
  });

  test('says that no payment was found', async () => {
    const words = ['payment', 'find', 'nothing-like-it'];
    const ran = await malipo(environment(), ...words);
    expect(ran).toMatchObject({ exitCode: 1, stdout: '(no payments)\n', stderr: '' });
    const json = await malipo(environment(), ...words, '--json');
    expect(json.json()).toMatchObject({ payments: [], next: null, lost: [] });
  });
});
