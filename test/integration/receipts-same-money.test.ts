import path from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertCollector } from '../../src/parties/store.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { addAccount, requireSource, setSource } from '../../src/payments/receipts/administer.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import { approveForReceipt, proposeForReceipt } from '../support/receipt-decisions.ts';
import { proposeReturn } from '../../src/payments/payouts/payouts.ts';
import { requireNoReceipt } from '../../src/payments/receipts/identify.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { importBankStatement } from '../support/import-statements.ts';
import type { Imported } from '../../src/payments/receipts/statements/import.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { approveSeen, named, payOut, proposedPayout } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// The same money under several names: no pair of sources credits it twice, and where it may be the same,
// people decide. Every test ends with what the vendors have.

const DATA = path.resolve(import.meta.dirname, '../data/bank-statements');
const NONE = {
  ...{ credited: 0, repeated: 0, waiting: 0, conflicts: 0 },
  ...{ reversed: 0, debits: 0, no_payments: 0, pending: 0, unknown_returns: 0 },
};
/** The statement of a pay bill, read as that of a bank. */
const ORGANISATION = {
  format: 'csv',
  columns: {
    ...{ time: 'Completion Time', reference: 'Receipt No.', text: 'Details' },
    ...{ credit: 'Paid In', debit: 'Withdrawn', status: 'Transaction Status' },
  },
  booked_status: ['Completed'],
  date_format: 'DD-MM-YYYY',
  account_pattern: String.raw`Acc\. (\S+)`,
};
const BANK = {
  format: 'csv',
  columns: {
    ...{ time: 'Date', text: 'Narrative', reference: 'Reference' },
    ...{ credit: 'Money In', debit: 'Money Out' },
  },
  date_format: 'DD/MM/YYYY',
  account_pattern: 'ACC ([A-Z0-9-]+)',
};

let books: Books;
let folder: string;
beforeAll(async () => {
  books = await openBooks();
  folder = await makeTemporaryFolder();
  await insertCollector(books.pool, {
    ...{ collector: 'shop-system', name: 'Shop', scope: 'all', createdAt: new Date() },
  });
});
afterAll(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
  await books.close();
  await removeFolder(folder);
});

function deps() {
  return { pool: books.pool, ledgerMac: books.ledgerMac, log: pino({ level: 'silent' }) };
}

let worlds = 0;

/** A vendor with the account 100200 at each of the sources; another one has the account 100. */
async function newWorld(sources: Readonly<Record<string, object>>) {
  worlds += 1;
  const world = worlds;
  const [vendorId, otherId] = [await books.addVendor(), await books.addVendor()];
  const { pool } = books;
  const codeOf = (name: string) => `${name}_${world}`;
  for (const [name, settings] of Object.entries(sources)) {
    const sourceCode = codeOf(name);
    const bank = { name, kind: 'statement' as const, collector: COLLECTOR };
    await setSource(pool, sourceCode, { ...bank, settings: { ...settings } });
    const added = { sourceCode, by: 'Asha' };
    await addAccount(books, { ...added, account: '100200', vid: `vendor-${vendorId}` });
    await addAccount(books, { ...added, account: '100', vid: `vendor-${otherId}` });
  }
  let files = 0;
  const take = async (name: string, content: string, lines: number[] = []): Promise<Imported> => {
    files += 1;
    const file = path.join(folder, `${world}-${files}.txt`);
    // Numbers of receipts are unique in the database of all tests.
    await writeFile(file, content.replaceAll(/\b(UKR\d)A/g, `$1${world}`));
    const by = { file, wireTime: books.wireTime, acceptedLines: new Set(lines) };
    return await importBankStatement(deps(), await requireSource(pool, codeOf(name)), by);
  };
  const number = (receipt: string) => receipt.replace(/^(UKR\d)A/, `$1${world}`);
  const report = (name: string, given: Partial<ReceiptReport> = {}): ReceiptReport => ({
    ...{ issuer: 'mpesa', sourceCode: codeOf(name), collector: COLLECTOR, channel: 'confirmation' },
    ...{ amountCents: 150_000n, account: '100200', payer: null },
    paidAt: new Date('2026-11-27T14:05:11+03:00'),
    ...given,
    receipt: number(given.receipt ?? 'UKR1AAAA01'),
  });
  const collected = async () =>
    await Promise.all(
      [vendorId, otherId].map(async (id) => (await books.balances(id))['collected']),
    );
  const receipt = async (name: string, issuer: string) =>
    await requireReceipt(pool, { receipt: number(name), issuer });
  return { vendorId, vid: `vendor-${vendorId}`, take, report, collected, receipt, codeOf };
}

async function sample(name: string): Promise<string> {
  return await readFile(path.join(DATA, name), 'utf8');
}

describe('the statement of a pay bill', () => {
  test('a statement is refused while the settings do not name its column of states', async () => {
    const { status: _status, ...columns } = ORGANISATION.columns;
    const { booked_status: _booked, ...settings } = ORGANISATION;
    const world = await newWorld({ bank: { ...settings, columns } });
    const statement = await sample('mpesa-organisation-statement.csv');
    await expect(world.take('bank', statement)).rejects.toThrow(
      'the column Transaction Status says whether the money moved',
    );
    // A title that says nothing, and values that do.
    const untitled = statement.replace('Transaction Status', 'Remarks');
    await expect(world.take('bank', untitled)).rejects.toThrow('the column Remarks');
    const swahili = untitled.replace('Remarks', 'Maelezo').replaceAll('Failed', 'Imeshindwa');
    await expect(world.take('bank', swahili)).rejects.toThrow('the column Maelezo');
    expect(await world.collected()).toEqual([0n, 0n]);
  });

  test('credits what no confirmation credited, and nothing that failed', async () => {
    const world = await newWorld({ paybill: BANK, organisation: ORGANISATION });
    expect(await takeReport(deps(), world.report('paybill'))).toBe('credited');
    const statement = await sample('mpesa-organisation-statement.csv');
    const first = { credited: 1, repeated: 1, debits: 1, pending: 1 };
    expect(await world.take('organisation', statement)).toEqual({ ...NONE, ...first });
    expect(await world.collected()).toEqual([350_000n, 0n]);
    // The confirmations that come after it change nothing.
    const late = {
      ...{ receipt: 'UKR2AAAA02', amountCents: 200_000n },
      paidAt: new Date('2026-11-27T16:05:11+03:00'),
    };
    expect(await takeReport(deps(), world.report('paybill', late))).toBe('repeated');
    const again = { repeated: 2, debits: 1, pending: 1 };
    expect(await world.take('organisation', statement)).toEqual({ ...NONE, ...again });
    expect(await world.collected()).toEqual([350_000n, 0n]);
  });

  test('does not credit again what is known without a vendor; two people do', async () => {
    const world = await newWorld({ paybill: BANK, organisation: ORGANISATION });
    const mistyped = world.report('paybill', { account: '100299' });
    expect(await takeReport(deps(), mistyped)).toBe('unmatched');
    const statement = await sample('mpesa-organisation-statement.csv');
    const first = { credited: 1, waiting: 1, debits: 1, pending: 1 };
    expect(await world.take('organisation', statement)).toEqual({ ...NONE, ...first });
    const held = await world.receipt('UKR1AAAA01', world.codeOf('organisation'));
    expect(held).toMatchObject({
      state: 'unmatched',
      doubt: { reason: 'same_number', others: [`mpesa ${held.receipt}`] },
    });
    expect(await world.collected()).toEqual([200_000n, 0n]);
    const name = { receipt: held.receipt, issuer: 'mpesa' };
    const { vid } = world;
    await proposeForReceipt(deps(), { ...name, vid, by: 'Asha', note: 'a slip' });
    await approveForReceipt(deps(), { ...name, by: 'Baraka' });
    expect(await world.collected()).toEqual([350_000n, 0n]);
  });

  test('a statement and its confirmation at the same moment credit once', async () => {
    const world = await newWorld({ paybill: BANK, organisation: ORGANISATION });
    const reports = Array.from({ length: 12 }, (_, index) =>
      world.report(index % 2 === 0 ? 'paybill' : 'organisation', {
        ...(index % 2 === 1 && { issuer: world.codeOf('organisation'), channel: 'statement' }),
      }),
    );
    await Promise.all(reports.map(async (report) => await takeReport(deps(), report)));
    expect(await world.collected()).toEqual([150_000n, 0n]);
  });
});

describe('a payout that the bank returned', () => {
  const returned = (reference: string, text: string) => {
    // Times of proposals are the database's.
    const [year, month, day] = books.wireTime.format(new Date()).slice(0, 10).split('-');
    return `Date,Narrative,Reference,Money In,Money Out\n${day}/${month}/${year},${text},${reference},20000.00,\n`;
  };
  const collectFor = async (vendorId: number, amountCents: bigint) => {
    const income = { collector: COLLECTOR, reference: `before the payout of ${vendorId}` };
    await collect(books, { ...income, vendorId, amountCents, paidAt: new Date() });
  };

  test('a payout that came back is not credited to the vendor that has its money already', async () => {
    const world = await newWorld({ bank: BANK });
    const { vendorId, vid } = world;
    await collectFor(vendorId, 2_000_000n);
    const payoutId = await proposedPayout(books, { vendorId, vid, amountCents: 2_000_000n });
    await approveSeen(books, payoutId);
    const proposals = quietProposals(books);
    const asked = { payoutId, note: 'the account is closed', by: named('Baraka') };
    const { proposalId } = await proposeReturn(proposals, asked);
    await approveSeen(books, proposalId, named('Asha'));
    await world.take('bank', returned('FT2633309', 'RETURN PAYOUT ACC 100200'));
    expect(await world.collected()).toEqual([2_000_000n, 0n]);
    const { doubt } = await world.receipt('FT2633309', world.codeOf('bank'));
    expect(doubt).toEqual({ reason: 'payout', others: [payoutId] });
  });

  test('a credit that names the reference of a payout goes to people, whatever its amount', async () => {
    const world = await newWorld({ bank: BANK });
    const { vendorId } = world;
    await collectFor(vendorId, 2_001_000n);
    await payOut(books, { vendorId, amountCents: 2_001_000n }, 'FT26/33-201');
    await world.take('bank', returned('FT2633310', 'RETURN FT2633201 ACC 100200'));
    expect(await world.collected()).toEqual([0n, 0n]);
    const { doubt } = await world.receipt('FT2633310', world.codeOf('bank'));
    expect(doubt).toMatchObject({ reason: 'payout' });
  });
});

describe('money under another number', () => {
  const alike = (name: string, minutes: number, given: Partial<ReceiptReport> = {}) => ({
    ...{ issuer: name, receipt: `FT26331${name.toUpperCase()}` },
    paidAt: new Date(Date.parse('2026-11-27T14:05:11+03:00') + minutes * 60_000),
    ...given,
  });

  test('waits for people if amount, account and time are those of another source', async () => {
    const world = await newWorld({ paybill: BANK, bank: BANK });
    expect(await takeReport(deps(), world.report('paybill'))).toBe('credited');
    const near = world.report('bank', alike(world.codeOf('bank'), 8));
    expect(await takeReport(deps(), near)).toBe('unmatched');
    expect(await takeReport(deps(), near)).toBe('repeated');
    const far = world.report('bank', alike(world.codeOf('bank'), 11, { receipt: 'FT26331FAR' }));
    expect(await takeReport(deps(), far)).toBe('credited');
    expect(await world.collected()).toEqual([300_000n, 0n]);
  });

  test('counts once if both sources report it at the same moment', async () => {
    const world = await newWorld({ paybill: BANK, bank: BANK });
    const taken = await Promise.all([
      takeReport(deps(), world.report('paybill')),
      takeReport(deps(), world.report('bank', alike(world.codeOf('bank'), 1))),
    ]);
    expect(taken.toSorted()).toEqual(['credited', 'unmatched']);
    expect(await world.collected()).toEqual([150_000n, 0n]);
  });

  test('money under another number is other money if the source has listed the first under its own number', async () => {
    const world = await newWorld({ paybill: BANK, organisation: ORGANISATION });
    expect(await takeReport(deps(), world.report('paybill'))).toBe('credited');
    // Newest first; the confirmation of the second was lost.
    const row = (receipt: string, time: string) =>
      `${receipt},27-11-2026 ${time},Pay Bill Acc. 100200,Completed,"1,500.00",`;
    const statement = [
      'Receipt No.,Completion Time,Details,Transaction Status,Paid In,Withdrawn',
      row('UKR2AAAA02', '14:06:00'),
      row('UKR1AAAA01', '14:05:11'),
    ].join('\n');
    const first = { credited: 1, repeated: 1 };
    expect(await world.take('organisation', statement)).toEqual({ ...NONE, ...first });
    expect(await world.collected()).toEqual([300_000n, 0n]);
  });
});

describe('money under another number in a list that has days only', () => {
  const mt940 = (...entries: readonly (readonly [reference: string, text: string])[]) => {
    const cents = (count: number) => `${1_500 * count},00`;
    return [
      ...[':20:STMT1', ':25:0110000000001', ':28C:1/1', ':60F:C261126KES0,00'],
      ...entries.flatMap(([reference, text]) => [
        `:61:2611271127C1500,00NTRFNONREF//${reference}`,
        `:86:${text} ACC 100200`,
      ]),
      ...[`:62F:C261127KES${cents(entries.length)}`, '-', ''],
    ].join('\n');
  };
  const csv = (...entries: readonly (readonly [reference: string, text: string])[]) =>
    [
      'Date,Narrative,Reference,Money In,Money Out',
      ...entries.map(([own, text]) => `27/11/2026,"${text} ACC 100200",${own},"1,500.00",`),
    ].join('\n');
  const MT940 = { format: 'mt940', account_pattern: 'ACC ([A-Z0-9-]+)' };

  test('waits for people if another list of the account has it, and one list keeps its equal lines', async () => {
    const world = await newWorld({ bank: BANK, again: MT940 });
    const names = ['Asha', 'Baraka'] as const;
    const first = csv(...names.map((name, index) => [`DAYONLY${index}`, name] as const));
    expect(await world.take('bank', first)).toEqual({ ...NONE, credited: 2 });
    const second = mt940(...names.map((name, index) => [`OTHER${index}`, `RENT ${name}`] as const));
    expect(await world.take('again', second)).toEqual({ ...NONE, waiting: 2 });
    expect(await world.take('again', second)).toEqual({ ...NONE, repeated: 2 });
    expect(await world.collected()).toEqual([300_000n, 0n]);
    const { doubt } = await world.receipt('OTHER0', world.codeOf('again'));
    expect(doubt).toEqual({
      reason: 'alike',
      others: ['DAYONLY0', 'DAYONLY1'].map((name) => `${world.codeOf('bank')} ${name}`),
    });
  });

  test('waits for people whether its confirmation comes before the statement or after it', async () => {
    const world = await newWorld({ paybill: BANK, bank: BANK });
    expect(await takeReport(deps(), world.report('paybill'))).toBe('credited');
    const line = csv([`LISTED${world.vendorId}`, 'RENT']);
    expect(await world.take('bank', line)).toEqual({ ...NONE, waiting: 1 });
    const other = await newWorld({ paybill: BANK, bank: BANK });
    const early = csv([`LISTED${other.vendorId}`, 'RENT']);
    expect(await other.take('bank', early)).toEqual({ ...NONE, credited: 1 });
    const night = { paidAt: new Date('2026-11-27T23:58:00+03:00') };
    expect(await takeReport(deps(), other.report('paybill', night))).toBe('unmatched');
    const before = { receipt: 'UKR2AAAA02', paidAt: new Date('2026-11-26T23:59:59+03:00') };
    expect(await takeReport(deps(), other.report('paybill', before))).toBe('credited');
    const after = { receipt: 'UKR3AAAA03', paidAt: new Date('2026-11-28T00:00:01+03:00') };
    expect(await takeReport(deps(), other.report('paybill', after))).toBe('credited');
    expect(await other.collected()).toEqual([450_000n, 0n]);
  });

  test('a payment made after the list was imported is other money', async () => {
    const world = await newWorld({ paybill: BANK, bank: BANK });
    const today = books.wireTime.format(new Date()).slice(0, 10);
    const [year = '', month = '', day = ''] = today.split('-');
    const line = csv([`TODAY${world.vendorId}`, 'RENT']).replace(
      '27/11/2026',
      `${day}/${month}/${year}`,
    );
    expect(await world.take('bank', line)).toEqual({ ...NONE, credited: 1 });
    const later = (minutes: number, receipt: string) =>
      world.report('paybill', { receipt, paidAt: new Date(Date.now() + minutes * 60_000) });
    // Unless the day ends before.
    const isToday = books.wireTime.format(new Date(Date.now() + 3_600_000)).startsWith(today);
    expect(await takeReport(deps(), later(60, 'UKR4AAAA04'))).toBe('credited');
    if (isToday) expect(await takeReport(deps(), later(0, 'UKR5AAAA05'))).toBe('unmatched');
  });

  test('is credited if the two name other telephones', async () => {
    const world = await newWorld({ paybill: BANK, bank: BANK });
    const payer = '2547 ***** 149 JOHN';
    expect(await takeReport(deps(), world.report('paybill', { payer }))).toBe('credited');
    const lines = csv(
      [`PHONE${world.vendorId}A`, 'RENT 0708374150'],
      [`PHONE${world.vendorId}B`, 'RENT +254708374149'],
    );
    expect(await world.take('bank', lines)).toEqual({ ...NONE, credited: 1, waiting: 1 });
  });

  test('is credited if the two sources are said to list other money', async () => {
    const world = await newWorld({ paybill: BANK, bank: BANK, other: MT940 });
    const setTo = async (name: string, settings: Record<string, unknown>) =>
      await setSource(books.pool, world.codeOf(name), { settings });
    await setTo('bank', { separate_from: [world.codeOf('paybill')] });
    expect(await takeReport(deps(), world.report('paybill'))).toBe('credited');
    const line = csv([`SEPARATE${world.vendorId}`, 'RENT']);
    expect(await world.take('bank', line)).toEqual({ ...NONE, credited: 1 });
    // It is symmetric, and nothing is said about the third one.
    const late = world.report('paybill', { receipt: 'UKR2AAAA02' });
    expect(await takeReport(deps(), late)).toBe('credited');
    const listed = mt940([`THIRD${world.vendorId}`, 'RENT']);
    expect(await world.take('other', listed)).toEqual({ ...NONE, waiting: 1 });
    await expect(setTo('bank', { separate_from: ['nowhere'] })).rejects.toThrow(
      'There is no source nowhere.',
    );
  });

  test('is credited if the two sources name other bank accounts', async () => {
    const world = await newWorld({ bank: MT940, other: MT940 });
    const setTo = async (name: string, account: string) =>
      await setSource(books.pool, world.codeOf(name), { settings: { bank_account: account } });
    const [own, others] = [`01100000${world.vendorId}`, `02200000${world.vendorId}`];
    await setTo('bank', own);
    await setTo('other', others);
    const listed = (account: string, reference: string) =>
      mt940([`${reference}${world.vendorId}`, 'RENT']).replace('0110000000001', account);
    expect(await world.take('bank', listed(own, 'MINE'))).toEqual({ ...NONE, credited: 1 });
    expect(await world.take('other', listed(others, 'OURS'))).toEqual({ ...NONE, credited: 1 });
  });
});

describe('income that a collector reports itself', () => {
  const income = (vendorId: number, reference: string) => ({
    ...{ collector: 'shop-system', reference, vendorId, amountCents: 150_000n },
    paidAt: new Date('2026-11-27T11:05:11Z'),
  });
  const collectOutside = async (vendorId: number, reference: string) => {
    const asked = income(vendorId, reference);
    return await collect(books, asked, async (client) => {
      await requireNoReceipt(client, asked);
    });
  };

  test('a collector’s own report is refused if a source has reported a receipt of its number and amount', async () => {
    const world = await newWorld({ paybill: BANK });
    const report = world.report('paybill');
    expect(await takeReport(deps(), report)).toBe('credited');
    const asked = collectOutside(world.vendorId, report.receipt);
    await expect(asked).rejects.toThrow('A receipt with this number and amount is known');
    expect(await world.collected()).toEqual([150_000n, 0n]);
  });

  test('keeps a receipt of its number and amount from being credited', async () => {
    const world = await newWorld({ paybill: BANK });
    const report = world.report('paybill');
    const first = await collectOutside(world.vendorId, report.receipt);
    expect(await takeReport(deps(), report)).toBe('unmatched');
    expect(await world.receipt('UKR1AAAA01', 'mpesa')).toMatchObject({
      doubt: { reason: 'collected', others: [`shop-system ${report.receipt}`] },
    });
    // A repeat gets the first answer.
    const repeat = await collectOutside(world.vendorId, report.receipt);
    expect(repeat).toEqual({ ...first, fresh: false });
    expect(await world.collected()).toEqual([150_000n, 0n]);
  });

  test.each([
    ['in lower case', (receipt: string) => receipt.toLowerCase()],
    ['with a dash', (receipt: string) => receipt.replace('UKR', 'UKR-')],
  ])('does not count twice if one of them writes the number %s', async (_name, spelt) => {
    const world = await newWorld({ paybill: BANK });
    const first = world.report('paybill');
    expect(await takeReport(deps(), first)).toBe('credited');
    const asked = collectOutside(world.vendorId, spelt(first.receipt));
    await expect(asked).rejects.toThrow('A receipt with this number and amount is known');
    // The other way round, people decide.
    const second = world.report('paybill', { receipt: 'UKR2AAAA02' });
    await collectOutside(world.vendorId, spelt(second.receipt));
    expect(await takeReport(deps(), second)).toBe('unmatched');
    expect(await world.collected()).toEqual([300_000n, 0n]);
  });

  test('a collector’s report and its receipt at the same moment credit once', async () => {
    const world = await newWorld({ paybill: BANK });
    const report = world.report('paybill');
    await Promise.allSettled([
      takeReport(deps(), report),
      collectOutside(world.vendorId, report.receipt),
      takeReport(deps(), report),
      collectOutside(world.vendorId, report.receipt),
    ]);
    expect(await world.collected()).toEqual([150_000n, 0n]);
  });
});

describe('a text that the bank broke into lines', () => {
  test('waits for people if it names two accounts, and both are shown', async () => {
    const world = await newWorld({
      bank: { ...BANK_MT940, account_pattern: String.raw`ACC (\S+)` },
    });
    const statement = await sample('mt940-purpose-wrapped-inside-account.sta');
    expect(await world.take('bank', statement)).toEqual({ ...NONE, waiting: 1 });
    const held = await world.receipt('FT26331AAA1', world.codeOf('bank'));
    expect(held).toMatchObject({
      state: 'unmatched',
      doubt: { reason: 'line_wrap', others: ['100', '100200'] },
    });
    expect(await world.collected()).toEqual([0n, 0n]);
  });

  test('a receipt is credited if what follows the account in a broken text is another word', async () => {
    const world = await newWorld({
      bank: { ...BANK_MT940, account_pattern: String.raw`ACC (\S+)\s` },
    });
    const statement = await sample('mt940-purpose-wrapped-inside-account.sta');
    const words = statement
      .replace('ACC 100\n200 THANKS', 'ACC 100\nTHANKS')
      .replace('AAA1', 'WORD1');
    expect(await world.take('bank', words)).toEqual({ ...NONE, credited: 1 });
    expect(await world.collected()).toEqual([0n, 250_000n]);
  });
});

describe('a text that the bank cut off', () => {
  let lines = 0;
  const statement = (narrative: string): string => {
    lines += 1;
    return `Date,Narrative,Reference,Money In,Money Out\n27/11/2026,${narrative},BCUT00${lines},700.00,\n`;
  };

  test.each([
    ['the text ends with it', 'PAYMENT OF EXAMPLE TRADERS ACC 100'],
    ['the bank puts another field behind it', 'ACC 100 JANE DOE'],
    ['small letters name it', 'acc 100'],
  ])('waits for people if its account begins another vendor’s: %s', async (_where, narrative) => {
    const world = await newWorld({ bank: BANK });
    expect(await world.take('bank', statement(narrative))).toEqual({ ...NONE, waiting: 1 });
    expect(await world.receipt(`BCUT00${lines}`, world.codeOf('bank'))).toMatchObject({
      state: 'unmatched',
      doubt: { reason: 'part', others: ['100', '100200'] },
    });
    expect(await world.collected()).toEqual([0n, 0n]);
    const whole = statement('ACC 100200 JANE');
    expect(await world.take('bank', whole)).toEqual({ ...NONE, credited: 1 });
  });

  test('waits for people if a spreadsheet may have removed the zeros before its account', async () => {
    const world = await newWorld({ bank: { ...BANK, account_pattern: String.raw`^(\d+)$` } });
    const zeros = { sourceCode: world.codeOf('bank'), account: '00100200', by: 'Asha' };
    await addAccount(books, { ...zeros, vid: `vendor-${await books.addVendor()}` });
    expect(await world.take('bank', statement('100200'))).toEqual({ ...NONE, waiting: 1 });
    expect(await world.collected()).toEqual([0n, 0n]);
  });

  test.each([
    ['the pattern asks for what ends it', String.raw`ACC (\d+)[ ;]`, 'ACC 100 JANE', 1],
    ['another one ends where it goes on', String.raw`ACC (\d{3}).*`, 'ACC 100200 JANE', 0],
    ['its end is missing', String.raw`ACC (\d+)[ ;]`, 'ACC 100', 0],
  ])('is credited only if its account is whole: %s', async (_how, pattern, narrative, credited) => {
    const world = await newWorld({ bank: { ...BANK, account_pattern: pattern } });
    const waiting = 1 - credited;
    expect(await world.take('bank', statement(narrative))).toEqual({ ...NONE, credited, waiting });
    expect(await world.collected()).toEqual([0n, BigInt(credited) * 70_000n]);
  });
});

const BANK_MT940 = { format: 'mt940' };

test('a payer’s text that looks like movements holds the file until people have compared it', async () => {
  const world = await newWorld({ bank: { ...BANK_MT940, account_pattern: String.raw`ACC (\d+)` } });
  const statement = await sample('mt940-movement-in-text.sta');
  await expect(world.take('bank', statement)).rejects.toThrow(
    /line 7: field 61 follows a full line of text.*--accept-line 7/,
  );
  expect(await world.collected()).toEqual([0n, 0n]);
  // With another line, it still waits.
  await expect(world.take('bank', statement, [5])).rejects.toThrow('line 7');
  const accepted = { credited: 2, debits: 1 };
  expect(await world.take('bank', statement, [7])).toEqual({ ...NONE, ...accepted });
});

describe('references that differ in where the slash is', () => {
  test('references that differ in where the slash is are two receipts, and both are credited', async () => {
    const world = await newWorld({ bank: BANK });
    for (const file of [1, 2]) {
      const statement = await sample(`csv-references-that-differ-in-slash-${file}.csv`);
      expect(await world.take('bank', statement)).toEqual({ ...NONE, credited: 1 });
      expect(await world.take('bank', statement)).toEqual({ ...NONE, repeated: 1 });
    }
    expect(await world.collected()).toEqual([140_000n, 0n]);
  });

  test('wait for people if only the case differs and one may be what a charge left', async () => {
    const world = await newWorld({ bank: BANK });
    const gross = await sample('csv-references-that-differ-in-slash-1.csv');
    const before = gross.replace('12/3456', 'FTCASE77');
    expect(await world.take('bank', before)).toEqual({ ...NONE, credited: 1 });
    const net = gross.replace('12/3456', 'ftcase77').replace('700.00', '665.00');
    expect(await world.take('bank', net)).toEqual({ ...NONE, waiting: 1 });
    expect(await world.collected()).toEqual([70_000n, 0n]);
  });

  test.each(['FT-RETURN%n', 'FTRETURN%n'])(
    'a credit and a return under %s are one receipt',
    async (spelt) => {
      const world = await newWorld({ bank: BANK });
      const credit = async (number: string) =>
        (await sample('csv-references-that-differ-in-slash-1.csv')).replace('12/3456', number);
      const debit = async (number: string) =>
        (await credit(number)).replace(/700\.00,?/, ',700.00');
      const name = (index: number) => `ft-return${world.vendorId}x${index}`;
      const other = (index: number) => spelt.replace('%n', `${world.vendorId}x${index}`);
      expect(await world.take('bank', await credit(name(1)))).toEqual({ ...NONE, credited: 1 });
      expect(await world.take('bank', await debit(other(1)))).toEqual({ ...NONE, reversed: 1 });
      // The return may be listed first: then nothing is credited.
      expect(await world.take('bank', await debit(other(2)))).toEqual({ ...NONE, debits: 1 });
      expect(await world.take('bank', await credit(name(2)))).toEqual({ ...NONE, reversed: 1 });
      expect(await world.collected()).toEqual([70_000n, 0n]);
    },
  );

  test('wait for people if one of them has none', async () => {
    const world = await newWorld({ bank: BANK });
    const statement = (await sample('csv-references-that-differ-in-slash-1.csv')).replace(
      '12/3456',
      '98/7654',
    );
    expect(await world.take('bank', statement)).toEqual({ ...NONE, credited: 1 });
    const plain = statement.replace('98/7654', '987654');
    expect(await world.take('bank', plain)).toEqual({ ...NONE, waiting: 1 });
    expect(await world.collected()).toEqual([70_000n, 0n]);
  });
});

describe('M-PESA’s number in a bank’s narrative', () => {
  const PATTERN = { receipt_pattern: 'MPESA ([A-Z0-9]{10})' };
  let numbers = 0;
  const newNumber = (): string => {
    numbers += 1;
    return `UKS${String(numbers).padStart(7, '0')}`;
  };
  const confirmation = (
    world: Awaited<ReturnType<typeof newWorld>>,
    receipt: string,
    given: Partial<ReceiptReport> = {},
  ) => ({ ...world.report('paybill', given), receipt });
  const statement = (narrative: string, own: string, day = 27) =>
    [
      'Date,Narrative,Reference,Money In,Money Out',
      `${day}/11/2026,"${narrative} ACC 100200",${own},"1,500.00",`,
    ].join('\n');
  const lower = (receipt: string) => `mpesa ${receipt.toLowerCase()}`;
  const dashed = (receipt: string) => `MPESA ${receipt.slice(0, 3)}-${receipt.slice(3)}`;
  const spaced = (receipt: string) => `MPESA ${receipt.slice(0, 3)} ${receipt.slice(3)}`;
  const glued = (receipt: string) => `Paybill/${receipt.toLowerCase()}/254722`;

  test.each([
    ['in lower case', lower, PATTERN, 'repeated'],
    ['with a dash', dashed, PATTERN, 'waiting'],
    [
      'with a dash that the pattern allows',
      dashed,
      { receipt_pattern: 'MPESA ([A-Z0-9-]+)' },
      'repeated',
    ],
    ['with a blank', spaced, PATTERN, 'waiting'],
    ['where the pattern does not look', glued, PATTERN, 'waiting'],
    ['without any pattern', lower, {}, 'waiting'],
  ] as const)(
    'a number in a narrative is credited once if it is written %s',
    async (_name, write, settings, outcome) => {
      const world = await newWorld({ paybill: BANK, bank: { ...BANK, ...settings } });
      const first = newNumber();
      expect(await takeReport(deps(), confirmation(world, first))).toBe('credited');
      const line = statement(write(first), `B${first}`);
      expect(await world.take('bank', line)).toEqual({ ...NONE, [outcome]: 1 });
      // The other way round, the confirmation comes late.
      const second = newNumber();
      const early = statement(write(second), `B${second}`, 26);
      expect(await world.take('bank', early)).toEqual({ ...NONE, credited: 1 });
      const paidAt = new Date('2026-11-26T14:05:11+03:00');
      const late = await takeReport(deps(), confirmation(world, second, { paidAt }));
      expect(late).toBe(outcome === 'repeated' ? 'repeated' : 'unmatched');
      expect(await world.collected()).toEqual([300_000n, 0n]);
    },
  );

  test('a number in a narrative keeps a collector from crediting it again, and the other way round', async () => {
    const world = await newWorld({ bank: BANK });
    const [first, second] = [newNumber(), newNumber()];
    const paid = { amountCents: 150_000n, paidAt: new Date('2026-11-27T11:05:11Z') };
    const asked = { collector: 'shop-system', vendorId: world.vendorId, ...paid };
    const collectOutside = async (reference: string) =>
      await collect(books, { ...asked, reference }, async (client) => {
        await requireNoReceipt(client, { ...asked, reference });
      });
    expect(await world.take('bank', statement(glued(first), `B${first}`))).toMatchObject({
      credited: 1,
    });
    await expect(collectOutside(first)).rejects.toThrow('is known');
    await collectOutside(second);
    expect(await world.take('bank', statement(glued(second), `B${second}`))).toMatchObject({
      waiting: 1,
    });
    expect(await world.collected()).toEqual([300_000n, 0n]);
  });

  test('a word is no number, and a number with another amount is other money', async () => {
    const world = await newWorld({ paybill: BANK, bank: { ...BANK, ...PATTERN } });
    const first = newNumber();
    const payer = '2547 ***** 149 JOHN';
    expect(await takeReport(deps(), confirmation(world, first, { payer }))).toBe('credited');
    const lines = [
      'Date,Narrative,Reference,Money In,Money Out',
      ...['BWORDS01', 'BWORDS02'].map(
        (own) => `27/11/2026,"mpesa transaction 0708374150 ACC 100200",${own},"1,500.00",`,
      ),
      // A charge, or a part, is other money than the payment that its text names.
      `27/11/2026,"ref ${first.toLowerCase()} ACC 100200",BWORDS03,"15.00",`,
    ];
    expect(await world.take('bank', lines.join('\n'))).toEqual({ ...NONE, credited: 3 });
    expect(await world.collected()).toEqual([451_500n, 0n]);
  });
});

test('an account in lower case that another vendor has goes to people', async () => {
  const world = await newWorld({ bank: BANK });
  for (const account of ['100ABC', '7007']) {
    const added = { sourceCode: world.codeOf('bank'), account, by: 'Asha' };
    await addAccount(books, { ...added, vid: world.vid });
  }
  const line = (account: string, own: string) =>
    [
      'Date,Narrative,Reference,Money In,Money Out',
      `27/11/2026,"rent ${account}",${own},"1,500.00",`,
    ].join('\n');
  // In capitals alone it is the account 100 of another vendor.
  expect(await world.take('bank', line('ACC 100abc', 'BACCOUNT1'))).toEqual({
    ...NONE,
    waiting: 1,
  });
  expect(await world.take('bank', line('acc 100-abc', 'BACCOUNT2'))).toEqual({
    ...NONE,
    credited: 1,
  });
  expect(await world.take('bank', line('ACC 7007thanks', 'BACCOUNT3'))).toEqual({
    ...NONE,
    credited: 1,
  });
  expect(await world.collected()).toEqual([300_000n, 0n]);
});
