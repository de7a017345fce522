import { periodOfDay } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { decodeReference } from '../../parties/reference.ts';
import { MONEY_PATTERN, formatMoney, parseMoney } from '../../platform/base/money.ts';
import { searchedMobileNumber } from './term.ts';

/** A part of a search text, and the meaning that it was given. */
export interface Understood {
  /** `text`: an account, a merchant reference or a phone number of another country. */
  readonly kind: 'reference' | 'phone' | 'vendor' | 'amount' | 'day' | 'text';
  /** In its usual form, such as `254722000001`, `1450.00` or `2026-11-22`. */
  readonly value: string;
}

/** A search text as filters. */
export interface UnderstoodSearch {
  readonly understood: readonly Understood[];
  /** A reference, phone number, account or merchant reference; undefined: none was given. */
  readonly term: string | undefined;
  readonly vid: string | undefined;
  readonly amountCents: bigint | undefined;
  /** All days that the text names, as one period. */
  readonly period: { readonly from: Date; readonly to: Date } | undefined;
}

export interface SearchContext {
  readonly isVendor: (vid: string) => boolean;
  readonly now: Date;
  readonly wireTime: WireTime;
}

/** A longer number without a decimal point is an account. */
const BARE_AMOUNT = /^[1-9]\d{0,3}$/;

/**
 * Reads a text of a search box, such as `0722 000 001 yesterday` or `KES 1,450 demo`. Words that are a
 * vendor, an amount or a day restrict the search; the others together are what is searched for. Pure.
 */
export function understandSearch(text: string, context: SearchContext): UnderstoodSearch {
  const whole = text.trim().replaceAll(/\s+/g, ' ');
  if (decodeReference(whole.toUpperCase()) !== undefined) {
    return searchOf([{ kind: 'reference', value: whole.toUpperCase() }], whole, context);
  }
  const words = whole.replaceAll(/\b(?:KES|KSH|SH)\.? ?(?=\d)/gi, 'KES').split(' ');
  const understood: Understood[] = [];
  const rest: string[] = [];
  for (const word of words) {
    const meaning = meaningOf(word, context);
    if (meaning === undefined) rest.push(word);
    else understood.push(meaning);
  }
  const term = rest.join(' ');
  if (term === '') return searchOf(understood, undefined, context);
  if (BARE_AMOUNT.test(term)) {
    understood.push({ kind: 'amount', value: formatMoney(parseMoney(term)) });
    return searchOf(understood, undefined, context);
  }
  const phone = searchedMobileNumber(term);
  understood.unshift(
    phone === undefined ? { kind: 'text', value: term } : { kind: 'phone', value: phone },
  );
  return searchOf(understood, term, context);
}

/** The text as it is: an account or a reference, whatever else it looks like. */
export function searchExactly(text: string): UnderstoodSearch {
  const value = text.trim();
  const nothing = { vid: undefined, amountCents: undefined, period: undefined };
  return { understood: [{ kind: 'text', value }], term: value, ...nothing };
}

function meaningOf(word: string, context: SearchContext): Understood | undefined {
  if (context.isVendor(word)) return { kind: 'vendor', value: word };
  const amount = amountOf(word);
  if (amount !== undefined) return { kind: 'amount', value: amount };
  const day = dayOf(word.toLowerCase(), context);
  return day === undefined ? undefined : { kind: 'day', value: day };
}

/** With a currency, a decimal point or separators of thousands. */
function amountOf(word: string): string | undefined {
  const [, currency, digits = ''] =
    /^(KES)?(\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d{1,12}(?:\.\d{1,2})?)$/.exec(word) ?? [];
  const plain = digits.replaceAll(',', '');
  const isMarked = currency !== undefined || /[.,]/.test(digits);
  if (!isMarked || !MONEY_PATTERN.test(plain)) return undefined;
  return formatMoney(parseMoney(plain));
}

/** Days ago. A map: people search for any word, such as `constructor`. */
const RELATIVE: ReadonlyMap<string, number> = new Map(
  Object.entries({ today: 0, leo: 0, yesterday: 1, jana: 1 }),
);

function dayOf(word: string, { now, wireTime }: SearchContext): string | undefined {
  const ago = RELATIVE.get(word);
  if (ago !== undefined) {
    return wireTime.format(new Date(now.getTime() - ago * DAY_MS)).slice(0, 10);
  }
  const [, date, month, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(word) ?? [];
  const day =
    year === undefined ? word : `${year}-${month?.padStart(2, '0')}-${date?.padStart(2, '0')}`;
  return periodOfDay(day, wireTime) === undefined ? undefined : day;
}

function searchOf(
  understood: readonly Understood[],
  term: string | undefined,
  { wireTime }: SearchContext,
): UnderstoodSearch {
  const valueOf = (kind: Understood['kind']): string | undefined =>
    understood.findLast((part) => part.kind === kind)?.value;
  const amount = valueOf('amount');
  const days = understood.filter(({ kind }) => kind === 'day').map(({ value }) => value);
  const [first, last] = [days.toSorted()[0], days.toSorted().at(-1)];
  const from = first === undefined ? undefined : periodOfDay(first, wireTime)?.from;
  const to = last === undefined ? undefined : periodOfDay(last, wireTime)?.to;
  return {
    understood,
    term,
    vid: valueOf('vendor'),
    amountCents: amount === undefined ? undefined : parseMoney(amount),
    period: from === undefined || to === undefined ? undefined : { from, to },
  };
}
