import { parseSenderTime, periodOfDay } from '../platform/base/clock.ts';
import type { WireTime } from '../platform/base/clock.ts';
import { Refusal } from '../platform/base/errors.ts';

/** The start of a day of the service’s time zone, or a moment in any form that senders use. Throws: `invalid_field`. */
export function readMoment(text: string, field: string, wireTime: WireTime): Date {
  const at = periodOfDay(text, wireTime)?.from ?? parseSenderTime(text, wireTime);
  if (at !== undefined) return at;
  throw new Refusal('invalid_field', { field, text: `${field} is not a valid day or time` });
}
