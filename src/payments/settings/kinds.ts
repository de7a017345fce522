import type { Permission } from '../../parties/people/permissions.ts';
import type { AnyKind } from '../../proposals/kind.ts';
import { FEE, OPERATOR_PRICE } from './prices.ts';
import { settingKind } from './setting.ts';
import type { AnySetting } from './setting.ts';

/** Every setting that two people decide, by who may. */
const FAMILIES: readonly (readonly [
  name: string,
  permission: Permission,
  settings: readonly AnySetting[],
])[] = [['price_setting', 'finance.act', [FEE, OPERATOR_PRICE]]];

const BY_SETTING = new Map<AnySetting, AnyKind>(
  FAMILIES.flatMap(([name, permission, settings]) => {
    const made = settingKind(name, permission, settings);
    return settings.map((one) => [one, made] as const);
  }),
);

export const SETTING_KINDS: readonly AnyKind[] = [...new Set(BY_SETTING.values())];

export function kindOfSetting(one: AnySetting): AnyKind {
  const found = BY_SETTING.get(one);
  if (found === undefined) throw new Error(`${one.name} is of no kind`);
  return found;
}
