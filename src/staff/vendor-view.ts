import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  DUPLICATE_CHECKS,
  DUPLICATE_WINDOWS,
  ENQUIRY_POLICIES,
  SECTORS,
  STATUS_TEXTS,
} from '../parties/vendor.ts';
import type { DuplicateWindow } from '../parties/vendor.ts';
import * as fields from './fields.ts';
import { moneyOrNull, orNull, text, titled } from './fields.ts';
import { formula } from './price-schema.ts';
import { signature, STATUSES } from './signer-schema.ts';

/** A vendor as people see it. */

interface Row {
  readonly duplicate_window_seconds: number;
}

const hours = (value: number | null): string => (value === null ? 'not known' : value.toFixed(1));

export const duplicateWindow = (options: fields.Options = {}) =>
  Type.Unsafe<DuplicateWindow>({ type: 'integer', enum: [...DUPLICATE_WINDOWS], ...options });

export const vendorRow = {
  vid: text({ title: 'VID' }),
  name: text({ title: 'Name' }),
  sector: Type.Enum([...SECTORS], { title: 'Sector' }),
  status: Type.Enum([...STATUSES], { title: 'Status' }),
  duplicate_check: Type.Enum([...DUPLICATE_CHECKS], {
    title: 'Duplicate check',
    wide: true,
    text: (when: string, { duplicate_window_seconds: seconds }: Row) => `${when}, ${seconds} s`,
  }),
  duplicate_window_seconds: duplicateWindow(),
  reference_required: Type.Boolean({
    title: 'Reference',
    text: (isRequired: boolean) => (isRequired ? 'required' : 'optional'),
  }),
  enquiry_policy: Type.Enum([...ENQUIRY_POLICIES], { title: 'Enquiries', wide: true }),
  signature: signature({ title: 'Signature', wide: true }),
  status_text: Type.Enum([...STATUS_TEXTS], { title: 'Status text', wide: true }),
  ...titled({ float: fields.money, collected: fields.money }),
  /** The limit for the event `float.low`; null: no event. */
  low: moneyOrNull(),
  /** Null: nobody watches the float. */
  float_state: orNull(Type.Enum(['enough', 'low'])),
  /** Null: not within two weeks, or not known. */
  hours_left: orNull(Type.Number()),
  top_ups: Type.Array(Type.Enum(['fund', 'push'])),
  today: Type.Object({
    count: Type.Integer(),
    failed: Type.Integer(),
    /** Sum of the payments that have not failed. */
    amount: fields.money(),
  }),
  created_at: fields.time(),
};
export const rowView = Type.Object(vendorRow);
export type VendorRowView = Static<typeof rowView>;

/** The columns of `vendor floats`. */
export const floatView = Type.Object({
  vid: vendorRow.vid,
  float: vendorRow.float,
  collected: vendorRow.collected,
  low: moneyOrNull({ title: 'Low', nullText: 'not set' }),
  float_state: orNull(Type.Enum(['enough', 'low']), { title: 'State', nullText: 'not watched' }),
  hours_left: orNull(Type.Number(), { title: 'Hours left', unit: 'count', text: hours }),
  top_ups: Type.Array(Type.Enum(['fund', 'push']), {
    title: 'Top-up',
    text: (kinds: readonly string[]) => kinds.join(' '),
  }),
});

const priceView = Type.Object({
  biller: text({ title: 'Biller' }),
  /** True: it is agreed with this vendor; false: it is everybody's. */
  is_own: Type.Boolean({ title: 'Own' }),
  valid_from: fields.time({ title: 'From' }),
  formula,
});

export type VendorPrice = Static<typeof priceView>;

export const vendorView = Type.Object({
  ...vendorRow,
  reserved: fields.money({ title: 'Reserved' }),
  prices: Type.Array(priceView, { title: 'Prices' }),
});
export type VendorView = Static<typeof vendorView>;
