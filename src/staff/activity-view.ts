import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { ActivityInterval, ActivitySums } from '../payments/overview/activity.ts';
import { orNull, time } from './fields.ts';
import type { Options } from './fields.ts';
import { fit, wireOf } from './wire.ts';

/** Payments of a period, by the time when they were created. */
export const sums = (options: Options = {}) =>
  Type.Object(
    {
      created: Type.Integer(),
      paid: Type.Integer(),
      failed: Type.Integer(),
      /** Without a final state. */
      open: Type.Integer(),
      /** 0 to 1; null: none has a final state. */
      success_rate: orNull(Type.Number()),
      /** Seconds to the final state, within 10 %. */
      p50_seconds: orNull(Type.Number()),
      p95_seconds: orNull(Type.Number()),
    },
    options,
  );
const sumsView = sums();
export type PaymentSums = Static<typeof sumsView>;

export const sumsOf = (of: ActivitySums): PaymentSums => fit(sumsView, wireOf(of));

/** A bar of a chart. */
export const interval = Type.Object({
  begin: time(),
  paid: Type.Integer(),
  failed: Type.Integer(),
  open: Type.Integer(),
  p95_seconds: orNull(Type.Number()),
});
export type PaymentInterval = Static<typeof interval>;

export const intervalOf = (of: ActivityInterval): PaymentInterval => fit(interval, wireOf(of));

const percent = (rate: number | null): string =>
  rate === null ? '-' : `${(rate * 100).toFixed(2)} %`;
export const secondsText = (value: number | null): string =>
  value === null ? '-' : `${value < 10 ? Number(value.toPrecision(2)) : value.toFixed(0)} s`;

/** The sums in a line. */
export const sumsText = ({ created, ...of }: PaymentSums): string =>
  `${created} (${percent(of.success_rate)} paid, median ${secondsText(of.p50_seconds)}, 95th percentile ${secondsText(of.p95_seconds)})`;
