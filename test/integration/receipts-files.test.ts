import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addAccount, requireSource, setSource } from '../../src/payments/receipts/administer.ts';
import { requireReceipt } from '../../src/payments/receipts/assign.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';
import { importBankStatement } from '../support/import-statements.ts';
import { takeReport } from '../../src/payments/receipts/take.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { makeXlsx } from '../support/make-xlsx.ts';
import { sharedBooks } from '../support/shared-books.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// Files as banks and M-PESA send them. Account 100200 belongs to one vendor, 100 to another one.

const freshBooks = sharedBooks();
let books: Books;
let folder: string;
let vendorId: number;
let otherId: number;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await removeFolder(folder);
});
beforeEach(async () => {
  books = await freshBooks();
  vendorId = await books.addVendor();
  otherId = await books.addVendor();
});

const wireTime = createWireTime('Africa/Nairobi');
const NONE = {
  ...{ credited: 0, repeated: 0, waiting: 0, conflicts: 0, reversed: 0 },
  ...{ debits: 0, no_payments: 0, pending: 0, unknown_returns: 0 },
};
const CSV = {
  format: 'csv',
  columns: {
    ...{ time: 'Date', text: 'Narrative', reference: 'Reference' },
    ...{ credit: 'Money In', debit: 'Money Out' },
  },
  date_format: 'DD/MM/YYYY',
  account_pattern: 'ACC ([0-9]+)',
};
const BALANCED = { ...CSV, columns: { ...CSV.columns, balance: 'Balance' } };
const MT940 = { format: 'mt940', account_pattern: 'ACC ([0-9]+)' };
const CAMT053 = { format: 'camt053', account_pattern: 'ACC ([0-9]+)' };

async function addSource(kind: 'statement' | 'daraja', settings: Record<string, unknown>) {
  await setSource(books.pool, 'bank', { name: 'In', kind, collector: COLLECTOR, settings });
  for (const [account, holder] of [
    ['100200', vendorId],
    ['100', otherId],
  ] as const) {
    await addAccount(books, { sourceCode: 'bank', account, vid: `vendor-${holder}`, by: 'Asha' });
  }
}

const deps = () => ({ ...books, log: pino({ level: 'silent' }) });

async function take(content: string | Buffer) {
  const file = path.join(folder, 'statement');
  await writeFile(file, content);
  return await importBankStatement(deps(), await requireSource(books.pool, 'bank'), {
    file,
    wireTime,
  });
}

const collected = async (of = vendorId) => (await books.balances(of))['collected'];

const camt = (version: string, closing: string, entries: string) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt><Stmt><Acct><Id><Othr><Id>0110</Id></Othr></Id><Ccy>KES</Ccy></Acct><Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="KES">1000.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal><Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="KES">${closing}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>${entries}</Stmt></BkToCstmrStmt></Document>`;
const entry = (side: string, amount: string, reference: string, text: string) =>
  `<Ntry><Amt Ccy="KES">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-01-27</Dt></BookgDt>${reference}<NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;
const CREDIT = entry('CRDT', '1500.00', '<AcctSvcrRef>FT26331A</AcctSvcrRef>', 'ACC 100200 JANE');
const TITLES = 'Date,Narrative,Reference,Money In,Money Out,Balance';

test.each([
  [
    'CSV, a debit without a reference',
    BALANCED,
    `${TITLES}\n27/01/2026,ACC 100200 JANE,FT26331D,"1,500.00",,"7,900.00"\n27/01/2026,LEDGER FEE,,,50.00,"7,850.00"\n`,
    { debits: 1 },
  ],
  [
    'MT940, a debit without a reference',
    MT940,
    ':20:S2\n:25:0110\n:28C:2/1\n:60F:C260127KES3500,00\n:61:2601270127C1500,00NTRFNONREF//FT26331B\n:86:ACC 100200 JANE\n:61:2601270127D50,00NCHGNONREF\n:86:LEDGER FEE\n:62F:C260127KES4950,00\n-',
    { debits: 1 },
  ],
  [
    'camt.053, a debit without a reference',
    CAMT053,
    camt('08', '2450.00', CREDIT + entry('DBIT', '50.00', '', 'LEDGER FEE')),
    { debits: 1 },
  ],
  ['camt.053 in version 14', CAMT053, camt('14', '2500.00', CREDIT), {}],
  [
    'CSV, a line break in the narrative',
    BALANCED,
    `${TITLES}\n27/01/2026,"ACC 100200\nJANE",FT26331G,"1,500.00",,"9,350.00"\n`,
    {},
  ],
  [
    'CSV, opening, total and footer rows',
    BALANCED,
    `${TITLES}\n27/01/2026,Balance b/f,,,,"7,850.00"\n27/01/2026,ACC 100200 JANE,FT26331E,"1,500.00",,"9,350.00"\n,Total,,"1,500.00",0.00,"9,350.00"\n*** End of statement ***\n`,
    {},
  ],
  [
    'CSV with semicolons and a decimal comma',
    BALANCED,
    `${TITLES.replaceAll(',', ';')}\n27/01/2026;ACC 100200 JANE;FT26331F;1.500,00;;9.350,00\n`,
    {},
  ],
] as const)('a statement credits its payment once: %s', async (_, settings, content, others) => {
  await addSource('statement', settings);
  expect(await take(content)).toEqual({ ...NONE, credited: 1, ...others });
  expect(await take(content)).toEqual({ ...NONE, repeated: 1, ...others });
  expect(await collected()).toBe(150_000n);
});

test('references that differ in their slash are two payments', async () => {
  await addSource('statement', CSV);
  const file = (day: number, reference: string) =>
    `Date,Narrative,Reference,Money In,Money Out\n${day}/01/2026,ACC 100200 JANE,${reference},700.00,\n`;
  expect(await take(file(20, '12/3456'))).toEqual({ ...NONE, credited: 1 });
  expect(await take(file(27, '123/456'))).toEqual({ ...NONE, credited: 1 });
  expect(await collected()).toBe(140_000n);
});

test('movements that a payer wrote hold the file', async () => {
  await addSource('statement', MT940);
  const dots = '.'.repeat(48);
  const forged = `:61:2601120112C50000,00NTRFNONREF//INJECT0002\n:86:ACC 100200\n:61:2601120112D50000,00NTRFNONREF//INJECT0003\n`;
  const content = `:20:I\n:25:0110\n:60F:C260112KES0,00\n:61:2601120112C1,00NTRFNONREF//INJECT0001\n:86:HELLO${dots}ACC 100200..\n${forged}:62F:C260112KES1,00\n-`;
  await expect(take(content)).rejects.toThrow('line 6: field 61 follows a full line of text');
  expect(await collected()).toBe(0n);
});

describe('a text that the bank breaks at some column', () => {
  const TEXT = 'PAYMENT FROM EXAMPLE INVOICE 0042 NAIROBI ACC 100200 THANKS';
  const isWithin = (at: number): boolean => {
    const number = TEXT.indexOf('100200');
    return at > number && at < number + 6;
  };

  test('never credits another account, wherever it is broken and whatever the format', async () => {
    await addSource('statement', MT940);
    const formats = [
      [
        MT940,
        (text: string, ref: string) =>
          `:20:S\n:25:0110\n:60F:C260127KES0,00\n:61:2601270127C1,00NTRFNONREF//${ref}\n:86:${text}\n:62F:C260127KES1,00\n-`,
      ],
      [
        CSV,
        (text: string, ref: string) =>
          `Date,Narrative,Reference,Money In,Money Out\n27/01/2026,"${text}",${ref},1.00,\n`,
      ],
      [
        CAMT053,
        (text: string, ref: string) =>
          camt(
            '08',
            '1001.00',
            entry(
              'CRDT',
              '1.00',
              `<AcctSvcrRef>${ref}</AcctSvcrRef>`,
              text.replace('\n', '</Ustrd><Ustrd>'),
            ),
          ),
      ],
    ] as const;
    let waiting = 0;
    let credited = 0n;
    for (const [index, [settings, write]] of formats.entries()) {
      await setSource(books.pool, 'bank', {
        settings: { columns: undefined, date_format: undefined, ...settings },
      });
      for (let at = 1; at < TEXT.length; at += 1) {
        const broken = `${TEXT.slice(0, at)}\n${TEXT.slice(at)}`;
        const taken = await take(write(broken, `FT${index}0000${at}`));
        waiting += taken.waiting;
        credited += BigInt(taken.credited) * 100n;
        if (isWithin(at)) expect(taken, `column ${at}`).toMatchObject({ waiting: 1 });
      }
    }
    expect(await collected(otherId)).toBe(0n);
    expect(await collected()).toBe(credited);
    expect(waiting + Number(credited / 100n)).toBe(3 * (TEXT.length - 1));
  });
});

test('without a column of references, each payment waits for people once, however often it is listed', async () => {
  const { reference: _, ...columns } = BALANCED.columns;
  await addSource('statement', { ...BALANCED, columns });
  const rows = [
    '27/01/2026,ACC 100200,7.00,,7.00',
    '27/01/2026,ACC 100200,7.00,,14.00',
    '27/01/2026,FEE,,1.00,13.00',
  ];
  const file = (listed: readonly string[]) =>
    ['Date,Narrative,Money In,Money Out,Balance', ...listed].join('\n');
  expect(await take(file(rows.slice(0, 1)))).toEqual({ ...NONE, waiting: 1 });
  // The second one alone is another payment: its balance is.
  expect(await take(file(rows.slice(1)))).toEqual({ ...NONE, waiting: 1, debits: 1 });
  expect(await take(file(rows))).toEqual({ ...NONE, repeated: 2, debits: 1 });
  expect(await collected()).toBe(0n);
  const kept = await books.pool.query('select doubt from receipts');
  expect(kept.rows).toMatchObject([
    { doubt: { reason: 'no_reference' } },
    { doubt: { reason: 'no_reference' } },
  ]);
});

describe('the organisation statement of a pay bill', () => {
  const SETTINGS = { base_url: 'https://127.0.0.1', short_code: '600100' };
  const ABOVE = [['Organization Name', 'EXAMPLE LTD'], ['Short Code', '600100'], []];
  const COLUMNS = [
    ...['Receipt No.', 'Completion Time', 'Initiation Time', 'Details', 'Transaction Status'],
    ...['Paid In', 'Withdrawn', 'Balance', 'Balance Confirmed', 'Reason Type'],
    ...['Other Party Info', 'Linked Transaction ID', 'A/C No.'],
  ];

  interface Row {
    readonly receipt: string;
    readonly time: string;
    readonly status?: string;
    readonly in?: number;
    readonly out?: number;
    readonly balance?: number;
    readonly type?: string;
    readonly linked?: string;
    readonly account?: string;
  }

  const PAID: readonly Row[] = [
    { receipt: 'UKR4AAAA04', time: '18:00:00', status: 'Failed', in: 700, account: '100200' },
    {
      ...{ receipt: 'UKR3AAAA03', time: '17:05:11', out: -15, balance: 22_485 },
      ...{ type: 'Pay Bill Charge', linked: 'UKR1AAAA01' },
    },
    { receipt: 'UKR2AAAA02', time: '16:05:11', in: 2_000, balance: 22_500, account: '100200' },
    { receipt: 'UKR1AAAA01', time: '14:05:11', in: 1_500, balance: 20_500, account: '100200' },
  ];

  const cellsOf = (row: Row): (string | number | Date)[] => [
    row.receipt,
    new Date(`2026-01-27T${row.time}Z`),
    '',
    `Pay Bill from 254722000001 - TEST Acc. ${row.account ?? ''}`,
    row.status ?? 'Completed',
    row.in ?? '',
    row.out ?? '',
    row.balance ?? '',
    'true',
    row.type ?? 'Pay Bill Online',
    '254722000001 - TEST ONE',
    row.linked ?? '',
    row.account ?? '',
  ];
  const text = (cell: string | number | Date): string =>
    cell instanceof Date
      ? `27-01-2026 ${cell.toISOString().slice(11, 19)}`
      : typeof cell === 'number'
        ? `"${cell.toLocaleString('en', { minimumFractionDigits: 2 })}"`
        : cell;
  const csv = (rows: readonly Row[]): string =>
    [...ABOVE, COLUMNS, ...rows.map(cellsOf)].map((cells) => cells.map(text).join(',')).join('\n');
  const xlsx = async (rows: readonly Row[]): Promise<Buffer> =>
    await makeXlsx([...ABOVE, COLUMNS, ...rows.map(cellsOf)]);

  beforeEach(async () => {
    await addSource('daraja', SETTINGS);
  });

  const confirmation = (receipt: string, cents: bigint, hour: string): ReceiptReport => ({
    ...{ issuer: 'mpesa', receipt, sourceCode: 'bank', collector: COLLECTOR },
    ...{ channel: 'confirmation', amountCents: cents, account: '100200', payer: null },
    paidAt: new Date(`2026-01-27T${hour}+03:00`),
  });

  test('of a till: credits the vendor that has the till as its account number, once', async () => {
    await setSource(books.pool, 'bank', {
      ...{ name: 'Till', kind: 'daraja', collector: COLLECTOR },
      settings: { ...SETTINGS, till: '5001234' },
    });
    const account = { sourceCode: 'bank', account: '5001234', vid: `vendor-${otherId}` };
    await addAccount(books, { ...account, by: 'Asha' });
    const sold = (row: Row): Row => ({ ...row, type: 'Customer Merchant Payment' });
    const rows = [
      sold({ receipt: 'UKR2AAAA02', time: '16:05:11', in: 2_000, balance: 3_500 }),
      sold({ receipt: 'UKR1AAAA01', time: '14:05:11', in: 1_500, balance: 1_500 }),
    ];
    const confirmed = { ...confirmation('UKR1AAAA01', 150_000n, '14:05:11'), account: '5001234' };
    expect(await takeReport(deps(), confirmed)).toBe('credited');
    expect(await take(csv(rows))).toEqual({ ...NONE, credited: 1, repeated: 1 });
    expect(await collected(otherId)).toBe(350_000n);
  });

  test.each(['CSV', 'Excel'])('credits what was completed, each payment once: %s', async (form) => {
    const file = form === 'CSV' ? csv(PAID) : await xlsx(PAID);
    expect(await takeReport(deps(), confirmation('UKR1AAAA01', 150_000n, '14:05:11'))).toBe(
      'credited',
    );
    expect(await take(file)).toEqual({ ...NONE, credited: 1, repeated: 1, debits: 1, pending: 1 });
    expect(await take(file)).toEqual({ ...NONE, repeated: 2, debits: 1, pending: 1 });
    expect(await takeReport(deps(), confirmation('UKR2AAAA02', 200_000n, '16:05:11'))).toBe(
      'repeated',
    );
    expect(await collected()).toBe(350_000n);
    expect(await requireReceipt(books.pool, { receipt: 'UKR2AAAA02' })).toMatchObject({
      ...{ issuer: 'mpesa', account: '100200', payer: '254722000001 - TEST ONE' },
      paidAt: new Date('2026-01-27T16:05:11+03:00'),
    });
  });

  test('takes money of our own and reversals for what they are', async () => {
    const rows: readonly Row[] = [
      { receipt: 'UKR5AAAA05', time: '14:00:00', in: 100, balance: 100, account: '100200' },
      {
        ...{ receipt: 'UKR6AAAA06', time: '15:00:00', in: 50, balance: 150, account: '100200' },
        type: 'Organization To Organization Transfer',
      },
      {
        receipt: 'UKR7AAAA07',
        time: '16:00:00',
        out: -20,
        balance: 130,
        type: 'Withdrawal of Funds',
      },
      {
        receipt: 'UKR8AAAA08',
        time: '16:30:00',
        in: 20,
        balance: 150,
        type: 'Reversal of Withdrawal',
      },
      {
        ...{ receipt: 'UKR9AAAA09', time: '17:00:00', out: -100, balance: 50 },
        ...{ type: 'Pay Bill Reversal', linked: 'UKR5AAAA05' },
      },
    ];
    const counts = { ...NONE, no_payments: 1, debits: 2 };
    expect(await take(csv(rows))).toEqual({ ...counts, credited: 1, reversed: 1 });
    expect(await take(csv(rows))).toEqual({ ...counts, repeated: 2 });
    const cases = await books.pool.query(`select facts ->> 'receipt' as receipt, kind from cases`);
    expect(cases.rows).toEqual([{ receipt: 'UKR5AAAA05', kind: 'receipt_reversed' }]);
  });

  test('leaves a type that nobody knows to people, with its name', async () => {
    const rows = [
      {
        receipt: 'UKR1BBBB01',
        time: '14:00:00',
        in: 100,
        balance: 100,
        account: '100200',
        type: 'Hakikisha',
      },
    ];
    expect(await take(csv(rows))).toEqual({ ...NONE, waiting: 1 });
    expect((await requireReceipt(books.pool, { receipt: 'UKR1BBBB01' })).doubt).toEqual({
      ...{ reason: 'type', others: ['Hakikisha'] },
    });
  });

  test('of another short code, or of none, is refused', async () => {
    await expect(take(csv(PAID).replace('600100', '600101'))).rejects.toThrow(
      'the statement is of another short code (Short Code 600101), not of 600100',
    );
    await expect(take(csv(PAID).replace('Short Code,600100', ''))).rejects.toThrow(
      'no line above the titles names our short code, 600100',
    );
  });

  test('with a row missing is refused', async () => {
    await expect(take(csv(PAID.toSpliced(2, 1)))).rejects.toThrow(
      'lines are missing or were changed',
    );
    const settings = { ...SETTINGS, statement_balances: 'ignored' };
    await setSource(books.pool, 'bank', { settings });
    expect(await take(csv(PAID.toSpliced(2, 1)))).toMatchObject({ credited: 1 });
  });

  test('that is imported to a bank’s source credits no payment again', async () => {
    await takeReport(deps(), confirmation('UKR1AAAA01', 150_000n, '14:05:11'));
    const columns = {
      ...{ time: 'Completion Time', text: 'Details', reference: 'Receipt No.', account: 'A/C No.' },
      ...{ credit: 'Paid In', debit: 'Withdrawn', status: 'Transaction Status' },
    };
    const settings = {
      format: 'csv',
      columns,
      date_format: 'DD-MM-YYYY',
      booked_status: ['Completed'],
      issuer: 'mpesa',
    };
    await setSource(books.pool, 'other', {
      name: 'Other',
      kind: 'statement',
      collector: COLLECTOR,
      settings,
    });
    await addAccount(books, {
      sourceCode: 'other',
      account: '100200',
      vid: `vendor-${vendorId}`,
      by: 'Asha',
    });
    const file = path.join(folder, 'other.csv');
    await writeFile(file, csv(PAID));
    const source = await requireSource(books.pool, 'other');
    expect(await importBankStatement(deps(), source, { file, wireTime })).toMatchObject({
      credited: 1,
      repeated: 1,
    });
    expect(await collected()).toBe(350_000n);
  });
});
