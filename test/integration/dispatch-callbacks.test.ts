import { randomBytes } from 'node:crypto';
import { fixedConnectors } from '../../src/payments/dispatch/connectors.ts';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { listMessages } from '../../src/payments/messages/read-messages.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { createBillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import { createCallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { CallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type {
  CallbackReading,
  CallbackReport,
  PaymentFinder,
} from '../../src/connectors/operator-callbacks.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { findViolations } from '../support/books-check.ts';
import { claim, writeProgress } from '../../src/payments/dispatch/store.ts';
import { createSettler } from '../../src/payments/settle/settle.ts';
import type { Settler } from '../../src/payments/settle/settle.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { readAttempts, readQueued, readStored } from '../support/dispatch-fixture.ts';
import {
  createInstructed,
  openBooks,
  OPERATOR,
  paidReport,
  through,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createScriptedConnector, DECLINED, paid } from '../support/scripted-connector.ts';

// Callbacks of operators: a payment settles only by its own operator's, and an unmatched one is stored.

const OTHER_OPERATOR = 'airtel';

let books: Books;
let receiver: CallbackReceiver;
let settler: Settler;
/** What the connectors read from the next callback. */
let reading: CallbackReading;
/** The finder that they got to look up payments. */
let finder: PaymentFinder;

const due: object[] = [];

beforeAll(async () => {
  books = await openBooks();
  const catalogue = createBillerCatalogue({
    pool: books.pool,
    masterKeys: { current: randomBytes(32), previous: undefined },
  });
  await catalogue.reload();
  settler = createSettler({ pool: books.openPool(), deadlineMs: 8_000 });
  const connector: Connector = {
    ...createScriptedConnector({ pay: paid }),
    callbacks: {
      acceptedBody: {},
      keepsHandles: false,
      read: async (_request, find) => {
        finder = find;
        return reading;
      },
    },
  };
  const connectors = new Map<string, Connector>([
    [OPERATOR, connector],
    [OTHER_OPERATOR, connector],
    ['mute', createScriptedConnector({ pay: paid })],
  ]);
  receiver = createCallbackReceiver({
    pool: books.pool,
    ...fixedConnectors((code) => connectors.get(code)),
    settler,
    onDue: (queue) => due.push(queue),
    nowMs: () => 0,
    log: pino({ level: 'silent' }),
  });
});
afterEach(async () => {
  expect(await findViolations(books.pool)).toEqual([]);
});
afterAll(async () => {
  await books.close();
});

async function makeSent(): Promise<NewPayment> {
  const made = newPayment({ vendorId: await books.addVendor(1_000_000n) });
  await createInstructed(books.pool, [made]);
  return made;
}

function referenceOf(made: NewPayment): string {
  return encodeReference(made.vendorId, made.paymentId);
}

async function report(
  operatorCode: string,
  ...reports: readonly (readonly [reference: string, outcome: CallbackReport['outcome']])[]
): Promise<string> {
  reading = {
    kind: 'reports',
    reports: reports.map(([reference, outcome]) => ({ reference, outcome })),
  };
  const request = { headers: {}, path: '', body: Buffer.alloc(0) };
  return (await receiver.receive(operatorCode, request)).kind;
}

async function casesAbout(made: NewPayment): Promise<string[]> {
  const read = await books.pool.query<{ kind: string }>(
    'select kind from cases where payment_id = $1',
    [made.paymentId],
  );
  return read.rows.map((row) => row.kind);
}

async function finderOf(operatorCode: string): Promise<PaymentFinder> {
  await report(operatorCode);
  return finder;
}

async function readUnmatched(reference: string): Promise<unknown[]> {
  const read = await books.pool.query<{ operator_code: string; report: unknown }>(
    'select operator_code, report from unmatched_callbacks where reference = $1',
    [reference],
  );
  return read.rows;
}

describe('a callback', () => {
  test('settles its payment, one report after the other', async () => {
    const [one, two] = [await makeSent(), await makeSent()];
    expect(
      await report(OPERATOR, [referenceOf(one), paid(one)], [referenceOf(two), DECLINED]),
    ).toBe('accepted');
    expect(await readStored(books, one)).toMatchObject({ outcome: 'success' });
    expect(await readStored(books, two)).toMatchObject({ outcome: 'failed' });
  });

  test('a hundred times at once has one effect', async () => {
    const made = await makeSent();
    const answers = await Promise.all(
      Array.from(
        { length: 100 },
        async () => await report(OPERATOR, [referenceOf(made), paid(made)]),
      ),
    );
    expect(new Set(answers)).toEqual(new Set(['accepted']));
    expect(await books.balances(made.vendorId)).toMatchObject({
      reserved: 0n,
      'operator:kplc': made.amountCents,
    });
  });

  test('a callback before the answer to the instruction makes that answer a repeat', async () => {
    const made = await makeSent();
    await report(OPERATOR, [referenceOf(made), paid(made)]);
    expect(await settler.settle(paidReport(made))).toBe('repeated');
  });

  test('a callback that contradicts the books is accepted, kept as a case, and changes nothing', async () => {
    const made = await makeSent();
    await settler.settle(paidReport(made));
    expect(await report(OPERATOR, [referenceOf(made), DECLINED])).toBe('accepted');
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
    const cases = await books.pool.query('select kind from cases where payment_id = $1', [
      made.paymentId,
    ]);
    expect(cases.rows).toEqual([{ kind: 'contradiction' }]);
  });

  test.each([
    ['no transaction has', () => encodeReference(1, newId())],
    ['is none', () => 'not a reference'],
  ])('about a reference that %s is stored, and answered like any other', async (_, make) => {
    const reference = make();
    expect(await report(OPERATOR, [reference, paid({ amountCents: 12_345n })])).toBe('accepted');
    expect(await readUnmatched(reference)).toMatchObject([
      { operator_code: OPERATOR, report: { kind: 'paid', amountCents: '12345' } },
    ]);
  });

  test('a hint settles nothing: the operator is queried at once, by the handle in it', async () => {
    const made = await makeSent();
    await books.pool.query(
      `update dispatch_queue set due_at = now() + interval '1 hour' where payment_id = $1`,
      [made.paymentId],
    );
    await report(OPERATOR, [
      referenceOf(made),
      { kind: 'hint', operatorHandle: 'AG_1', says: paid(made) },
    ]);
    expect(await readStored(books, made)).toMatchObject({ outcome: null });
    const queued = await readQueued(books, made);
    expect(queued?.due_in_ms).toBeLessThanOrEqual(0);
    expect((await readAttempts(books, made))[0]?.operator_handle).toBe('AG_1');
    expect(due).toContainEqual(expect.objectContaining({ vendorId: made.vendorId }));
    // A report without a handle keeps the known one.
    await report(OPERATOR, [
      referenceOf(made),
      { kind: 'hint', operatorHandle: null, says: DECLINED },
    ]);
    expect((await readAttempts(books, made))[0]?.operator_handle).toBe('AG_1');
  });

  test.each(['hint', 'mismatch'] as const)(
    'people decide before a payment is sent again if a %s reports as paid what was proven not executed',
    async (kind) => {
      const made = newPayment({ vendorId: await books.addVendor(1_000_000n) });
      const [claimed] = await createInstructed(books.pool, [made]);
      if (claimed === undefined) throw new Error('it was not claimed');
      const progress = { claim: claimed, next: 'send', delayMs: 0, note: 'not executed' } as const;
      await writeProgress(books.pool, [{ ...progress, operatorHandle: null }]);
      const says = paid(made);
      const outcome =
        kind === 'hint'
          ? { kind, operatorHandle: 'AG_1', says }
          : { kind, reason: 'it is about an earlier attempt', says };
      await report(OPERATOR, [referenceOf(made), outcome], [referenceOf(made), outcome]);
      expect(await readStored(books, made)).toMatchObject({ outcome: null });
      expect(await casesAbout(made)).toEqual(['contradiction']);
      const { vendorId, billerCode } = made;
      const queue = { vendorId, billerCode, stage: 'send', max: 1, leaseMs: 600_000 } as const;
      expect(await claim(books.pool, [{ ...queue, route: through(OPERATOR) }])).toEqual([]);
    },
  );

  test('hints against a settled payment open a case', async () => {
    const made = await makeSent();
    await settler.settle(paidReport(made));
    const hint = { kind: 'hint', operatorHandle: null, says: DECLINED } as const;
    await report(OPERATOR, [referenceOf(made), { ...hint, says: null }]);
    expect(await casesAbout(made)).toEqual([]);
    await report(OPERATOR, [referenceOf(made), hint]);
    expect(await casesAbout(made)).toEqual(['contradiction']);
    expect(await readStored(books, made)).toMatchObject({ outcome: 'success' });
  });

  test('reversals fail an open payment, and open a case about a paid one', async () => {
    const [open, settled] = [await makeSent(), await makeSent()];
    await settler.settle(paidReport(settled));
    const reversed = { kind: 'reversed', message: 'Returned by the biller' } as const;
    await report(OPERATOR, [referenceOf(open), reversed], [referenceOf(settled), reversed]);
    expect(await readStored(books, open)).toMatchObject({
      outcome: 'failed',
      failureCode: 'declined',
      message: 'Returned by the biller',
    });
    expect(await readStored(books, settled)).toMatchObject({ outcome: 'success' });
    expect(await casesAbout(settled)).toEqual(['contradiction']);
  });

  test('callbacks that do not fit their payment are stored for people', async () => {
    const made = await makeSent();
    const says = paid({ amountCents: 7n });
    await report(OPERATOR, [referenceOf(made), { kind: 'mismatch', reason: 'other handle', says }]);
    expect(await readStored(books, made)).toMatchObject({ outcome: null });
    expect(await readUnmatched(referenceOf(made))).toMatchObject([
      { report: { kind: 'mismatch', says: { kind: 'paid', amountCents: '7' } } },
    ]);
  });

  test('callbacks are compared with what was sent, found by reference or by handle', async () => {
    const made = await makeSent();
    await report(OPERATOR, [
      referenceOf(made),
      { kind: 'hint', operatorHandle: 'H-find', says: null },
    ]);
    const sent = {
      reference: referenceOf(made),
      attemptNumber: 1,
      billerCode: made.billerCode,
      account: made.account,
      amountCents: made.amountCents,
      operatorHandle: 'H-find',
      isOpen: true,
    };
    expect(await finder.byReference(referenceOf(made))).toEqual(sent);
    expect(await finder.byHandle('H-find')).toEqual(sent);
    expect(await finder.byHandle('H-none')).toBeUndefined();
    expect(await finder.byReference('not a reference')).toBeUndefined();
    // Another operator cannot find the payment.
    const others = await finderOf(OTHER_OPERATOR);
    expect(await others.byReference(referenceOf(made))).toBeUndefined();
    expect(await others.byHandle('H-find')).toBeUndefined();
    // A handle that two payments have identifies neither.
    const other = await makeSent();
    await report(OPERATOR, [
      referenceOf(other),
      { kind: 'hint', operatorHandle: 'H-find', says: null },
    ]);
    expect(await finder.byHandle('H-find')).toBeUndefined();
    await settler.settle(paidReport(made));
    expect(await finder.byReference(referenceOf(made))).toEqual({ ...sent, isOpen: false });
  });

  test('callbacks of another operator settle nothing and are stored', async () => {
    const made = await makeSent();
    expect(await report(OTHER_OPERATOR, [referenceOf(made), paid(made)])).toBe('accepted');
    expect(await readStored(books, made)).toMatchObject({ outcome: null });
    expect(await readUnmatched(referenceOf(made))).toMatchObject([
      { operator_code: OTHER_OPERATOR },
    ]);
  });

  test('that cannot be read is kept with its bytes, accepted, and its payment is asked about', async () => {
    const made = await makeSent();
    const reference = referenceOf(made);
    reading = { kind: 'unreadable', problem: 'it is not JSON', reference };
    const body = Buffer.from([0x7b, 0xff]);
    const request = { headers: {}, path: '', body };
    due.length = 0;
    for (let times = 0; times < 2; times += 1) {
      expect(await receiver.receive(OPERATOR, request)).toEqual({ kind: 'accepted', body: {} });
    }
    expect(due).toMatchObject([{ paymentId: made.paymentId }, { paymentId: made.paymentId }]);
    const about = { state: 'open', after: null, limit: 200 } as const;
    const kept = await listMessages(books.pool, about);
    expect(kept.filter((row) => row.reference === reference)).toMatchObject([
      { senderKind: 'operator', sender: OPERATOR, channel: 'callback', times: 2, body, mac: null },
    ]);
    expect(await readStored(books, made)).toMatchObject({ outcome: null });
  });

  test('that cannot be read is not accepted while too many wait for people', async () => {
    reading = { kind: 'unreadable', problem: 'it is not JSON', reference: null };
    await books.owner.query(
      `insert into unread_messages (received_at, last_received_at, message_id, sender_kind, sender, channel, problem,
         sha256, body)
       select now(), now(), gen_random_uuid(), 'operator', $1, 'callback', 'x', number::text::bytea, ''
       from generate_series(1, $2) number`,
      [OTHER_OPERATOR, LIMITS.unreadMessages],
    );
    const request = { headers: {}, path: '', body: Buffer.from('x') };
    expect(await receiver.receive(OTHER_OPERATOR, request)).toEqual({ kind: 'not_kept' });
  });

  test('callbacks that are not from the operator change nothing', async () => {
    reading = { kind: 'refused', reason: 'wrong signature' };
    const request = { headers: {}, path: '', body: Buffer.from('forged') };
    expect(await receiver.receive(OPERATOR, request)).toEqual({ kind: 'refused' });
    expect(await receiver.receive('nobody', request)).toEqual({ kind: 'unknown_operator' });
    // For an operator without callbacks, none can be forged.
    expect(await receiver.receive('mute', request)).toEqual({ kind: 'unknown_operator' });
  });
});
