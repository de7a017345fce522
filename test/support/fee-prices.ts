import type { FeeFormula, FeePrices } from '../../src/payments/prices/price.ts';

/**
 * Fees that payments of `newPayment` may have. `openBooks` puts their prices in force one after
 * another, for a millisecond each. A payment created within ten minutes may have any of them
 * (src/payments/audit/price-check.ts). The version is the fee in cents, plus 10,000 for the second
 * biller.
 */
export const FIXTURE_FEES: readonly {
  readonly feeCents: bigint;
  readonly vatBps: number;
  readonly exciseBps: number;
}[] = [
  ...[5n, 10n, 25n, 30n, 50n, 100n, 150n, 1_001n].map((feeCents) => ({
    ...{ feeCents, vatBps: 0, exciseBps: 0 },
  })),
  // Including 16 cents of VAT.
  { feeCents: 116n, vatBps: 1_600, exciseBps: 0 },
  // Including 15 cents of excise duty, and 18 cents of VAT.
  { feeCents: 133n, vatBps: 1_600, exciseBps: 1_500 },
];
export const SECOND_BILLER_VERSIONS = 10_000;

/** The version of the fixture's price with this fee; null for no fee. */
export function fixturePrice(feeCents: bigint, isSecondBiller = false): number | null {
  if (feeCents === 0n) return null;
  if (!FIXTURE_FEES.some((price) => price.feeCents === feeCents)) {
    throw new Error(`the fixture has no price with a fee of ${feeCents}`);
  }
  return Number(feeCents) + (isSecondBiller ? SECOND_BILLER_VERSIONS : 0);
}

/** A formula without tiers, limits and VAT. */
export function flatFormula(flatCents: bigint, given: Partial<FeeFormula> = {}): FeeFormula {
  return {
    tiers: [{ fromCents: 0n, flatCents, bps: 0 }],
    minimumCents: null,
    maximumCents: null,
    vatBps: 0,
    vatIncluded: false,
    ...given,
  };
}

/** Prices of a biller in memory: one flat fee for every vendor, of version 1. */
export function flatPrices(flatCents: bigint): FeePrices {
  return new Map([[null, [{ ...flatFormula(flatCents), version: 1, validFrom: new Date(0) }]]]);
}
