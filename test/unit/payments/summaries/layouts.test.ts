import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { SummaryFormat } from '../../../../src/payments/summaries/formats.ts';
import { summaryFile } from '../../../../src/payments/summaries/layouts.ts';
import type { NamedLine, WholeSummary } from '../../../../src/payments/summaries/read-summaries.ts';

const line = (given: Partial<NamedLine>): NamedLine => ({
  ...{ day: '2026-11-30', account: 'fees', class: 'income', code: '4000', isLate: false },
  ...{ vendorId: null, vid: null, billerCode: null, operatorCode: null },
  ...{ debitCents: 0n, creditCents: 0n },
  ...given,
});
const summary = (given: Partial<WholeSummary> = {}): WholeSummary => ({
  ...{ number: 12, fromAt: new Date('2026-10-31T21:00Z'), toAt: new Date('2026-11-30T21:00Z') },
  ...{ madeAt: new Date('2026-11-30T21:01Z'), lineCount: 4, debitCents: 350n },
  ...{ exportedAt: null, exportedBy: null, reference: null, codes: null },
  terms: {
    ...{ version: 1, startsAt: new Date(0), per: 'month', dimensions: ['biller'] },
    ...{ taxCode: 'T9', company: 'Malipo Ltd' },
  },
  lines: [
    line({ day: '2026-10-31', isLate: true, account: 'suspense', class: 'asset', code: '1900' }),
    line({ billerCode: 'power', creditCents: 300n }),
    line({ account: 'float', class: 'liability', code: '2100', debitCents: 300n }),
  ].flatMap((each) =>
    each.isLate
      ? [
          { ...each, creditCents: 50n },
          { ...each, account: 'bank:kcb', code: '1000', debitCents: 50n },
        ]
      : [each],
  ),
  ...given,
});

const written = async (format: SummaryFormat, of = summary()): Promise<string[]> =>
  (await text(summaryFile(of, format).body)).trimEnd().split(/\r?\n/);

test('Xero gets signed amounts, with a narration and a date for each journal', async () => {
  expect(await written('xero')).toEqual([
    '*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2',
    '"Malipo SJ-000012-1, prior period",31/10/2026,suspense,1900,T9,-0.50,,,,',
    '"Malipo SJ-000012-1, prior period",31/10/2026,bank:kcb,1000,T9,0.50,,,,',
    'Malipo SJ-000012-2,30/11/2026,fees,4000,T9,-3.00,Biller,power,,',
    'Malipo SJ-000012-2,30/11/2026,float,2100,T9,3.00,,,,',
  ]);
});

test('Xero gets no file with more lines than it takes, nor with three dimensions', async () => {
  const many = Array.from({ length: 301 }, () => line({ creditCents: 1n }));
  await expect(written('xero', summary({ lines: many }))).rejects.toThrow(/takes 300 lines/);
  const { terms } = summary();
  const all = { ...terms, dimensions: ['vendor', 'biller', 'operator'] as const };
  await expect(written('xero', summary({ terms: all }))).rejects.toThrow(/two tracking/);
});

test('QuickBooks Online gets debits and credits by the name of the account', async () => {
  expect(await written('quickbooks')).toEqual([
    'Journal No,Journal Date,Account Name,Description,Debits,Credits',
    'SJ-000012-1,10/31/2026,1900,suspense prior period,,0.50',
    'SJ-000012-1,10/31/2026,1000,bank:kcb prior period,0.50,',
    'SJ-000012-2,11/30/2026,4000,fees power,,3.00',
    'SJ-000012-2,11/30/2026,2100,float,3.00,',
  ]);
});

test('Sage 50 gets journal debits and credits of the audit trail', async () => {
  const [titles, ...rows] = await written('sage');
  expect(titles).toBe(
    'Type,Account Reference,Nominal A/C Ref,Department Code,Date,Reference,Details,Net Amount,Tax Code,Tax Amount',
  );
  expect(rows).toEqual([
    'JC,,1900,0,31/10/2026,SJ-000012-1,suspense prior period,0.50,T9,0.00',
    'JD,,1000,0,31/10/2026,SJ-000012-1,bank:kcb prior period,0.50,T9,0.00',
    'JC,,4000,0,30/11/2026,SJ-000012-2,fees power,3.00,T9,0.00',
    'JD,,2100,0,30/11/2026,SJ-000012-2,float,3.00,T9,0.00',
  ]);
});

test('ERPNext gets what is the same for a journal in its first row only', async () => {
  const [titles, ...rows] = await written('erpnext');
  expect(titles).toBe(
    'Entry Type,Series,Company,Posting Date,Reference Number,Reference Date,User Remark,Account (Accounting Entries),Debit (Accounting Entries),Credit (Accounting Entries),User Remark (Accounting Entries)',
  );
  expect(rows).toEqual([
    'Journal Entry,ACC-JV-.YYYY.-,Malipo Ltd,2026-10-31,SJ-000012-1,2026-10-31,"Malipo SJ-000012-1, prior period",1900,,0.50,suspense prior period',
    ',,,,,,,1000,0.50,,bank:kcb prior period',
    'Journal Entry,ACC-JV-.YYYY.-,Malipo Ltd,2026-11-30,SJ-000012-2,2026-11-30,Malipo SJ-000012-2,4000,,3.00,fees power',
    ',,,,,,,2100,3.00,,float',
  ]);
});

test('hledger gets the type of each account, and our names where there is no code', async () => {
  const uncoded = summary().lines.map((each) =>
    each.day > '2026-11' ? { ...each, code: null } : each,
  );
  const words = await written('hledger', summary({ lines: uncoded }));
  expect(words).toContain('account 1900  ; type:A');
  expect(words).toContain('account revenues:fees  ; type:R');
  expect(words).toContain('2026-10-31 (SJ-000012-1) Malipo  ; prior-period:');
  expect(words).toContain('    revenues:fees  KES -3.00  ; account:fees, biller:power');
});

test('a layout says which accounts have no code, and what else it needs', async () => {
  const uncoded = summary({ lines: [line({ code: null, creditCents: 1n })] });
  await expect(written('sage', uncoded)).rejects.toThrow('No code for fees.');
  const { terms } = summary();
  const unsaid = summary({ terms: { ...terms, taxCode: null, company: null } });
  await expect(written('xero', unsaid)).rejects.toThrow('--tax-code');
  await expect(written('erpnext', unsaid)).rejects.toThrow('--company');
});
