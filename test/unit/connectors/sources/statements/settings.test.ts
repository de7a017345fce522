import { expect, test } from 'vitest';
import { readStatementSettings } from '../../../../../src/connectors/sources/statements/settings.ts';

const COLUMNS = { time: 'Date', amount: 'Amount', reference: 'Ref', text: 'Text' };
const { amount: _amount, ...SIDES } = { ...COLUMNS, credit: 'In', debit: 'Out' };

test.each([
  [{ format: 'csv', columns: COLUMNS }],
  [{ format: 'csv', columns: SIDES, date_format: 'DD-MMM-YYYY', decimal_separator: ',' }],
  [{ format: 'mt940', bank_account: '01100', balances: 'ignored' }],
  [{ format: 'camt053', identified_by: 'NtryRef' }],
  [{ format: 'mt940', identified_by: 'OwnerRef' }],
])('%j is accepted', (settings) => {
  expect(readStatementSettings('bank', settings)).toMatchObject({ format: settings.format });
});

test.each([
  [{ format: 'csv' }, 'columns is missing'],
  [{ format: 'mt940', columns: COLUMNS }, 'columns is not for mt940'],
  [{ format: 'mt940', identified_by: 'NtryRef' }, 'identified_by cannot be NtryRef for mt940'],
  [{ format: 'camt053', identified_by: 'OwnerRef' }, 'identified_by cannot be OwnerRef'],
  [{ format: 'csv', columns: COLUMNS, bank_account: '01100' }, 'bank_account is not for csv'],
  [
    { format: 'csv', columns: { ...SIDES, amount: 'Amount' } },
    'either amount, or credit and debit',
  ],
  [
    { format: 'csv', columns: { ...COLUMNS, amount: undefined } },
    'either amount, or credit and debit',
  ],
  [{ format: 'csv', columns: COLUMNS, date_format: 'DD/MM' }, 'date_format'],
  [{ format: 'csv', columns: COLUMNS, date_format: 'DD/DD/MM/YYYY' }, 'date_format'],
  [{ format: 'mt940', account_pattern: '(' }, 'not a regular expression'],
  [{ format: 'ofx' }, 'format'],
])('%j is refused and named', (settings, problem) => {
  const given = JSON.parse(JSON.stringify(settings)) as unknown;
  expect(() => readStatementSettings('bank', given)).toThrow(problem);
  expect(() => readStatementSettings('bank', given)).toThrow('source bank');
});
