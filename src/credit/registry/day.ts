import { formatsByZone } from '../../platform/base/clock.ts';

/** UTC midnight of the calendar day in the time zone. */
export function startOfDay(now: Date, timeZone: string): Date {
  return new Date(`${dayFormatOf(timeZone).format(now)}T00:00:00Z`);
}

const dayFormatOf = formatsByZone('sv-SE', { dateStyle: 'short' });
