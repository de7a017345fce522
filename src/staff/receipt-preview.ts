import { Type } from 'typebox';
import type { PreviewedLine } from '../payments/uploads/bank-statement.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { formatMoney } from '../platform/base/money.ts';
import { view } from './definition.ts';
import { requireFile } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, orNull, text, textOrNull, titled } from './fields.ts';

const core = async () => await import('../payments/uploads/bank-statement.ts');

/** A statement, as it is tried and imported. */
export const statement = {
  file: {
    ...{ name: 'file', description: 'the file of the bank or provider' },
    maxBytes: LIMITS.consoleFileBytes,
  },
  input: {
    source: fields.code({ description: 'code of the source' }),
    accepted_lines: Type.Optional(
      fields.listOf(Type.Integer({ minimum: 1, maximum: 10_000_000 }), {
        ...{ option: 'accept-line', placeholder: 'line', form: 'the number of a line' },
        description:
          'a line that the bank shows as well, although it may be a payer’s text; repeatable',
        read: (given) => (/^[1-9]\d{0,6}$/.test(given) ? Number(given) : undefined),
      }),
    ),
  },
};

const OUTCOMES = {
  credited: 'credited',
  waiting: 'waits for people',
  repeated: 'known already',
  conflicts: 'contradicts what is known',
  reversed: 'was taken back',
  credit_returned: 'returned: a case is opened',
  debit: 'went out',
  debit_returned: 'went out and came back',
  no_payment: 'from accounts of ours',
  pending: 'not booked',
  ignored: 'no movement',
} as const satisfies Record<PreviewedLine['outcome'], string>;

export const PREVIEW = view(core, {
  name: 'receipt.preview',
  summary:
    'Show what the import of a statement would do with each row: what it would credit, leave to people and ignore.',
  route: 'POST /receipt-sources/:source/preview',
  permission: 'receipts.read',
  file: statement.file,
  input: inputOf(statement.input),
  output: Type.Object({
    /** Delimiter and encoding that were recognised; null for a format that has no choice of them. */
    read_as: textOrNull(),
    lines: Type.Array(
      Type.Object({
        line: Type.Integer({ title: 'Line' }),
        outcome: Type.Enum(Object.keys(OUTCOMES) as PreviewedLine['outcome'][], {
          ...{ title: 'Outcome', text: (outcome: PreviewedLine['outcome']) => OUTCOMES[outcome] },
        }),
        vid: textOrNull({ title: 'Vendor' }),
        amount: orNull(fields.money(), { title: 'Amount' }),
        ...titled({ account: textOrNull, reference: textOrNull }),
        booked_at: fields.timeOrNull({ title: 'Booked', wide: true }),
        text: text({ title: 'Text', wide: true }),
        because: textOrNull({ title: 'Because', wrapped: true }),
      }),
    ),
  }),
  rows: 'lines',
  empty: 'no rows',
  handle: async ({ core: loaded, input, deps }) => {
    const { source: code, accepted_lines: acceptedLines = [] } = input;
    const { form, lines } = await loaded.previewBankStatement(deps, {
      ...{ source: code, file: requireFile(deps).path, acceptedLines },
    });
    return {
      read_as: form,
      lines: lines.map(({ amountCents, at, ...row }) => ({
        ...row,
        amount: amountCents === null ? null : formatMoney(amountCents),
        booked_at: at?.toISOString() ?? null,
      })),
    };
  },
});
