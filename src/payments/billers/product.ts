import { CURRENCY, formatMoney } from '../../platform/base/money.ts';

/** Something that an operator sells: a bundle, a bouquet, a voucher, or payments of a kind of bill. */
export interface Product {
  /** The operator's own code, as its settings name it. */
  readonly productCode: string;
  readonly name: string;
  /** Such as "Utilities, Electricity". */
  readonly service: string;
  /** Who delivers it. */
  readonly provider: string;
  /** Value for the receiver, as the operator writes it: `100 KES`, `10 to 10000 KES`, `1 GB`. */
  readonly value: string;
  /** The payable amount; null if the operator does not say. */
  readonly amount: Range | null;
  /** The price that we pay to the operator; null if it does not say. */
  readonly price: Range | null;
  /** Period in which the receiver can use it, as the operator writes it. */
  readonly validity: string | null;
  /** Field that a payment must have, such as `account_number`. */
  readonly requires: string;
  /** Our billers whose payments buy it, by the operator's settings. */
  readonly billerCodes: readonly string[];
}

/** A range of money, both ends included; equal for a fixed price. */
export interface Range {
  readonly minimumCents: bigint;
  readonly maximumCents: bigint;
  readonly currency: string;
}

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
