/**
 * Mobile prefixes of Kenya (three digits after +254) and the airtime biller that serves them.
 *
 * Source: Communications Authority of Kenya, Telecommunication Numbering Plan for Kenya
 * (CA/LCS/NNP/OCT/2019), section 1.1, with the 010x and 011x ranges assigned since 2019. Numbers
 * can be ported between networks, so a prefix shows who was assigned the number, not who serves it.
 */
const RANGES: readonly (readonly [billerCode: string, from: number, to: number])[] = [
  ['safaricom', 700, 729],
  ['airtel', 730, 739],
  ['safaricom', 740, 743],
  ['safaricom', 745, 746],
  ['jtl', 747, 747],
  ['safaricom', 748, 748],
  ['airtel', 750, 756],
  ['safaricom', 757, 759],
  ['airtel', 762, 762],
  ['safaricom', 768, 769],
  ['telkom', 770, 779],
  ['airtel', 780, 789],
  ['safaricom', 790, 799],
  ['airtel', 100, 108],
  ['safaricom', 110, 119],
];

export interface PhonePrefix {
  /** Three digits, without the leading 0. */
  readonly prefix: string;
  readonly billerCode: string;
}

export const KENYAN_PREFIXES: readonly PhonePrefix[] = RANGES.flatMap(([billerCode, from, to]) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    prefix: String(from + index),
    billerCode,
  })),
);
