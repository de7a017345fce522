import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { ListedOperator } from '../payments/overview/operators.ts';
import type { ActivitySums } from '../payments/overview/activity.ts';
import { interval, sums, sumsOf, sumsText } from './activity-view.ts';
import { orNull, text } from './fields.ts';
import { floatOf, floatView } from './float-view.ts';
import { wireOf } from './wire.ts';

/** An operator as people see it. */

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const row = {
  operator: text({ title: 'Code' }),
  name: text({ title: 'Name', wide: true }),
  connector: text({ title: 'Connector', wide: true }),
  base_url: text({ title: 'Base URL' }),
  max_concurrency: Type.Integer({ title: 'Concurrent', unit: 'count' }),
  max_per_second: orNull(Type.Integer(), {
    ...{ title: 'Per second', unit: 'count', nullText: 'no limit' },
  }),
  has_key: Type.Boolean({ title: 'Key', text: (has: boolean) => (has ? 'set' : 'missing') }),
  settings: Type.Record(Type.String(), Type.Unknown(), {
    ...{ title: 'Settings', wide: true },
    text: (settings: Readonly<Record<string, unknown>>) =>
      Object.entries(settings)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(' '),
  }),
  /** Those with a route through it. */
  billers: Type.Array(Type.String(), {
    ...{ title: 'Billers', wide: true },
    text: (codes: readonly string[]) => codes.join(' '),
  }),
  /** Those for which nothing is sent through it now. */
  blocked: Type.Array(Type.Object({ biller: text(), obstacle: text() })),
  /** Raised by every change of where instructions go. */
  version: Type.Integer(),
};

export const operatorRow = Type.Object({
  ...row,
  float: orNull(floatView),
  /** Payments whose outcome it has to report. */
  open_instructions: Type.Integer(),
  last_hour: sums(),
});
export type OperatorRow = Static<typeof operatorRow>;

export const operatorView = Type.Object({
  ...row,
  float: orNull(floatView, { title: 'Our float' }),
  open_instructions: Type.Integer({ title: 'Without a result' }),
  last_hour: sums({ title: 'Last hour', text: sumsText }),
  /** The last 24 hours, by half-hour, of payments with a final state. */
  intervals: Type.Array(interval),
});
export type OperatorView = Static<typeof operatorView>;

/** @param lastHour sums of payments with a final state. */
export function operatorOf(one: ListedOperator, lastHour: ActivitySums): OperatorRow {
  const { float, ...rest } = one;
  return { ...wireOf(rest), float: float && floatOf(float), last_hour: sumsOf(lastHour) };
}
