import type { Range } from '../../connectors/operator.ts';
import { CURRENCY, formatMoney } from '../../platform/base/money.ts';

/** A product that payments of a biller may buy from an operator, with what may be paid for it. */
export interface SoldProduct extends Range {
  readonly billerCode: string;
  readonly operatorCode: string;
  readonly name: string;
  readonly value: string;
  readonly validity: string | null;
}

/** Which amounts a biller takes within its limits: any, or those of the products that are sold for it. */
export const AMOUNT_RULES = ['any', 'products'] as const;
export type AmountRule = (typeof AMOUNT_RULES)[number];

/** True if the amount buys one of the products, or if no product has a known price. */
export function isSold(ranges: readonly Range[], amountCents: bigint): boolean {
  return (
    ranges.length === 0 ||
    ranges.some(
      ({ minimumCents, maximumCents }) =>
        amountCents >= minimumCents && amountCents <= maximumCents,
    )
  );
}

const MAX_LISTED = 12;

/** The amounts for people: `50.00, 100.00, 200.00 to 500.00`. */
export function amountsText(ranges: readonly Range[]): string {
  const sorted = ranges.toSorted((one, other) => Number(one.minimumCents - other.minimumCents));
  const texts = [...new Set(sorted.map((range) => rangeText({ ...range, currency: CURRENCY })))];
  const more = texts.length > MAX_LISTED ? ', …' : '';
  return `${texts.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** `100.00`, `10.00 to 10000.00`; with the currency if it is not ours. */
export function rangeText({ minimumCents, maximumCents, currency }: Range): string {
  const ends = [...new Set([minimumCents, maximumCents])].map((cents) => formatMoney(cents));
  return `${ends.join(' to ')}${currency === CURRENCY ? '' : ` ${currency}`}`;
}
