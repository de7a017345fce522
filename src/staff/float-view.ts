import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FloatForecast } from '../payments/billers/float-forecasts.ts';
import { moneyOrNull, orNull, text, timeOrNull } from './fields.ts';
import { wireOf } from './wire.ts';

/** Our float with an operator, as the operator reports it. */
export const floatView = Type.Object({
  operator: text({ title: 'Operator' }),
  /** Null until the operator has answered. */
  balance: moneyOrNull({ title: 'Balance', nullText: 'not known' }),
  polled_at: timeOrNull({ title: 'Reported', wide: true }),
  state: Type.Enum(['enough', 'low', 'stopped'], { title: 'State' }),
  /** Until the stop limit; null: not within two weeks, or not known. */
  hours_left: orNull(Type.Number(), {
    ...{ title: 'Hours left', unit: 'count' },
    text: (hours: number | null) => (hours === null ? 'not known' : hours.toFixed(1)),
  }),
  low: moneyOrNull({ title: 'Low', nullText: 'not set' }),
  stop: moneyOrNull({ title: 'Stop', nullText: 'not set' }),
  resume: moneyOrNull({ title: 'Resume', nullText: 'not set' }),
});
export type FloatView = Static<typeof floatView>;

export const floatOf = (float: FloatForecast): FloatView => wireOf(float);
