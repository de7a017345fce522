import { dayAfter, isoDay, parseDay } from './days.ts';

/** Keeps one format for each time zone, because creating one costs a hundred times as much as using it. */
export function formatsByZone(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): (timeZone: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (timeZone) => {
    const known = formats.get(timeZone);
    if (known !== undefined) return known;
    const made = new Intl.DateTimeFormat(locale, { ...options, timeZone });
    formats.set(timeZone, made);
    return made;
  };
}

/** Where the time comes from, so that tests and the simulation can set it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The system's time in milliseconds since 1970. */
export const systemTimeMs = (): number => Date.now();

/** Text `YYYY-MM-DD HH:MM:SS`, the form of times in requests and responses. */
const WIRE_TIME_PATTERN = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

export interface WireTime {
  /** `YYYY-MM-DD HH:MM:SS` in the service's time zone. */
  format(time: Date): string;
  /** The instant that such a text names; undefined if it is not a valid time. */
  parse(text: string): Date | undefined;
}

/**
 * Times on the wire are local times of one zone.
 * @param timeZone IANA name, such as `Africa/Nairobi`.
 */
export function createWireTime(timeZone: string): WireTime {
  // sv-SE is the locale whose format is YYYY-MM-DD HH:MM:SS.
  const formatter = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  // Formatting costs microseconds and most times of a batch fall into the same second.
  let cachedSecond = Number.NaN;
  let cachedText = '';
  const format = (time: Date): string => {
    const second = Math.floor(time.getTime() / 1000);
    if (second !== cachedSecond) {
      cachedText = formatter.format(time);
      cachedSecond = second;
    }
    return cachedText;
  };
  const parse = (text: string): Date | undefined => {
    if (!WIRE_TIME_PATTERN.test(text)) return undefined;
    const asUtc = new Date(`${text.replace(' ', 'T')}Z`);
    if (Number.isNaN(asUtc.getTime())) return undefined;
    // The zone's offset at about that time, then again at the instant found.
    let instant = asUtc;
    for (let round = 0; round < 2; round += 1) {
      const shown = new Date(`${formatter.format(instant).replace(' ', 'T')}Z`);
      // At the limits of the calendar the year does not have four digits; such a time is invalid.
      if (Number.isNaN(shown.getTime())) return undefined;
      instant = new Date(instant.getTime() + asUtc.getTime() - shown.getTime());
    }
    return formatter.format(instant) === text ? instant : undefined;
  };
  return { format, parse };
}

const HOUR_MS = 3_600_000;

/**
 * The first instant of a day `YYYY-MM-DD` of the service's time zone; undefined if there is no such day.
 * It is not always the only 00:00: in some zones the clock goes from midnight to one, or back to midnight.
 */
export function startOfNamedDay(day: string, wireTime: WireTime): Date | undefined {
  const midnight = wireTime.parse(`${day} 00:00:00`);
  if (midnight === undefined) return wireTime.parse(`${day} 01:00:00`);
  const hourBefore = new Date(midnight.getTime() - HOUR_MS);
  return wireTime.format(hourBefore) === wireTime.format(midnight) ? hourBefore : midnight;
}

/** The first instant of the day, in the service's time zone, that an instant lies in. */
export function startOfDay(instant: Date, wireTime: WireTime): Date {
  return startOfNamedDay(wireTime.format(instant).slice(0, 10), wireTime) ?? instant;
}

/**
 * A day `YYYY-MM-DD` of the service's time zone, from its start to the start of the next one; it may
 * have 23 or 25 hours. Undefined if there is no such day.
 */
export function periodOfDay(
  day: string,
  wireTime: WireTime,
): { readonly from: Date; readonly to: Date } | undefined {
  return parseDay(day) === undefined ? undefined : periodOf(day, dayAfter(day), wireTime);
}

/** A month `YYYY-MM` of the service's time zone. Undefined if there is no such month. */
export function periodOfMonth(
  month: string,
  wireTime: WireTime,
): { readonly from: Date; readonly to: Date } | undefined {
  const first = parseDay(`${month}-01`);
  if (first === undefined) return undefined;
  const next = isoDay(new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1)));
  return periodOf(`${month}-01`, next, wireTime);
}

/** From the start of one day to the start of another. */
function periodOf(
  first: string,
  next: string,
  wireTime: WireTime,
): { readonly from: Date; readonly to: Date } | undefined {
  const [from, to] = [startOfNamedDay(first, wireTime), startOfNamedDay(next, wireTime)];
  return from === undefined || to === undefined ? undefined : { from, to };
}

const ISO_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** ISO 8601 with an offset or `Z`; undefined if it is not a valid time in this form. */
export function parseIsoTime(text: string): Date | undefined {
  if (!ISO_PATTERN.test(text) || parseDay(text.slice(0, 10)) === undefined) return undefined;
  const time = new Date(text);
  // An offset may lead to a year that has not four digits, which the database cannot read.
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9_999 ? time : undefined;
}

/**
 * A time in any form that senders use: epoch seconds, epoch milliseconds, the wire's own form, or
 * ISO 8601. Without an offset, ISO 8601 is a time in the service's zone. Returns undefined if the
 * text has none of these forms.
 */
export function parseSenderTime(text: string, wireTime: WireTime): Date | undefined {
  if (/^\d{9,10}$/.test(text)) return new Date(Number(text) * 1000);
  if (/^\d{12,13}$/.test(text)) return new Date(Number(text));
  return wireTime.parse(text) ?? parseIsoSenderTime(text, wireTime);
}

const BASIC_PATTERN = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})?(.*)$/;
const LOCAL_PATTERN = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2})?(\.\d{1,9})?$/;

/** ISO 8601 in its extended or basic form. */
function parseIsoSenderTime(text: string, wireTime: WireTime): Date | undefined {
  const extended = toExtended(text);
  const [, day, minutes, seconds, fraction] = LOCAL_PATTERN.exec(extended) ?? [];
  if (day === undefined || minutes === undefined) return parseIsoTime(extended);
  if (seconds === undefined && fraction !== undefined) return undefined;
  const whole = wireTime.parse(`${day} ${minutes}${seconds ?? ':00'}`);
  return whole && new Date(whole.getTime() + Math.floor(Number(fraction ?? 0) * 1000));
}

/** A basic time in the extended form; anything else as it is. */
function toExtended(text: string): string {
  const parts = BASIC_PATTERN.exec(text);
  if (parts === null) return text;
  const [, year, month, day, hour, minute, second = '00', rest = ''] = parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${rest}`;
}
