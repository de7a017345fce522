import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/staff/present.ts';
import { money, text, time, titled } from '../../../src/staff/fields.ts';

test('columns that are called as their properties have titles for people', () => {
  const row = Type.Object({
    ...titled({ vid: text, bank_account: text, balance: money, opened_at: time }),
    ...titled({ is_registered: Type.Boolean, biller_code: text, crn: text }),
  });
  expect(columnsOf(row).map(({ title }) => title)).toEqual([
    ...['Vendor', 'Bank account', 'Balance', 'Opened', 'Registered', 'Biller', 'CRN'],
  ]);
  expect(row.properties.balance).toMatchObject({ unit: 'money' });
});
