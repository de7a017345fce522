import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encodeReference, newId } from '../../src/platform/base/ids.ts';
import { createBillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import { createCallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { CallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type {
  CallbackReading,
  Connector,
  Declined,
  Paid,
} from '../../src/payments/dispatch/connector.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createSettler } from '../../src/payments/settle/settle.ts';
import type { Settler } from '../../src/payments/settle/settle.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { readStored } from '../support/dispatch-fixture.ts';
import { createInstructed, openBooks, OPERATOR, paidReport } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { createScriptedConnector, DECLINED, paid } from '../support/scripted-connector.ts';

// What operators report unasked: settled when it is theirs to report, kept when it is about nothing.

const OTHER_OPERATOR = 'airtel';

let books: Books;
let receiver: CallbackReceiver;
let settler: Settler;
/** What the connectors read from the next callback. */
let reading: CallbackReading;

beforeAll(async () => {
  books = await openBooks();
  const catalogue = createBillerCatalogue({
    pool: books.pool,
    masterKeys: { current: randomBytes(32), previous: undefined },
  });
  await catalogue.reload();
  settler = createSettler({ pools: [books.openPool()], deadlineMs: 8_000 });
  const connector: Connector = {
    ...createScriptedConnector({ pay: paid }),
    readCallback: () => reading,
  };
  const connectors = new Map<string, Connector>([
    [OPERATOR, connector],
    [OTHER_OPERATOR, connector],
    ['mute', createScriptedConnector({ pay: paid })],
  ]);
  receiver = createCallbackReceiver({
    pool: books.pool,
    catalogue,
    connectorOf: (code) => connectors.get(code),
    settler,
    log: pino({ level: 'silent' }),
  });
});
afterEach(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
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
  ...reports: readonly (readonly [reference: string, outcome: Paid | Declined])[]
): Promise<string> {
  reading = {
    kind: 'reports',
    reports: reports.map(([reference, outcome]) => ({ reference, outcome })),
  };
  return await receiver.receive(operatorCode, { headers: {}, path: '', body: Buffer.alloc(0) });
}

async function readUnmatched(reference: string): Promise<unknown[]> {
  const read = await books.pool.query<{ operator_code: string; report: unknown }>(
    'select operator_code, report from unmatched_callbacks where reference = $1',
    [reference],
  );
  return read.rows;
}

describe('a callback', () => {
  test('settles what it is about, one report after the other', async () => {
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

  test('before the answer to the instruction makes that answer a repeat', async () => {
    const made = await makeSent();
    await report(OPERATOR, [referenceOf(made), paid(made)]);
    expect(await settler.settle(paidReport(made))).toBe('repeated');
  });

  test('that contradicts the books is accepted, kept as a case, and changes nothing', async () => {
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
  ])('about a reference that %s is kept, and answered like any other', async (_, make) => {
    const reference = make();
    expect(await report(OPERATOR, [reference, paid({ amountCents: 12_345n })])).toBe('accepted');
    expect(await readUnmatched(reference)).toMatchObject([
      { operator_code: OPERATOR, report: { kind: 'paid', amountCents: '12345' } },
    ]);
  });

  test('of another operator settles nothing: it is kept', async () => {
    const made = await makeSent();
    expect(await report(OTHER_OPERATOR, [referenceOf(made), paid(made)])).toBe('accepted');
    expect(await readStored(books, made)).toMatchObject({ outcome: null });
    expect(await readUnmatched(referenceOf(made))).toMatchObject([
      { operator_code: OTHER_OPERATOR },
    ]);
  });

  test('that is not from the operator changes nothing', async () => {
    reading = { kind: 'refused', reason: 'wrong signature' };
    const request = { headers: {}, path: '', body: Buffer.from('forged') };
    expect(await receiver.receive(OPERATOR, request)).toBe('refused');
    expect(await receiver.receive('nobody', request)).toBe('unknown_operator');
    // An operator that never calls back has no callbacks to forge.
    expect(await receiver.receive('mute', request)).toBe('unknown_operator');
  });
});
