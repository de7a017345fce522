import { codeField, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';

export const BANK_STATEMENT = 'bank_statement';

export const content = strict({
  source: codeField,
  /** Lines that the bank shows as well, although they may be payers' texts. */
  acceptedLines: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 1_000 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 1 }),
  /** The settings and the collector that the source had when the file was proposed. Its lines are read with them. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  collector: Type.String(),
});
export type BankStatement = Static<typeof content>;
