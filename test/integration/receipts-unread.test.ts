import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { listMessages } from '../../src/payments/messages/read-messages.ts';
import type { MessageRow, MessageState } from '../../src/payments/messages/read-messages.ts';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import { proposeForMessage } from '../../src/payments/receipts/completion.ts';
import type { ReadByPeople } from '../../src/payments/receipts/completion.ts';
import { findReceipt } from '../../src/payments/receipts/read-receipts.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { brokenInvariants } from '../support/books-check.ts';
import { c2bBody, openDarajaBooks } from '../support/daraja-books.ts';
import type { DarajaBooks } from '../support/daraja-books.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { approveSeen, named } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { sharedBooks } from '../support/shared-books.ts';

// Confirmations that cannot be read: they are kept, and two people complete them.

const freshBooks = sharedBooks();
let books: Books;
let paybill: DarajaBooks;
let vendorId: number;
beforeEach(async () => {
  books = await freshBooks();
  paybill = await openDarajaBooks(books);
  vendorId = await books.addVendor();
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: 'paybill', account: 'V001', vid, by: 'Asha' });
});
afterEach(async () => {
  await paybill.close();
  await books.close();
});

const ACCEPTED = { kind: 'answer', body: { ResultCode: '0', ResultDesc: 'Accepted' } };
const collected = async () => (await books.balances(vendorId))['collected'] ?? 0n;
const listed = async (state: MessageState = 'open') =>
  await listMessages(books.pool, { state, after: null, limit: 2_000 });

async function onlyMessage(): Promise<MessageRow> {
  const [message, ...others] = await listed();
  expect(others).toEqual([]);
  return message ?? expect.fail();
}

const READ: ReadByPeople = {
  ...{ receipt: 'UAUNREAD01', amountCents: 50_000n, account: 'V001' },
  paidAt: new Date('2026-01-05T07:15:30Z'),
};

async function propose(read: ReadByPeople | null): Promise<string> {
  const { messageId } = await onlyMessage();
  const proposals = quietProposals(books);
  const asked = { messageId, read, by: named('Asha'), note: 'read in the portal' };
  return (await proposeForMessage({ ...books, proposals }, asked)).proposalId;
}

async function addBank(): Promise<void> {
  const settings = { format: 'mt940', account_pattern: 'ACC ([A-Z0-9]+)' };
  const bank = { name: 'Bank', kind: 'statement' as const, collector: COLLECTOR, settings };
  await setSource(books.pool, 'bank', bank);
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: 'bank', account: 'V001', vid, by: 'Asha' });
}

async function takeOfBank(
  line: Pick<ReceiptReport, 'issuer' | 'receipt' | 'paidAt' | 'isDayOnly'>,
): Promise<void> {
  const deps = { ...books, log: pino({ level: 'silent' }) };
  const of = { sourceCode: 'bank', collector: COLLECTOR, channel: 'statement' } as const;
  await takeReport(deps, { ...line, ...of, amountCents: 50_000n, account: 'V001', payer: null });
}

const BROKEN = c2bBody({ TransAmount: 'five hundred' });

test('a message that cannot be read is kept with its bytes, once, and the provider is told so', async () => {
  const body = Buffer.from(JSON.stringify(BROKEN));
  expect(await paybill.receive(body)).toEqual(ACCEPTED);
  expect(await paybill.receive(body)).toEqual(ACCEPTED);
  expect(await onlyMessage()).toMatchObject({
    ...{ sender: 'paybill', channel: 'confirmation', problem: 'TransAmount is no amount' },
    ...{ times: 2, state: 'open', body },
  });
  expect(await collected()).toBe(0n);
});

test('a confirmation for another short code is kept as well', async () => {
  expect(await paybill.receive(c2bBody({ BusinessShortCode: '600999' }))).toEqual(ACCEPTED);
  expect((await onlyMessage()).problem).toMatch('BusinessShortCode');
  expect(await collected()).toBe(0n);
});

test('nothing is kept of a stranger', async () => {
  expect(await paybill.receive(BROKEN, { address: '203.0.113.9' })).toEqual({ kind: 'refused' });
  expect(await listed()).toEqual([]);
});

test('a question that cannot be read is declined, and not kept', async () => {
  const answer = await paybill.receive(BROKEN, { kind: 'validation' });
  expect(answer).toMatchObject({ kind: 'answer', body: { ResultCode: 'C2B00016' } });
  expect(await listed()).toEqual([]);
});

test.each([
  ['number', LIMITS.unreadMessages, (number: number) => Buffer.from(`${number}`)],
  ['bytes', 256, (number: number) => Buffer.alloc(LIMITS.callbackBodyBytes, `${number},`)],
])(
  'more than the limit in %s is not kept, and the provider is told to repeat it',
  async (_, count, bodyOf) => {
    for (let number = 0; number < count; number += 1) await paybill.receive(bodyOf(number));
    expect(await listed()).toHaveLength(count);
    expect(await paybill.receive(Buffer.from('x'))).toEqual({ kind: 'not_kept' });
    expect(await paybill.receive(bodyOf(0))).toEqual(ACCEPTED);
    // What can be read is not held up.
    expect(await paybill.receive(c2bBody())).toEqual(ACCEPTED);
    expect(await collected()).toBe(50_000n);
  },
);

describe('completed by two people', () => {
  beforeEach(async () => void (await paybill.receive(BROKEN)));

  test('it credits the vendor once, also if a confirmation that can be read comes later', async () => {
    const id = await propose(READ);
    const { lines, remarks } = await quietProposals(books).preview(id);
    const text = `vendor-${vendorId}`;
    expect(lines).toEqual([{ label: 'Credited as collected income', text, cents: '50000' }]);
    expect(remarks).toContainEqual({ label: 'Content', text: JSON.stringify(BROKEN) });
    await approveSeen(books, id);
    expect(await collected()).toBe(50_000n);
    expect(await listed()).toEqual([]);
    const { receiptId } = await requireReceipt(books.pool, { receipt: 'UAUNREAD01' });
    expect(await listed('completed')).toMatchObject([{ receiptId }]);
    await paybill.receive(c2bBody());
    await paybill.receive(BROKEN);
    expect(await collected()).toBe(50_000n);
    expect(await listed()).toEqual([]);
  });

  test('it credits nothing if a confirmation that can be read came before', async () => {
    await paybill.receive(c2bBody());
    const id = await propose(READ);
    const { lines } = await quietProposals(books).preview(id);
    expect(lines).toEqual([{ label: 'Known already', text: 'UAUNREAD01', cents: '50000' }]);
    await approveSeen(books, id);
    expect(await collected()).toBe(50_000n);
    expect(await listed()).toEqual([]);
  });

  test('the approval is refused if the receipt was credited after the approver looked', async () => {
    const id = await propose(READ);
    const proposals = quietProposals(books);
    const { seen } = await proposals.preview(id);
    await paybill.receive(c2bBody());
    const approval = proposals.approve({ proposalId: id, by: named('Baraka'), seen });
    await expect(approval).rejects.toThrow();
    expect(await collected()).toBe(50_000n);
  });

  test('another amount than the one that is known is refused', async () => {
    await paybill.receive(c2bBody({ TransAmount: '700' }));
    await expect(propose(READ)).rejects.toThrow('with another amount, account or time');
  });

  test('it is not credited if nobody has the account: the receipt waits', async () => {
    await approveSeen(books, await propose({ ...READ, account: 'TYPO' }));
    expect(await collected()).toBe(0n);
    expect(await requireReceipt(books.pool, { receipt: 'UAUNREAD01' })).toMatchObject({
      ...{ state: 'unmatched', account: 'TYPO' },
    });
  });

  test('it can be closed without a receipt, and stays closed when it is repeated', async () => {
    await approveSeen(books, await propose(null));
    await paybill.receive(BROKEN);
    expect(await listed()).toEqual([]);
    expect(await listed('closed')).toMatchObject([{ times: 2, receiptId: null }]);
    expect(await collected()).toBe(0n);
  });

  test('one person cannot do it alone', async () => {
    const id = await propose(READ);
    await expect(approveSeen(books, id, named('Asha'))).rejects.toThrow();
    expect(await collected()).toBe(0n);
  });

  test('the check finds one that somebody closed or opened again in the database', async () => {
    const change = async (to: string) =>
      void (await books.pool.query(`update unread_messages set ${to}`));
    const closed = `state = 'closed', decided_at = now()`;
    const opened = `state = 'open', decided_at = null, receipt_id = null`;
    const found = async () => await brokenInvariants(books);
    await change(closed);
    expect(await found()).toEqual(['messages_end_as_decided']);
    await change(opened);
    expect(await found()).toEqual([]);
    await approveSeen(books, await propose(READ));
    expect(await found()).toEqual([]);
    await change(`${closed}, receipt_id = null`);
    expect(await found()).toEqual(['messages_end_as_decided']);
    await change(opened);
    expect(await found()).toEqual(['messages_end_as_decided']);
  });

  test('bytes that were changed in the database are not completed', async () => {
    const body = Buffer.from(JSON.stringify(c2bBody({ TransAmount: '9999999' })));
    await books.owner.query('update unread_messages set body = $1', [body]);
    await expect(propose(READ)).rejects.toThrow('was changed in the database');
  });
});

describe('a number that people enter and the message does not have', () => {
  beforeEach(async () => {
    await paybill.receive(c2bBody({ TransID: undefined }));
    await approveSeen(books, await propose({ ...READ, receipt: 'UAMISTYP01' }));
    expect(await collected()).toBe(50_000n);
  });

  test('may be mistyped, so the receipt with the right number waits for people', async () => {
    await paybill.receive(c2bBody());
    expect(await collected()).toBe(50_000n);
    expect(await requireReceipt(books.pool, { receipt: 'UAUNREAD01' })).toMatchObject({
      doubt: { reason: 'mistyped', others: ['mpesa UAMISTYP01'] },
    });
  });

  test('does not hold up payments of other amounts or for other accounts', async () => {
    await paybill.receive(c2bBody({ TransAmount: '501' }));
    expect(await collected()).toBe(100_100n);
  });
});

test('a number that people mistype waits for people if the right one is known', async () => {
  await paybill.receive(c2bBody({ TransID: undefined }));
  await paybill.receive(c2bBody());
  await approveSeen(books, await propose({ ...READ, receipt: 'UAMISTYP01' }));
  expect(await collected()).toBe(50_000n);
  expect(await findReceipt(books.pool, 'mpesa', 'UAMISTYP01')).toMatchObject({
    ...{ state: 'unmatched', doubt: { reason: 'mistyped', others: ['mpesa UAUNREAD01'] } },
  });
});

test('a number that people mistype waits also if the right one arrived without a time, weeks later', async () => {
  const paidAt = new Date(Date.now() - 20 * 86_400_000);
  await paybill.receive(c2bBody({ TransID: undefined }));
  await paybill.receive(c2bBody({ TransTime: '' }));
  await approveSeen(books, await propose({ ...READ, receipt: 'UAMISTYP01', paidAt }));
  expect(await collected()).toBe(50_000n);
});

test('a number that people mistype waits also if a bank’s statement has reported the right one', async () => {
  await paybill.receive(c2bBody({ TransID: undefined }));
  await addBank();
  const paidAt = new Date('2026-01-04T21:00:00Z');
  await takeOfBank({ issuer: 'mpesa', receipt: 'UAUNREAD01', isDayOnly: true, paidAt });
  await approveSeen(books, await propose({ ...READ, receipt: 'UAMISTYP01' }));
  expect(await collected()).toBe(50_000n);
});

describe('a confirmation without a time', () => {
  test('has the time of its arrival, is marked, and is credited once however often it is repeated', async () => {
    const before = new Date();
    for (let times = 0; times < 3; times += 1) await paybill.receive(c2bBody({ TransTime: '' }));
    expect(await collected()).toBe(50_000n);
    const row = await requireReceipt(books.pool, { receipt: 'UAUNREAD01' });
    expect(row.isArrivalTime).toBe(true);
    expect(row.paidAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect((await books.pool.query('select from receipt_reports')).rowCount).toBe(1);
  });

  test('and a report with the time, of months before, are one receipt', async () => {
    await paybill.receive(c2bBody({ TransTime: '' }));
    await paybill.receive(c2bBody());
    expect(await collected()).toBe(50_000n);
    expect((await books.pool.query('select from cases')).rowCount).toBe(0);
  });

  test.each(['before', 'after'])(
    'is not credited if a bank listed its amount and account weeks %s, under a number of its own',
    async (order) => {
      await addBank();
      const line = { issuer: 'bank', receipt: 'FT26000001', isDayOnly: true };
      const paidAt = new Date(Date.now() - 20 * 86_400_000);
      const reports = [
        async () => await paybill.receive(c2bBody({ TransTime: '' })),
        async () => await takeOfBank({ ...line, paidAt }),
      ];
      for (const report of order === 'before' ? reports.toReversed() : reports) await report();
      expect(await collected()).toBe(50_000n);
      const { rows } = await books.pool.query('select doubt from receipts where doubt is not null');
      expect(rows).toMatchObject([{ doubt: { reason: 'alike' } }]);
    },
  );

  test('is credited to nobody if the number was another vendor’s in the days before', async () => {
    const other = `vendor-${await books.addVendor()}`;
    const sourceCode = 'paybill';
    await addAccount(books, { sourceCode, account: 'V002', vid: other, by: 'Asha' });
    await books.owner.query(
      `update receipt_accounts set ended_at = now(), ended_by = 'Asha' where account = 'V002'`,
    );
    const vid = `vendor-${vendorId}`;
    await addAccount(books, { sourceCode, account: 'V002', vid, by: 'Asha' });
    await books.owner.query(
      `update receipt_accounts set added_at = now() - interval '2 hours' where ended_at is null`,
    );
    await paybill.receive(c2bBody({ TransTime: '', BillRefNumber: 'V002' }));
    expect(await collected()).toBe(0n);
  });
});
