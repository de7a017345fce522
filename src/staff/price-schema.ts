import { Type } from 'typebox';
import { money, moneyOrNull, text } from './fields.ts';

/** A fee by amount. Without tiers there is none. */
export const formula = Type.Object({
  tiers: Type.Array(Type.Object({ from: money(), flat: money(), percent: text() })),
  minimum: moneyOrNull(),
  maximum: moneyOrNull(),
  vat_percent: text(),
  vat: Type.Enum(['included', 'added']),
  excise_percent: text(),
});
