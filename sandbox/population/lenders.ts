import type { ProductType } from '../../src/credit/facts.ts';
import type { Sector } from '../../src/parties/vendor.ts';

/** A kind of loan somebody may take: who grants it, how much and for how long. */
export interface Offer {
  readonly lender: string;
  readonly sector: Sector;
  readonly product: ProductType;
  readonly fromShillings: number;
  readonly toShillings: number;
  readonly termMonths: readonly number[];
  readonly chargePercent: number;
  /** Frequency of the loan, compared with the others. */
  readonly weight: number;
}

type Row = readonly [
  lender: string,
  sector: Sector,
  product: ProductType,
  shillings: readonly [from: number, to: number],
  termMonths: readonly number[],
  chargePercent: number,
  weight: number,
];

function offers(rows: readonly Row[]): readonly Offer[] {
  return rows.map(([lender, sector, product, [from, to], termMonths, chargePercent, weight]) => ({
    lender,
    sector,
    product,
    fromShillings: from,
    toShillings: to,
    termMonths,
    chargePercent,
    weight,
  }));
}

/** Mobile loans: banks grant them too. The amounts are first loans; they grow with good repayment. */
export const MOBILE_OFFERS = offers([
  ['DEMO_MOBILE_1', 'mobile_lender', 'I', [500, 4_000], [1], 9, 4],
  ['DEMO_MOBILE_2', 'mobile_lender', 'I', [1_000, 6_000], [1, 2], 12, 3],
  ['DEMO_MOBILE_3', 'mobile_lender', 'I', [1_000, 8_000], [1, 2, 3], 15, 2],
  ['DEMO_BANK_1', 'bank', 'I', [1_000, 10_000], [1, 3], 8, 3],
  ['DEMO_BANK_2', 'bank', 'I', [2_000, 10_000], [1, 3, 6], 8, 2],
]);

export const OTHER_OFFERS = offers([
  ['DEMO_BANK_1', 'bank', 'H', [50_000, 800_000], [24, 36, 48], 20, 5],
  ['DEMO_BANK_1', 'bank', 'B', [20_000, 200_000], [12, 24], 28, 2],
  ['DEMO_BANK_2', 'bank', 'A', [20_000, 150_000], [6, 12], 16, 2],
  ['DEMO_BANK_2', 'bank', 'F', [300_000, 2_500_000], [36, 48], 24, 2],
  ['DEMO_BANK_3', 'bank', 'E', [2_000_000, 9_000_000], [120, 180], 90, 1],
  ['DEMO_BANK_3', 'bank', 'D', [200_000, 2_000_000], [24, 36], 22, 1],
  ['DEMO_BANK_3', 'bank', 'G', [100_000, 900_000], [3, 6], 9, 0.5],
  ['DEMO_MFI_1', 'microfinance', 'C', [15_000, 150_000], [6, 12], 18, 3],
  ['DEMO_MFI_2', 'microfinance', 'K', [10_000, 80_000], [6, 12], 16, 3],
  ['DEMO_SACCO_1', 'sacco', 'H', [30_000, 600_000], [12, 24, 36], 14, 4],
  ['DEMO_SACCO_2', 'sacco', 'K', [20_000, 200_000], [12, 18], 13, 2],
  ['DEMO_INSURER_1', 'insurance', 'J', [15_000, 90_000], [3, 6, 10], 6, 1],
  ['DEMO_SHOP_1', 'retail', 'F', [8_000, 60_000], [6, 12], 30, 2],
  ['DEMO_SHOP_2', 'retail', 'H', [3_000, 30_000], [3, 6], 24, 1],
  ['DEMO_UTILITY_1', 'utility', 'L', [2_000, 20_000], [3, 6], 2, 1],
  ['DEMO_TRADER_1', 'other', 'C', [10_000, 120_000], [3, 6], 15, 1],
]);

/** The report reason under which a lender asks before it grants a loan of this product. */
export const REASON_OF_PRODUCT: Readonly<Record<ProductType, number>> = {
  A: 5,
  B: 6,
  C: 7,
  D: 8,
  E: 9,
  F: 10,
  G: 11,
  H: 2,
  I: 12,
  J: 2,
  K: 2,
  L: 1,
};
