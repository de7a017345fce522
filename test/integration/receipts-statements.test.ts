import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addAccount, setSource, requireSource } from '../../src/payments/receipts/administer.ts';
import { importBankStatement } from '../support/import-statements.ts';
import type { Imported } from '../../src/payments/receipts/statements/import.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import { lockImports, unlockImports } from '../../src/payments/receipts/sources-store.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { takeReversal, takeUnlessDebited } from '../../src/payments/receipts/reverse.ts';
import { listReports } from '../../src/payments/receipts/read-receipts.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

let books: Books;
let folder: string;
beforeAll(async () => {
  books = await openBooks();
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await books.close();
  await removeFolder(folder);
});

const NONE = {
  ...{ credited: 0, repeated: 0, waiting: 0, conflicts: 0 },
  ...{ reversed: 0, debits: 0, no_payments: 0, pending: 0, unknown_returns: 0 },
};
const CSV = {
  format: 'csv',
  columns: { time: 'Date', amount: 'Amount', reference: 'Ref', text: 'Narrative' },
  account_pattern: 'ACC ([\\w-]+)',
  receipt_pattern: 'MPESA (\\w+)',
};
const wireTime = createWireTime('Africa/Nairobi');
let files = 0;

function deps() {
  return { pool: books.pool, ledgerMac: books.ledgerMac, log: pino({ level: 'silent' }) };
}

async function take(
  sourceCode: string,
  content: string | Buffer,
  pool: Pool = books.pool,
): Promise<Imported> {
  files += 1;
  const file = path.join(folder, `${files}.txt`);
  await writeFile(file, content);
  return await importBankStatement(
    { ...deps(), pool },
    await requireSource(books.pool, sourceCode),
    {
      file,
      wireTime,
    },
  );
}

/** A source of statements and a vendor with the account number 100200. */
async function addBank(sourceCode: string, settings: Record<string, unknown>): Promise<number> {
  const vendorId = await books.addVendor();
  const { pool } = books;
  await setSource(pool, sourceCode, {
    name: 'Bank',
    kind: 'statement',
    collector: COLLECTOR,
    settings,
  });
  await addAccount(books, { sourceCode, account: '100200', vid: `vendor-${vendorId}`, by: 'Asha' });
  return vendorId;
}

async function collected(vendorId: number): Promise<bigint | undefined> {
  return (await books.balances(vendorId))['collected'];
}

test('a CSV statement credits each line once, also when it is imported again or overlaps', async () => {
  const vendorId = await addBank('bank_csv', CSV);
  const first = 'Date,Amount,Ref,Narrative\n2026-01-05,"1,500.50",FT1060001,ACC 100-200 rent\n';
  const more = `${first}2026-01-06 10:00:00,20,FT1060002,ACC 100200\n2026-01-06,-7.00,FT1060003,charges\n`;
  const nobody = `${more}2026-01-07,5,FT1060004,a gift\n`;
  expect(await take('bank_csv', first)).toEqual({ ...NONE, credited: 1 });
  expect(await take('bank_csv', first)).toEqual({ ...NONE, repeated: 1 });
  expect(await take('bank_csv', nobody)).toEqual({
    ...NONE,
    repeated: 1,
    credited: 1,
    waiting: 1,
    debits: 1,
  });
  expect(await collected(vendorId)).toBe(152_050n);
  // The bank changes a line: nothing is credited, a case is open.
  expect(await take('bank_csv', first.replace('1,500.50', '9,500.50'))).toEqual({
    ...NONE,
    conflicts: 1,
  });
  // The bank returns one.
  const back = 'Date,Amount,Ref,Narrative\n2026-01-08,-20.00,FT1060002,sent\n';
  expect(await take('bank_csv', back)).toEqual({ ...NONE, reversed: 1 });
  expect(await collected(vendorId)).toBe(152_050n);
});

test('an M-PESA receipt is credited once, whether a confirmation or the bank reports it first', async () => {
  const vendorId = await addBank('bank_mpesa', CSV);
  const report = {
    issuer: 'mpesa',
    receipt: 'UA51999001',
    sourceCode: 'bank_mpesa',
    collector: COLLECTOR,
    channel: 'confirmation',
    amountCents: 50_000n,
    paidAt: new Date('2026-01-05T07:15:30Z'),
    account: '100200',
    payer: null,
  } as const;
  expect(await takeReport(deps(), report)).toBe('credited');
  const line = (receipt: string): string =>
    `Date,Amount,Ref,Narrative\n2026-01-05,500,B${receipt},MPESA ${receipt} ACC 100200\n`;
  expect(await take('bank_mpesa', line('UA51999001'))).toEqual({ ...NONE, repeated: 1 });
  expect(await take('bank_mpesa', line('UA51999002'))).toEqual({ ...NONE, credited: 1 });
  expect(await takeReport(deps(), { ...report, receipt: 'UA51999002' })).toBe('repeated');
  expect(await collected(vendorId)).toBe(100_000n);
});

test('a file with a line that cannot be read credits nothing', async () => {
  const vendorId = await addBank('bank_bad', CSV);
  const good = 'Date,Amount,Ref,Narrative\n2026-01-05,10,FT1260001,ACC 100200\n';
  for (const bad of ['2026-01-05,1e3,FT1260002,x', '2026-13-05,1,FT1260002,x', '2026-01-05,1,,x']) {
    await expect(take('bank_bad', `${good}${bad}\n`)).rejects.toThrow('line 3');
  }
  await expect(take('bank_bad', good.replace('Ref', 'Other'))).rejects.toThrow('no column Ref');
  expect(await collected(vendorId)).toBe(0n);
});

const SAMPLES = path.resolve(import.meta.dirname, '../../docs/guide/samples');

test.each([
  ['csv', 'csv', 0],
  ['mt940', 'sta', 0],
  ['camt053', 'xml', 1],
])('the guide’s %s sample is imported as the guide says', async (format, extension, pending) => {
  const settings = JSON.parse(
    await readFile(path.join(SAMPLES, `bank-${format}.json`), 'utf8'),
  ) as Record<string, unknown>;
  const own = `01100000000${format.length}9`;
  const bank =
    settings['bank_account'] === undefined ? settings : { ...settings, bank_account: own };
  const vendorId = await addBank(`sample_${format}`, bank);
  const sample = await readFile(path.join(SAMPLES, `bank-statement.${extension}`), 'utf8');
  // An M-PESA receipt counts once in all formats, so each bank has its own.
  const mpesa = `UA5200000${format.length}`;
  const content = sample
    .replaceAll('UA51000001', mpesa)
    .replaceAll('0110000000001', own)
    .replaceAll('FT26005', `FT9${format.length}005`);
  const first = { credited: 2, waiting: 1, debits: 1, reversed: 1, pending };
  expect(await take(`sample_${format}`, content)).toEqual({ ...NONE, ...first });
  expect(await collected(vendorId)).toBe(200_050n);
  expect(await requireReceipt(books.pool, { receipt: mpesa })).toMatchObject({ issuer: 'mpesa' });
  const again = { repeated: 4, debits: 1, pending };
  expect(await take(`sample_${format}`, content)).toEqual({ ...NONE, ...again });
  expect(await collected(vendorId)).toBe(200_050n);
});

test('a statement of another account, or one that was cut off, credits nothing', async () => {
  const sample = await readFile(path.join(SAMPLES, 'bank-statement.sta'), 'utf8');
  const vendorId = await addBank('bank_cut', {
    format: 'mt940',
    bank_account: '0110000000001',
    account_pattern: 'ACC (\\S+)',
  });
  const refusals = [
    [sample.replace(':25:0110000000001', ':25:0110000000002'), '0110000000002'],
    [sample.slice(0, sample.indexOf(':62F:')), 'field 62'],
    [sample.replace(/:61:.*FT26005002\n:86:.*\n/, ''), '1013.00'],
    [sample.replaceAll('KES', 'USD'), 'USD'],
  ];
  for (const [content = '', problem] of refusals) {
    await expect(take('bank_cut', content)).rejects.toThrow(problem);
  }
  expect(await collected(vendorId)).toBe(0n);
});

test('two credits with one reference are refused: the second would not be credited', async () => {
  const vendorId = await addBank('bank_twice', CSV);
  const row = '2026-01-05,10,FT-2600 01,ACC 100200\n';
  const content = `Date,Amount,Ref,Narrative\n${row}${row.replace('10', '11')}`;
  await expect(take('bank_twice', content)).rejects.toThrow('line 3: line 2 has the reference');
  expect(await collected(vendorId)).toBe(0n);
});

test('a charge under the reference of a payment is not its return', async () => {
  const vendorId = await addBank('bank_charge', CSV);
  const content =
    'Date,Amount,Ref,Narrative\n2026-01-05,100,FT1660009,ACC 100200\n2026-01-05,-7,FT1660009,charge\n';
  expect(await take('bank_charge', content)).toEqual({ ...NONE, credited: 1, debits: 1 });
  expect(await collected(vendorId)).toBe(10_000n);
});

test('a return that comes before its credit is kept, and the credit is not credited when it comes', async () => {
  const sample = await readFile(path.join(SAMPLES, 'bank-statement.sta'), 'utf8');
  await addBank('bank_return', { format: 'mt940' });
  const returned = 'RC1500,50NTRFNONREF//FT176009999';
  const unknown = sample.replace(/RC1500,50NTRFNONREF\/\/FT26005001/, returned);
  expect(await take('bank_return', unknown)).toMatchObject({ unknown_returns: 1, reversed: 0 });
  const name = { receipt: 'FT176009999', issuer: 'bank_return' };
  const kept = await requireReceipt(books.pool, name);
  expect(kept).toMatchObject({ state: 'unmatched', amountCents: 150_050n });
  expect(kept.reversedAt).not.toBeNull();
  const opened = await books.pool.query<{ kind: string }>(
    'select kind from cases where evidence_id = $1',
    [kept.receiptId],
  );
  expect(opened.rows).toEqual([{ kind: 'receipt_reversed' }]);
  expect(await take('bank_return', unknown)).toMatchObject({ unknown_returns: 0, reversed: 0 });

  const vendorId = await addBank('bank_return_later', { ...CSV, account_pattern: 'ACC (\\S+)' });
  await takeReversal(deps(), {
    ...{ issuer: 'bank_return_later', receipt: 'FT176008888', sourceCode: 'bank_return_later' },
    ...{ collector: COLLECTOR, channel: 'statement', account: null, payer: null },
    ...{ amountCents: 1_000n, paidAt: new Date('2026-01-06T00:00:00Z') },
  });
  const original = 'Date,Amount,Ref,Narrative\n2026-01-05,10,FT176008888,ACC 100200\n';
  expect(await take('bank_return_later', original)).toEqual({ ...NONE, reversed: 1 });
  expect(await take('bank_return_later', original)).toEqual({ ...NONE, repeated: 1 });
  expect(await collected(vendorId)).toBe(0n);
  const { receiptId, state } = await requireReceipt(books.pool, { receipt: 'FT176008888' });
  expect(state).toBe('unmatched');
  expect(await listReports(books.pool, receiptId)).toMatchObject([{ account: '100200' }]);
});

test('a plain debit that an earlier import listed keeps its credit from being credited', async () => {
  const vendorId = await addBank('bank_debit_first', CSV);
  const debit = 'Date,Amount,Ref,Narrative\n2026-01-06,-10,FT186006666,sent\n';
  const credit = 'Date,Amount,Ref,Narrative\n2026-01-05,10,FT186006666,ACC 100200\n';
  const other = 'Date,Amount,Ref,Narrative\n2026-01-05,11,FT186006667,ACC 100200\n';
  expect(await take('bank_debit_first', debit)).toEqual({ ...NONE, debits: 1 });
  expect(await take('bank_debit_first', debit)).toEqual({ ...NONE, debits: 1 });
  expect(await take('bank_debit_first', credit)).toEqual({ ...NONE, reversed: 1 });
  expect(await take('bank_debit_first', credit)).toEqual({ ...NONE, repeated: 1 });
  expect(await take('bank_debit_first', debit)).toEqual({ ...NONE, repeated: 1 });
  expect(await take('bank_debit_first', other)).toEqual({ ...NONE, credited: 1 });
  expect(await collected(vendorId)).toBe(1_100n);
  const { receiptId, state } = await requireReceipt(books.pool, { receipt: 'FT186006666' });
  expect(state).toBe('unmatched');
  const opened = await books.pool.query<{ kind: string }>(
    'select kind from cases where evidence_id = $1',
    [receiptId],
  );
  expect(opened.rows).toEqual([{ kind: 'receipt_reversed' }]);
});

test.each(['before', 'after'])(
  'people decide about a debit and its credit at one moment: the debit %s the credit looks for it',
  async (moment) => {
    const source = `bank_debit_${moment}`;
    const vendorId = await addBank(source, CSV);
    const number = `FT19600668${moment.length}`;
    const debit = `Date,Amount,Ref,Narrative\n2026-01-06,-10,${number},sent\n`;
    const credit = {
      ...{ issuer: source, receipt: number, sourceCode: source, collector: COLLECTOR },
      ...{ channel: 'statement', amountCents: 1_000n, account: '100200', payer: null, batch: null },
      paidAt: new Date('2026-01-05T07:00:00Z'),
    } as const satisfies ReceiptReport;
    // The other one runs between a look and what follows from it.
    if (moment === 'after') {
      const pool = interrupted('receipt_debits', async () => await take(source, debit));
      expect(await takeUnlessDebited({ ...deps(), pool }, credit)).toBe('reversed');
    } else {
      const pool = interrupted(
        'from receipts',
        async () => await takeUnlessDebited(deps(), credit),
      );
      expect(await take(source, debit, pool)).toEqual({ ...NONE, reversed: 1 });
    }
    const cases = await books.pool.query(
      `select facts ->> 'receipt' from cases where kind = 'receipt_reversed' and facts ->> 'receipt' = $1`,
      [number],
    );
    expect(cases.rowCount).toBe(1);
    // Until people decide.
    expect(await collected(vendorId)).toBe(1_000n);
  },
);

/** A pool that does `work` once, right after the first statement that contains the text. */
function interrupted(text: string, work: () => Promise<unknown>): Pool {
  let done = false;
  const query = async (asked: string | { readonly text: string }, values?: unknown[]) => {
    const result = await books.pool.query(asked as string, values);
    if (!done && (typeof asked === 'string' ? asked : asked.text).includes(text)) {
      done = true;
      await work();
    }
    return result;
  };
  return new Proxy(books.pool, {
    get: (pool, name) => {
      if (name === 'query') return query;
      const value: unknown = Reflect.get(pool, name);
      return typeof value === 'function' ? (value.bind(pool) as unknown) : value;
    },
  });
}

test('a debit with M-PESA’s number keeps a late confirmation from being credited', async () => {
  const vendorId = await addBank('bank_mpesa_debit', CSV);
  const debit = 'Date,Amount,Ref,Narrative\n2026-01-06,-10,FT206006670,MPESA UA59000009 sent\n';
  expect(await take('bank_mpesa_debit', debit)).toEqual({ ...NONE, debits: 1 });
  const report: ReceiptReport = {
    ...{ issuer: 'mpesa', receipt: 'UA59000009', sourceCode: 'bank_mpesa_debit' },
    ...{ collector: COLLECTOR, account: '100200', payer: null, amountCents: 1_000n },
    ...{ channel: 'confirmation', paidAt: new Date('2026-01-05T00:00:00Z') },
  };
  expect(await takeUnlessDebited(deps(), report)).toBe('reversed');
  expect(await takeUnlessDebited(deps(), report)).toBe('repeated');
  expect(await collected(vendorId)).toBe(0n);
});

test('the bank’s order does not matter: a return above its credit in one file', async () => {
  const vendorId = await addBank('bank_newest_first', CSV);
  const content =
    'Date,Amount,Ref,Narrative\n2026-01-06,-10,FT216007777,sent\n2026-01-05,10,FT216007777,ACC 100200\n';
  expect(await take('bank_newest_first', content)).toEqual({ ...NONE, credited: 1, reversed: 1 });
  expect(await collected(vendorId)).toBe(1_000n);
});

test('a reference that the bank reuses in another year opens a case and credits nothing', async () => {
  const vendorId = await addBank('bank_years', CSV);
  const content = 'Date,Amount,Ref,Narrative\n2025-01-05,10,FT000001,ACC 100200\n';
  expect(await take('bank_years', content)).toEqual({ ...NONE, credited: 1 });
  const later = content.replace('2025', '2026');
  expect(await take('bank_years', later)).toEqual({ ...NONE, conflicts: 1 });
  expect(await take('bank_years', later)).toEqual({ ...NONE, conflicts: 1 });
  expect(await collected(vendorId)).toBe(1_000n);
});

test('what a bank lists again under other numbers, after a change of the settings, waits for people', async () => {
  const vendorId = await addBank('bank_numbers', CSV);
  const listed = (day: number, reference: string, amount: number) =>
    `2026-01-0${day},${amount},${reference},${reference}X,ACC 100200\n`;
  const titles = 'Date,Amount,Ref,Entry,Narrative\n';
  await take('bank_numbers', titles + listed(5, 'FT777701', 10));
  const columns = { ...CSV.columns, reference: 'Entry' };
  await setSource(books.pool, 'bank_numbers', { settings: { columns } });
  const again = titles + listed(5, 'FT777701', 10) + listed(6, 'FT777702', 20);
  expect(await take('bank_numbers', again)).toEqual({ ...NONE, credited: 1, waiting: 1 });
  expect(await collected(vendorId)).toBe(3_000n);
  const known = { receipt: 'FT777701X', issuer: 'bank_numbers' };
  expect((await requireReceipt(books.pool, known)).doubt).toEqual({
    ...{ reason: 'renumbered', others: ['bank_numbers FT777701'] },
  });
  // A change that leaves the numbers alone keeps equal payments apart.
  const other = await addBank('bank_patterns', CSV);
  await take('bank_patterns', titles + listed(5, 'FT888801', 10));
  const settings = { account_pattern: 'ACC (\\w+)' };
  await setSource(books.pool, 'bank_patterns', { settings });
  await take('bank_patterns', titles + listed(5, 'FT888802', 10));
  expect(await collected(other)).toBe(2_000n);
});

test('a second source of one bank account is refused', async () => {
  const bank = { format: 'mt940', bank_account: '0110-0000-9999' };
  await addBank('bank_one', bank);
  const again = addBank('bank_two', { format: 'camt053', bank_account: '011000009999' });
  await expect(again).rejects.toThrow('belongs to source bank_one');
  const { name, collector } = await requireSource(books.pool, 'bank_one');
  const changed = { name, collector, settings: { format: 'camt053' } };
  expect(await setSource(books.pool, 'bank_one', changed)).toMatchObject({ added: false });
});

test('a file in Latin-1 is read', async () => {
  const vendorId = await addBank('bank_latin', {
    ...CSV,
    columns: { ...CSV.columns, text: 'Libellé' },
  });
  const content = 'Date,Amount,Ref,Libellé\n2026-01-05,10,FT2460001,café ACC 100200\n';
  expect(await take('bank_latin', Buffer.from(content, 'latin1'))).toEqual({
    ...NONE,
    credited: 1,
  });
  expect(
    await requireReceipt(books.pool, { receipt: 'FT2460001', issuer: 'bank_latin' }),
  ).toMatchObject({
    payer: 'café ACC 100200',
    vendorId,
  });
});

describe('an entry with several payments', () => {
  const settings = { format: 'camt053', account_pattern: 'ACC (\\S+)', balances: 'ignored' };
  const part = (amount: number, name: string): string =>
    `<TxDtls><Refs><EndToEndId>${name}</EndToEndId></Refs><Amt Ccy="KES">${amount}.00</Amt><RmtInf><Ustrd>ACC 100200</Ustrd></RmtInf></TxDtls>`;
  const statement = (amount: number, parts: readonly string[]): string =>
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Ccy>KES</Ccy></Acct><Ntry><Amt Ccy="KES">${amount}.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-05</Dt></BookgDt><AcctSvcrRef>FTBATCH1</AcctSvcrRef><NtryDtls>${parts.join('')}</NtryDtls><AddtlNtryInf>ACC 100200</AddtlNtryInf></Ntry></Stmt></BkToCstmrStmt></Document>`;
  /** Each source is another bank, with references of its own. */
  const takeBatch = async (source: string, content: string): Promise<Imported> =>
    await take(source, content.replaceAll('FTBATCH1', numberOf(source)));
  const numberOf = (source: string): string => source.replace('_', '').toUpperCase();
  const [one, two, three] = [part(10, 'A'), part(20, 'B'), part(30, 'C')];

  test('an entry with several payments is credited once, in whatever order a corrected statement lists them', async () => {
    const vendorId = await addBank('batch_order', settings);
    expect(await takeBatch('batch_order', statement(60, [one, two, three]))).toMatchObject({
      credited: 3,
    });
    expect(await takeBatch('batch_order', statement(60, [three, one, two]))).toEqual({
      ...NONE,
      repeated: 3,
    });
    expect(await collected(vendorId)).toBe(6_000n);
  });

  test('an entry is not credited again in parts after it was credited as one, or the other way round', async () => {
    const vendorId = await addBank('batch_whole', settings);
    expect(await takeBatch('batch_whole', statement(60, []))).toMatchObject({ credited: 1 });
    const parts = statement(60, [one, two, three]);
    expect(await takeBatch('batch_whole', parts)).toEqual({ ...NONE, conflicts: 3 });
    expect(await takeBatch('batch_whole', parts)).toEqual({ ...NONE, conflicts: 3 });
    expect(await collected(vendorId)).toBe(6_000n);
    const { receiptId } = await requireReceipt(books.pool, {
      ...{ receipt: numberOf('batch_whole'), issuer: 'batch_whole' },
    });
    const cases = await books.pool.query<{ reason: string }>(
      `select facts ->> 'reason' as reason from cases where evidence_id = $1`,
      [receiptId],
    );
    expect(cases.rows).toEqual([{ reason: 'entry' }]);

    const other = await addBank('batch_parts', settings);
    expect(await takeBatch('batch_parts', parts)).toMatchObject({ credited: 3 });
    expect(await takeBatch('batch_parts', statement(60, []))).toEqual({ ...NONE, conflicts: 1 });
    expect(await collected(other)).toBe(6_000n);
  });

  test('people decide about an entry if its parts were changed; an interrupted import continues', async () => {
    const vendorId = await addBank('batch_changed', settings);
    expect(await takeBatch('batch_changed', statement(60, [one, two, three]))).toMatchObject({
      credited: 3,
    });
    const changed = statement(60, [one, part(21, 'B'), part(29, 'C')]);
    expect(await takeBatch('batch_changed', changed)).toEqual({
      ...NONE,
      repeated: 1,
      conflicts: 2,
    });
    expect(await collected(vendorId)).toBe(6_000n);
    const cut = await addBank('batch_cut', settings);
    await takeBatch('batch_cut', statement(60, [one, two, three]));
    // As if the process had been killed before the last part.
    const last = `delete from receipts where issuer = 'batch_cut' and amount_cents = 3000`;
    await books.owner.query(last);
    expect(await takeBatch('batch_cut', statement(60, [one, two, three]))).toMatchObject({
      repeated: 3 - 1,
      conflicts: 0,
    });
    expect(await collected(cut)).toBe(6_000n);
  });

  test('an import whose connection breaks fails with a message, and can be repeated', async () => {
    await addBank('broken', CSV);
    const rows = Array.from(
      { length: 300 },
      (_, row) => `2026-01-05,10.00,BROKEN${row},ACC 100200`,
    );
    const content = ['Date,Amount,Ref,Narrative', ...rows].join('\n');
    const importing = take('broken', content);
    const ended = until('its lock is there', async () => {
      const found = await books.owner.query(
        `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
         where locktype = 'advisory' and granted and datname = current_database() and state = 'idle'`,
      );
      return found.rowCount === 1;
    });
    await expect(importing).rejects.toThrow('Import the file again');
    await ended;
    const { credited, repeated } = await take('broken', content);
    expect(credited + repeated).toBe(300);
    expect(repeated).toBeGreaterThan(0);
  });

  test('one process at a time imports an entry', async () => {
    await addBank('batch_busy', settings);
    const client = await books.pool.connect();
    try {
      expect(await lockImports(client, 'batch_busy')).toBe(true);
      await expect(takeBatch('batch_busy', statement(60, []))).rejects.toThrow(
        'Another import to batch_busy',
      );
      await unlockImports(client, 'batch_busy');
    } finally {
      client.release();
    }
    expect(await takeBatch('batch_busy', statement(60, []))).toMatchObject({ credited: 1 });
    expect(await takeBatch('batch_busy', statement(60, []))).toMatchObject({ repeated: 1 });
  });
});
