import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { readTrialBalance } from '../../src/payments/house/trial-balance.ts';
import type { TrialBalance } from '../../src/payments/house/trial-balance.ts';
import {
  reportBalanceSheet,
  reportProfit,
} from '../../src/payments/reports/financial-statements.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { SUMMARIES_CHECKED } from '../../src/payments/summaries/check-store.ts';
import { summaryFile } from '../../src/payments/summaries/layouts.ts';
import { makeNext, unitEnd } from '../../src/payments/summaries/make.ts';
import { markExported } from '../../src/payments/summaries/mark-exported.ts';
import { listSummaries, readSummary } from '../../src/payments/summaries/read-summaries.ts';
import { insertCode, insertTerms } from '../../src/payments/summaries/store.ts';
import type { SummaryTerms } from '../../src/payments/summaries/store.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { parseMoney } from '../../src/platform/base/money.ts';
import { addBank, bookEntry, proposeJournal } from '../support/house-decisions.ts';
import { isInstalled } from '../support/installed.ts';
import { createInstructed, failedReport, openBooks, paidReport } from '../support/money-fixture.ts';
import { OPERATOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { approveSeen } from '../support/payouts.ts';
import { databaseTime } from '../support/reconciliation-fixture.ts';
import { spreadVendors } from '../support/several-buckets.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

const DAY_MS = 86_400_000;
const FEES = [
  { feeCents: 0n, vatCents: 0n },
  { feeCents: 116n, vatCents: 16n },
  { feeCents: 133n, vatCents: 18n },
] as const;

let books: Books;
let folder: string;
let vendors: number[];
let start: Date;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  books = await openBooks();
  await spreadVendors(books.owner);
  await addBank(books);
  start = new Date(Date.now() - 3_600_000);
  vendors = await books.addVendors([1_000_000n, 1_000_000n, 1_000_000n]);
});
afterAll(async () => {
  await books.close();
  await removeFolder(folder);
});

let versions = 0;
async function setTerms(terms: Partial<SummaryTerms> = {}): Promise<void> {
  versions += 1;
  await insertTerms(books.pool, {
    ...{ version: versions, startsAt: start, per: 'day', dimensions: ['vendor', 'biller'] },
    ...{ taxCode: null, company: null, setBy: 'Asha' },
    ...terms,
  });
}

/** Months are as short as a test needs. */
async function make(): Promise<number | undefined> {
  const now = await databaseTime(books);
  return await makeNext(books, () => now);
}

async function pay(vendor: number, fee: number, result: 'paid' | 'failed'): Promise<void> {
  const vendorId = vendors[vendor] ?? 0;
  const made: NewPayment = newPayment({ vendorId, amountCents: 1_000n, ...FEES[fee] });
  await createInstructed(books.pool, [made]);
  await settlePayments(books.pool, [result === 'paid' ? paidReport(made) : failedReport(made)]);
}

let documents = 0;
async function book(debit: string, credit: string, cents: bigint, daysAgo: number): Promise<void> {
  documents += 1;
  const { proposalId } = await proposeJournal(books, {
    lines: [
      { account: debit, side: 'debit', amountCents: cents },
      { account: credit, side: 'credit', amountCents: cents },
    ],
    ...{ reference: `DOC${documents}`, note: 'as agreed', evidence: 'mail', by: 'Asha' },
    movedAt: new Date(Date.now() - daysAgo * DAY_MS - 1_000),
  });
  await approveSeen(books, proposalId);
}

async function topUp(cents: bigint): Promise<void> {
  documents += 1;
  await bookEntry(books, {
    ...{ operatorCode: OPERATOR, kind: 'top_up', amountCents: cents, bank: 'bank', by: 'Asha' },
    ...{ reference: `TOP${documents}`, note: 'by hand', movedAt: new Date(Date.now() - 60_000) },
  });
}

const faults = async (): Promise<readonly string[]> =>
  await SUMMARIES_CHECKED.find(books.pool, books.ledgerMac);

/** Every journal as hledger reads it, oldest first. */
async function exported(): Promise<string> {
  const all = await listSummaries(books.pool, { state: 'all', after: undefined, limit: 1_000 });
  const files: string[] = [];
  for (const { number } of all.toReversed()) {
    const found = await readSummary(books.pool, number, books.wireTime);
    if (found === undefined) throw new Error(`no journal ${number}`);
    files.push(await text(summaryFile(found, 'hledger').body));
  }
  return files.join('\n');
}

/** The balance of each account before a day, from the text alone; every transaction must balance. */
function readJournal(journal: string, before: string): Map<string, bigint> {
  const balances = new Map<string, bigint>();
  for (const block of journal.split(/\n\n|\n(?=;)/)) {
    const [head = '', ...postings] = block.split('\n').filter((row) => /^[\d ]/.test(row));
    let left = 0n;
    for (const posting of postings) {
      const [, account = '', amount = ''] =
        /^ {4}(.+?) {2}KES (-?\d+\.\d\d) {2};/.exec(posting) ?? [];
      const cents = amount.startsWith('-') ? -parseMoney(amount.slice(1)) : parseMoney(amount);
      left += cents;
      if (head < before) balances.set(account, (balances.get(account) ?? 0n) + cents);
    }
    expect(left).toBe(0n);
  }
  return withoutZeros(balances);
}

const withoutZeros = (balances: Iterable<[string, bigint]>): Map<string, bigint> =>
  new Map([...balances].filter(([, cents]) => cents !== 0n).toSorted(byName));
const byName = ([one]: [string, bigint], [other]: [string, bigint]): number =>
  one < other ? -1 : 1;

/** Debits less credits of the trial balance, under the names that the export gives accounts without a code. */
function asExported({ lines }: TrialBalance): Map<string, bigint> {
  const prefixes: Readonly<Record<string, string>> = {
    ...{ asset: 'assets', liability: 'liabilities', equity: 'equity' },
    ...{ income: 'revenues', expense: 'expenses' },
  };
  return withoutZeros(
    lines.map((line): [string, bigint] => [
      `${prefixes[line.class]}:${line.account}`,
      line.debitCents - line.creditCents,
    ]),
  );
}

const until = async (to: Date): Promise<TrialBalance> =>
  await readTrialBalance(books.pool, { from: new Date(0), to });

describe.sequential('summary journals', () => {
  test('nothing is made before somebody has said how', async () => {
    expect(await make()).toBeUndefined();
  });

  test('a month of random payments, journals and late items is exported once, and adds up to the trial balance', async () => {
    await setTerms();
    const command = fc.oneof(
      fc.record({
        kind: fc.constant('pay' as const),
        vendor: fc.nat(2),
        fee: fc.nat(2),
        result: fc.constantFrom<'paid' | 'failed'>('paid', 'failed'),
      }),
      fc.record({
        kind: fc.constant('book' as const),
        sides: fc.constantFrom(
          ['expense:hosting', 'bank:bank'],
          ['bank:bank', 'equity:capital'],
          ['asset:withheld-tax', 'income:interest'],
          ['vat-paid', 'bank:bank'],
        ),
        cents: fc.integer({ min: 1, max: 100_000 }),
        daysAgo: fc.constantFrom(0, 1, 40),
      }),
      fc.record({
        kind: fc.constant('top up' as const),
        cents: fc.integer({ min: 1, max: 9_999 }),
      }),
      fc.record({ kind: fc.constant('make' as const) }),
    );
    const [commands = []] = fc.sample(fc.array(command, { minLength: 20, maxLength: 30 }), 1);
    for (const each of commands) {
      if (each.kind === 'pay') await pay(each.vendor, each.fee, each.result);
      if (each.kind === 'make') await make();
      if (each.kind === 'top up') await topUp(BigInt(each.cents));
      if (each.kind !== 'book') continue;
      const [debit = '', credit = ''] = each.sides;
      await book(debit, credit, BigInt(each.cents), each.daysAgo);
    }
    await pay(0, 2, 'paid');
    await book('bank:bank', 'equity:capital', 500n, 40);
    await make();
    expect(await make()).toBeUndefined();
    expect(await faults()).toEqual([]);
    const now = await databaseTime(books);
    const journal = await exported();
    expect(readJournal(journal, '9')).toEqual(asExported(await until(now)));
    const today = books.wireTime.format(now).slice(0, 10);
    const [year = '', month = '', day = ''] = today.split('-');
    const midnight = new Date(`${year}-${month}-${day}T00:00:00+03:00`);
    expect(readJournal(journal, today)).toEqual(asExported(await until(midnight)));
  });

  test.skipIf(!isInstalled('hledger'))(
    'hledger computes the same trial balance, profit and balance sheet from the exported journals',
    async () => {
      const file = path.join(folder, 'all.journal');
      await writeFile(file, await exported());
      const now = await databaseTime(books);
      const balances = withoutZeros(
        hledger(file, ['balance', '--flat', '--no-total']).map(([account, cents]) => [
          account,
          cents,
        ]),
      );
      expect(balances).toEqual(asExported(await until(now)));
      const period = { from: new Date(0), to: now };
      const { totalCents } = await reportProfit(books.pool, period);
      expect(new Map(hledger(file, ['incomestatement'])).get('Net:')).toBe(totalCents);
      const sheet = await reportBalanceSheet(books.pool, period);
      const ofHledger = hledger(file, ['balancesheetequity']);
      const totals = ofHledger.filter(([name]) => name === 'total').map(([, cents]) => cents);
      const { assets, liabilities, equity } = sheet;
      expect(totals).toEqual([assets, liabilities, equity].map(({ closingCents }) => closingCents));
      expect(new Map(ofHledger).get('Net:')).toBe(sheet.profit.closingCents);
      expect(sheet.isEven).toBe(true);
    },
  );

  test('what was posted for an earlier day is in the next journal, with its own date and marked', async () => {
    await book('expense:hosting', 'bank:bank', 700n, 40);
    const number = await make();
    const found = await readSummary(books.pool, number ?? 0, books.wireTime);
    expect(
      found?.lines.map(({ account, isLate, debitCents }) => [account, isLate, debitCents]),
    ).toEqual([
      ['bank:bank', true, 0n],
      ['expense:hosting', true, 700n],
    ]);
    const day = books.wireTime.format(new Date(Date.now() - 40 * DAY_MS - 1_000)).slice(0, 10);
    expect(found?.lines[0]?.day).toBe(day);
  });

  test('a journal is marked once, and its files keep the codes that they had then', async () => {
    const [last] = await listSummaries(books.pool, {
      state: 'waiting',
      after: undefined,
      limit: 1,
    });
    const number = last?.number ?? 0;
    await insertCode(books.pool, { account: 'bank', code: '1000', setBy: 'Asha' });
    await insertCode(books.pool, { account: 'expense:hosting', code: '6100', setBy: 'Asha' });
    const file = async (): Promise<string> => {
      const found = await readSummary(books.pool, number, books.wireTime);
      if (found === undefined) throw new Error('no journal');
      return await text(summaryFile(found, 'quickbooks').body);
    };
    const before = await file();
    expect(before).toContain(',1000,bank:bank prior period,,7.00');
    await markExported(books, number, { reference: 'JE-9', by: 'Asha' });
    const again = await markExported(books, number, { reference: 'JE-9', by: 'Baraka' });
    expect(again).toMatchObject({ reference: 'JE-9', exportedBy: 'Asha' });
    await expect(markExported(books, number, { reference: 'JE-10', by: 'Asha' })).rejects.toThrow(
      'It was exported as JE-9.',
    );
    await insertCode(books.pool, { account: 'bank', code: '1001', setBy: 'Asha' });
    await insertCode(books.pool, { account: 'expense:hosting', code: null, setBy: 'Asha' });
    expect(await file()).toBe(before);
    const filter = { state: 'exported', after: undefined, limit: 10 } as const;
    expect(await listSummaries(books.pool, filter)).toMatchObject([{ number }]);
  });

  test('ledger check finds an altered line, an altered export and a posting that is in no journal', async () => {
    expect((await checkLedger(books.pool)).violations).toEqual([]);
    await books.owner.query(
      `update summary_lines set debit_cents = debit_cents + 1, credit_cents = credit_cents + 1
       where number = 1 and line = 1`,
    );
    expect(await faults()).toEqual(['SJ-000001 was altered']);
    await books.owner.query(
      `update summary_lines set debit_cents = debit_cents - 1, credit_cents = credit_cents - 1
       where number = 1 and line = 1`,
    );
    await books.owner.query(`update summary_exports set reference = 'JE-11'`);
    expect(await faults()).toEqual([expect.stringMatching(/^the export of SJ-\d{6} was altered$/)]);
    await books.owner.query(`update summary_exports set reference = 'JE-9'`);
    await books.owner.query(
      `update house_transfers set amount_cents = amount_cents + 7
       where transfer_id = (select transfer_id from house_transfers where source = 'journal'
         order by posted_at desc limit 1)`,
    );
    expect(await faults()).toEqual([
      expect.stringMatching(/^summary journals have -?[\d.]+ of bank:bank, the books/),
      expect.stringMatching(/^summary journals have -?[\d.]+ of expense:hosting, the books/),
    ]);
  });
});

test('a day and a month end when they do in the time zone of the service', () => {
  const wireTime = createWireTime('Africa/Nairobi');
  const time = new Date('2026-11-30T20:59:59Z');
  const end = new Date('2026-11-30T21:00:00Z');
  expect(unitEnd(time, { per: 'day', wireTime })).toEqual(end);
  expect(unitEnd(time, { per: 'month', wireTime })).toEqual(end);
  const day = unitEnd(new Date('2026-10-31T21:00:00Z'), { per: 'day', wireTime });
  expect(day).toEqual(new Date('2026-11-01T21:00:00Z'));
});

/** Rows of a report: a name and an amount. */
function hledger(file: string, report: readonly string[]): [name: string, cents: bigint][] {
  const args = ['-f', file, ...report, '--output-format', 'csv'];
  const rows = execFileSync('hledger', args, { encoding: 'utf8' }).trim().split('\n');
  return rows.flatMap((row): [string, bigint][] => {
    const [, name = '', amount = ''] = /^"(.*)","(?:KES )?(-?[\d.]+)"$/.exec(row) ?? [];
    if (name === '') return [];
    const cents = parseMoney(amount.replace('-', ''));
    return [[name, amount.startsWith('-') ? -cents : cents]];
  });
}
