import { Type } from 'typebox';
import type { Static } from 'typebox';

export const BANK_STATEMENT = 'bank_statement';

export const content = Type.Object(
  {
    source: Type.String({ pattern: '^[a-z0-9_]{1,40}$' }),
    /** Lines that the bank shows as well, although they may be payers' texts. */
    acceptedLines: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 1_000 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    bytes: Type.Integer({ minimum: 1 }),
    /** Of the source when it was proposed: the lines are read with them, and collected in its name. Absent: old. */
    settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    collector: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type BankStatement = Static<typeof content>;
