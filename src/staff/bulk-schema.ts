import { Type } from 'typebox';
import type { Static } from 'typebox';
import * as fields from './fields.ts';
import { count, money, moneyOrNull, orNull, text, textOrNull, titled } from './fields.ts';
import type { PageOf } from './lists.ts';

/** A file of payments as people see it: its rows before it is submitted, and what has come of them. */

const batch = {
  reference: text({ title: 'Reference' }),
  created_at: fields.time({ title: 'Submitted' }),
  /** Null: not every row is decided. */
  ...titled({ ended_at: fields.timeOrNull, rows: count, accepted: count, refused: count }),
};
export const batchView = Type.Object(batch);
export type BatchView = Static<typeof batchView>;

export type BatchList = PageOf<'batches', typeof batchView>;

const problem = { code: text(), field: textOrNull(), text: text() };

const checkedRow = Type.Object({
  /** From 1; the header is not counted. */
  row: Type.Integer(),
  biller: textOrNull(),
  account: textOrNull(),
  amount: moneyOrNull(),
  fee: moneyOrNull(),
  merchant_reference: textOrNull(),
  /** Null: it would be accepted. */
  problem: orNull(Type.Object(problem)),
  /** The payment, or the earlier row of the file, that is the same: it is not paid again. */
  repeats: orNull(Type.Object({ reference: textOrNull(), row: orNull(Type.Integer()) })),
});
export type CheckedRow = Static<typeof checkedRow>;

export const fileChecked = Type.Object({
  rows: Type.Integer(),
  right: Type.Integer(),
  wrong: Type.Integer(),
  /** Rows that were paid before, or that repeat an earlier row. */
  repeated: Type.Integer(),
  /** The sum of the rows that can be paid, and of their fees. */
  amount: money(),
  fee: money(),
  total: money(),
  float: money(),
  /** False: the float is not enough for all of them. */
  is_enough: Type.Boolean(),
  /** Every wrong and every repeated row, and the first right ones. */
  shown: Type.Array(checkedRow),
});
export type FileChecked = Static<typeof fileChecked>;

export const batchDetail = Type.Object({
  ...batch,
  /** The first refused rows; the file of results has all of them. */
  refusals: Type.Array(
    Type.Object({ row: Type.Integer(), merchant_reference: textOrNull(), ...problem }),
  ),
});
export type BatchDetail = Static<typeof batchDetail>;
