import type { AnyKind } from '../../proposals/kind.ts';
import { ACCOUNT_CODES, SUMMARY_TERMS } from './accounting.ts';
import { BILLER, ROUTE } from './billers.ts';
import { COLLECTOR, COLLECTOR_KEY } from './collectors.ts';
import { COMPANY, INVOICE_NAME } from './invoicing.ts';
import { ACCOUNT, SOURCE, SOURCE_KEY } from './money-in.ts';
import { MOVED_VENDORS, USED_REFERENCES } from './moving.ts';
import { PAYOUT_PHONE, TOP_UP, VENDOR, WEBHOOK } from './vendors.ts';
import { NEW_VENDOR } from './new-vendor.ts';
import { OPERATOR, OPERATOR_KEY } from './operators.ts';
import { FEE, OPERATOR_PRICE } from './prices.ts';
import { settingKind } from './setting.ts';
import type { AnySetting, Family, Tools } from './setting.ts';

/** Every setting that two people decide. */
export const FAMILIES: readonly Family[] = [
  {
    name: 'price_setting',
    title: 'Price',
    permission: 'finance.act',
    settings: [FEE, OPERATOR_PRICE],
  },
  {
    name: 'invoice_setting',
    title: 'Setting of invoices',
    permission: 'finance.act',
    settings: [COMPANY, INVOICE_NAME],
  },
  {
    name: 'accounting_setting',
    title: 'Setting of accounting',
    permission: 'finance.act',
    settings: [SUMMARY_TERMS, ACCOUNT_CODES],
  },
  {
    ...{
      name: 'operator_setting',
      title: 'Setting of an operator, a biller or a route',
      permission: 'billers.act',
    },
    settings: [OPERATOR, OPERATOR_KEY, BILLER, ROUTE],
  },
  {
    ...{ name: 'money_in_setting', title: 'Setting of money in', permission: 'finance.act' },
    settings: [SOURCE, SOURCE_KEY, ACCOUNT, TOP_UP],
  },
  {
    ...{
      name: 'party_setting',
      title: 'Setting of a vendor or a collector',
      permission: 'vendors.act',
    },
    settings: [
      ...[COLLECTOR, COLLECTOR_KEY, NEW_VENDOR, VENDOR, WEBHOOK, PAYOUT_PHONE],
      ...[MOVED_VENDORS, USED_REFERENCES],
    ],
  },
];

export function settingKinds(tools: Tools): AnyKind[] {
  return FAMILIES.map((one) => settingKind(one, tools));
}

export function familyOf(setting: AnySetting): Family {
  const found = FAMILIES.find(({ settings }) => settings.includes(setting));
  if (found === undefined) throw new Error(`${setting.name} is of no kind`);
  return found;
}
