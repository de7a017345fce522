import type { Permission } from '../../parties/people/permissions.ts';
import type { AnyKind } from '../../proposals/kind.ts';
import { BILLER, ROUTE } from './billers.ts';
import { COLLECTOR, COLLECTOR_KEY } from './collectors.ts';
import { ACCOUNT, SOURCE, SOURCE_KEY } from './money-in.ts';
import { TOP_UP, VENDOR, WEBHOOK } from './vendors.ts';
import { OPERATOR, OPERATOR_KEY } from './operators.ts';
import { FEE, OPERATOR_PRICE } from './prices.ts';
import { settingKind } from './setting.ts';
import type { AnySetting, Tools } from './setting.ts';

interface Family {
  /** Name of the kind of proposal. */
  readonly name: string;
  /** Permission of those who propose and decide. */
  readonly permission: Permission;
  readonly settings: readonly AnySetting[];
}

/** Every setting that two people decide. */
const FAMILIES: readonly Family[] = [
  { name: 'price_setting', permission: 'finance.act', settings: [FEE, OPERATOR_PRICE] },
  {
    ...{ name: 'operator_setting', permission: 'billers.act' },
    settings: [OPERATOR, OPERATOR_KEY, BILLER, ROUTE],
  },
  {
    ...{ name: 'money_in_setting', permission: 'finance.act' },
    settings: [SOURCE, SOURCE_KEY, ACCOUNT, TOP_UP],
  },
  {
    ...{ name: 'party_setting', permission: 'vendors.act' },
    settings: [COLLECTOR, COLLECTOR_KEY, VENDOR, WEBHOOK],
  },
];

export function settingKinds(tools: Tools): AnyKind[] {
  return FAMILIES.map((one) => settingKind(one.name, one.permission, one.settings, tools));
}

export function familyOf(setting: AnySetting): Family {
  const found = FAMILIES.find(({ settings }) => settings.includes(setting));
  if (found === undefined) throw new Error(`${setting.name} is of no kind`);
  return found;
}
