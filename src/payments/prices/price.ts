/** The part of a price that depends on the amount: flat, and in basis points of the amount. */
export interface Rate {
  readonly flatCents: bigint;
  readonly bps: number;
}

/** The rate for amounts from `fromCents` to the next tier. */
export interface FeeTier extends Rate {
  readonly fromCents: bigint;
}

/** Computes the fee of a payment from its amount. */
export interface FeeFormula {
  /** Ascending, the first from 0. Empty: there is no price. */
  readonly tiers: readonly FeeTier[];
  /** Smallest fee before VAT is added; null: no minimum. */
  readonly minimumCents: bigint | null;
  readonly maximumCents: bigint | null;
  readonly vatBps: number;
  /** True: the fee includes its VAT, and its excise duty. False: they are added to it. */
  readonly vatIncluded: boolean;
  /** Excise duty on the fee, in basis points of what we earn. VAT is charged on both. Absent: none. */
  readonly exciseBps?: number;
}

/** The operator's charge to us for a payment, and its commission to us. */
export interface OperatorTerms {
  readonly cost: Rate;
  readonly commission: Rate;
  /** True: it keeps the commission out of what it takes from our float. False: it pays it later. */
  readonly commissionNetted: boolean;
}

/** A row of a price list. */
export interface Versioned {
  readonly version: number;
  readonly validFrom: Date;
}

export interface FeePrice extends FeeFormula, Versioned {}
export interface OperatorPrice extends OperatorTerms, Versioned {}

/** A biller's fee prices: by vendor, and under null those of every other vendor. In order of time. */
export type FeePrices = ReadonlyMap<number | null, readonly FeePrice[]>;

export interface Fee {
  /** With the VAT and the excise duty. */
  readonly feeCents: bigint;
  readonly vatCents: bigint;
}

const WHOLE_BPS = 10_000n;

/** Cents rounded half up; both arguments are zero or more. */
function divide(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator / 2n) / denominator;
}

/** Must round as functions/share_of.sql does. */
export function shareOf(amountCents: bigint, { flatCents, bps }: Rate): bigint {
  return flatCents + divide(amountCents * BigInt(bps), WHOLE_BPS);
}

/** The fee of a payment of this amount. */
export function feeOf(formula: FeeFormula, amountCents: bigint): Fee {
  const tier = formula.tiers.findLast(({ fromCents }) => fromCents <= amountCents);
  if (tier === undefined) return { feeCents: 0n, vatCents: 0n };
  const price = clamp(shareOf(amountCents, tier), formula);
  const vatBps = BigInt(formula.vatBps);
  const base = formula.vatIncluded
    ? price
    : price + divide(price * BigInt(formula.exciseBps ?? 0), WHOLE_BPS);
  if (formula.vatIncluded) {
    return { feeCents: base, vatCents: divide(base * vatBps, WHOLE_BPS + vatBps) };
  }
  const vatCents = divide(base * vatBps, WHOLE_BPS);
  return { feeCents: base + vatCents, vatCents };
}

/**
 * The excise duty in a fee. What was added, rounded, to what we earn is found again exactly: the share of the
 * sum differs from it by less than half a cent. Must round as functions/excise_of.sql does.
 */
export function exciseOf({ feeCents, vatCents }: Fee, exciseBps: number): bigint {
  const bps = BigInt(exciseBps);
  return divide((feeCents - vatCents) * bps, WHOLE_BPS + bps);
}

function clamp(cents: bigint, { minimumCents, maximumCents }: FeeFormula): bigint {
  if (minimumCents !== null && cents < minimumCents) return minimumCents;
  return maximumCents !== null && cents > maximumCents ? maximumCents : cents;
}

/** Computes the operator's charge and commission for a payment of which it executed this amount. */
export function termsOf(
  terms: OperatorTerms,
  paidCents: bigint,
): { readonly costCents: bigint; readonly commissionCents: bigint } {
  if (paidCents <= 0n) return { costCents: 0n, commissionCents: 0n };
  const commissionCents = shareOf(paidCents, terms.commission);
  return {
    costCents: shareOf(paidCents, terms.cost),
    // Or a payment could take money out of the operator's account.
    commissionCents: commissionCents < paidCents ? commissionCents : paidCents,
  };
}

/** Computes the sum that the operator takes from our float for a payment of which it executed this amount. */
export function takenCents(terms: OperatorTerms, paidCents: bigint): bigint {
  const { costCents, commissionCents } = termsOf(terms, paidCents);
  return paidCents + costCents - (terms.commissionNetted ? commissionCents : 0n);
}

/**
 * The amount for which the operator takes this much from our float: the lowest one for which it takes at
 * least as much. Undefined: it gives all of it back as commission.
 */
export function paidFor(terms: OperatorTerms, takes: bigint): bigint | undefined {
  let high = takes > 0n ? takes : 0n;
  for (let tries = 0; takenCents(terms, high) < takes; tries += 1) {
    if (tries === MAX_DOUBLINGS) return undefined;
    high = high * 2n + 1n;
  }
  let low = 0n;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (takenCents(terms, middle) < takes) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** A commission of 99.9 % makes the amount a thousand times what is taken. */
const MAX_DOUBLINGS = 16;

/** The last price that has begun. @param prices in the order of their begin. */
export function inForce<Price extends Versioned>(
  prices: readonly Price[] | undefined,
  atMs: number,
): Price | undefined {
  return prices?.findLast(({ validFrom }) => validFrom.getTime() <= atMs);
}

/** The fee price for this vendor: its own, or else the one for every vendor. */
export function feePriceFor(
  prices: FeePrices,
  vendorId: number | null,
  atMs: number,
): FeePrice | undefined {
  const own = inForce(prices.get(vendorId), atMs);
  if (own !== undefined && own.tiers.length > 0) return own;
  const general = inForce(prices.get(null), atMs);
  return general !== undefined && general.tiers.length > 0 ? general : undefined;
}

/** The fee of a new payment, with the version of the price; null: no price is in force. */
export function chargeFor(
  prices: FeePrices,
  payment: { readonly vendorId: number | null; readonly amountCents: bigint },
  atMs: number,
): Fee & { readonly feePrice: number | null } {
  const price = prices.size === 0 ? undefined : feePriceFor(prices, payment.vendorId, atMs);
  if (price === undefined) return { feeCents: 0n, vatCents: 0n, feePrice: null };
  return { ...feeOf(price, payment.amountCents), feePrice: price.version };
}
