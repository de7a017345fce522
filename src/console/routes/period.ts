import { Type } from 'typebox';

export { readBookPeriod, readEnd, readStart, untilNow } from '../../platform/base/period.ts';

/** A day of the service's time zone, `2026-11-22`, or an instant such as `2026-11-22T06:00:00Z`. */
export const time = Type.String({ maxLength: 40 });
