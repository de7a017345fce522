import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { importStatement } from '../../src/payments/receipts/statements/import.ts';
import type { Imported } from '../../src/payments/receipts/statements/import.ts';
import { requireSource } from '../../src/payments/receipts/administer.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

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

const NONE = { credited: 0, repeated: 0, waiting: 0, conflicts: 0, reversed: 0, debits: 0 };
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

async function take(sourceCode: string, content: string): Promise<Imported> {
  files += 1;
  const file = path.join(folder, `${files}.txt`);
  await writeFile(file, content);
  return await importStatement(deps(), await requireSource(books.pool, sourceCode), {
    file,
    wireTime,
  });
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
  await addAccount(pool, { sourceCode, account: '100200', vid: `vendor-${vendorId}`, by: 'Asha' });
  return vendorId;
}

async function collected(vendorId: number): Promise<bigint | undefined> {
  return (await books.balances(vendorId))['collected'];
}

test('a CSV statement credits each line once, also when it is imported again or overlaps', async () => {
  const vendorId = await addBank('bank_csv', CSV);
  const first = 'Date,Amount,Ref,Narrative\n2026-01-05,"1,500.50",FT260001,ACC 100-200 rent\n';
  const more = `${first}2026-01-06 10:00:00,20,FT260002,ACC 100200\n2026-01-06,-7.00,FT260003,charges\n`;
  const nobody = `${more}2026-01-07,5,FT260004,a gift\n`;
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
  // It takes one back.
  const back = 'Date,Amount,Ref,Narrative\n2026-01-08,-20.00,FT260002,returned\n';
  expect(await take('bank_csv', back)).toEqual({ ...NONE, reversed: 1 });
  expect(await collected(vendorId)).toBe(152_050n);
});

test('a receipt of M-PESA is credited once, whether a confirmation or the bank has it first', async () => {
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
  const good = 'Date,Amount,Ref,Narrative\n2026-01-05,10,FT260001,ACC 100200\n';
  for (const bad of ['2026-01-05,1e3,FT260002,x', '2026-13-05,1,FT260002,x', '2026-01-05,1,,x']) {
    await expect(take('bank_bad', `${good}${bad}\n`)).rejects.toThrow('line 3');
  }
  await expect(take('bank_bad', good.replace('Ref', 'Other'))).rejects.toThrow('no column Ref');
  expect(await collected(vendorId)).toBe(0n);
});

test('an MT940 statement credits what was booked, by the bank’s reference', async () => {
  const vendorId = await addBank('bank_mt940', { format: 'mt940', account_pattern: 'ACC (\\w+)' });
  const content = [
    ':20:STARTUMS',
    ':25:1234/567890',
    ':60F:C260105KES1000,00',
    ':61:2601050105C250,5NTRFNONREF//FT26005001',
    ':86:RENT JANUARY',
    'ACC 100200',
    ':61:260105D7,00NCHGNONREF//FT26005002',
    ':61:260105RC250,50NTRFNONREF//FT26005001',
    ':62F:C260105KES1243,50',
    '-}',
  ].join('\r\n');
  expect(await take('bank_mt940', content)).toEqual({
    ...NONE,
    credited: 1,
    debits: 1,
    reversed: 1,
  });
  expect(await collected(vendorId)).toBe(25_050n);
  await expect(take('bank_mt940', ':61:26010C1,00NTRF')).rejects.toThrow('field 61');
});
