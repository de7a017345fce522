import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chargeFor,
  exciseOf,
  feeOf,
  feePriceFor,
  shareOf,
  termsOf,
} from '../../../../src/payments/prices/price.ts';
import type { FeeFormula, FeePrice, FeePrices } from '../../../../src/payments/prices/price.ts';
import { flatFormula } from '../../../support/fee-prices.ts';

// The fee of a payment, and the cost and commission of operators.

const amounts = fc.bigInt({ min: 0n, max: 99_999_999_999_999n });
const cents = fc.bigInt({ min: 0n, max: 100_000n });
const bps = fc.integer({ min: 0, max: 10_000 });
const rate = fc.record({ flatCents: cents, bps });

const formula: fc.Arbitrary<FeeFormula> = fc
  .record({
    first: rate,
    others: fc.uniqueArray(fc.tuple(fc.bigInt({ min: 1n, max: 10_000_000n }), rate), {
      selector: ([from]) => from,
      maxLength: 5,
    }),
    bounds: fc.tuple(fc.option(cents), fc.option(cents)),
    vatBps: fc.constantFrom(0, 800, 1_600, 10_000),
    vatIncluded: fc.boolean(),
    exciseBps: fc.constantFrom(0, 1, 1_500, 10_000),
  })
  .map(({ first, others, bounds: [minimum, maximum], vatBps, vatIncluded, exciseBps }) => ({
    tiers: [
      { fromCents: 0n, ...first },
      ...others
        .map(([fromCents, tier]) => ({ fromCents, ...tier }))
        .toSorted((one, other) => (one.fromCents < other.fromCents ? -1 : 1)),
    ],
    minimumCents: minimum !== null && maximum !== null && maximum < minimum ? null : minimum,
    maximumCents: maximum,
    vatBps,
    vatIncluded,
    exciseBps,
  }));

/** Exact rounding of a fraction. */
function roundHalfUp(numerator: bigint, denominator: bigint): bigint {
  const whole = numerator / denominator;
  return (numerator % denominator) * 2n >= denominator ? whole + 1n : whole;
}

/** The fee before VAT, computed in the simplest way. */
function baseOf({ tiers, minimumCents, maximumCents }: FeeFormula, amount: bigint): bigint {
  let found = { flatCents: 0n, bps: 0 };
  for (const tier of tiers) if (amount >= tier.fromCents) found = tier;
  let base = found.flatCents + roundHalfUp(amount * BigInt(found.bps), 10_000n);
  if (maximumCents !== null && base > maximumCents) base = maximumCents;
  if (minimumCents !== null && base < minimumCents) base = minimumCents;
  return base;
}

describe('a fee', () => {
  test.each<[string, Partial<FeeFormula>, bigint, readonly [bigint, bigint]]>([
    ['flat', {}, 10_000n, [500n, 0n]],
    ['VAT added', { vatBps: 1_600 }, 10_000n, [580n, 80n]],
    ['VAT included', { vatBps: 1_600, vatIncluded: true }, 10_000n, [500n, 69n]],
    ['excise duty and VAT added', { vatBps: 1_600, exciseBps: 1_500 }, 10_000n, [667n, 92n]],
    ['at most', { maximumCents: 300n }, 10_000n, [300n, 0n]],
    ['at least, and VAT added', { minimumCents: 1_000n, vatBps: 1_600 }, 1n, [1_160n, 160n]],
    [
      'half a cent is rounded up',
      { tiers: [{ fromCents: 0n, flatCents: 0n, bps: 50 }] },
      100n,
      [1n, 0n],
    ],
    [
      'less is rounded down',
      { tiers: [{ fromCents: 0n, flatCents: 0n, bps: 49 }] },
      100n,
      [0n, 0n],
    ],
  ])('%s', (_, change, amount, [feeCents, vatCents]) => {
    expect(feeOf({ ...flatFormula(500n), ...change }, amount)).toEqual({ feeCents, vatCents });
  });

  test('the fee is that of the tier in which the amount is, for the whole amount', () => {
    const tiers = [
      { fromCents: 0n, flatCents: 500n, bps: 0 },
      { fromCents: 100_000n, flatCents: 0n, bps: 100 },
    ];
    const tiered = flatFormula(0n, { tiers });
    const fees = [99_999n, 100_000n, 200_000n].map((amount) => feeOf(tiered, amount).feeCents);
    expect(fees).toEqual([500n, 1_000n, 2_000n]);
  });

  test('a simple model computes the same fee, and VAT and the rest make all of it', () => {
    fc.assert(
      fc.property(formula, amounts, (given, amount) => {
        const base = baseOf(given, amount);
        const { feeCents, vatCents } = feeOf(given, amount);
        const vatBps = BigInt(given.vatBps);
        const exciseBps = BigInt(given.exciseBps ?? 0);
        if (given.vatIncluded) {
          expect(feeCents).toBe(base);
          expect(vatCents).toBe(roundHalfUp(base * vatBps, 10_000n + vatBps));
        } else {
          // Excise duty first: VAT is charged on it, too.
          const exciseCents = roundHalfUp(base * exciseBps, 10_000n);
          expect(feeCents - vatCents).toBe(base + exciseCents);
          expect(vatCents).toBe(roundHalfUp((base + exciseCents) * vatBps, 10_000n));
          expect(exciseOf({ feeCents, vatCents }, Number(exciseBps))).toBe(exciseCents);
        }
        expect(vatCents >= 0n && vatCents <= feeCents).toBe(true);
      }),
    );
  });

  test('never falls within a tier when the amount rises, and stays within its bounds', () => {
    fc.assert(
      fc.property(formula, amounts, amounts, (given, one, other) => {
        const plain = { ...given, vatBps: 0, exciseBps: 0 };
        const tierOf = (amount: bigint) => given.tiers.findLastIndex((t) => t.fromCents <= amount);
        const [low, high] = one < other ? [one, other] : [other, one];
        const [lowFee, highFee] = [feeOf(plain, low).feeCents, feeOf(plain, high).feeCents];
        if (tierOf(low) === tierOf(high)) expect(lowFee <= highFee).toBe(true);
        expect(highFee >= (given.minimumCents ?? 0n)).toBe(true);
        if (given.maximumCents !== null) expect(highFee <= given.maximumCents).toBe(true);
      }),
    );
  });
});

describe('what an operator charges and gives', () => {
  test('an operator’s charge is a flat part and a share, rounded half up', () => {
    expect(shareOf(10_050n, { flatCents: 7n, bps: 100 })).toBe(108n);
    expect(shareOf(10_049n, { flatCents: 7n, bps: 100 })).toBe(107n);
  });

  test('a commission is never above the amount, and nothing is charged for nothing', () => {
    fc.assert(
      fc.property(rate, rate, amounts, (cost, commission, amount) => {
        const { costCents, commissionCents } = termsOf(
          { cost, commission, commissionNetted: true },
          amount,
        );
        expect(commissionCents <= amount).toBe(true);
        if (amount === 0n) expect([costCents, commissionCents]).toEqual([0n, 0n]);
        else expect(costCents).toBe(shareOf(amount, cost));
      }),
    );
  });
});

describe('the price in force', () => {
  const at = (ms: number): Date => new Date(ms);
  const price = (version: number, ms: number, given: Partial<FeeFormula> = {}): FeePrice => ({
    ...flatFormula(BigInt(version), given),
    version,
    validFrom: at(ms),
  });
  const prices: FeePrices = new Map([
    [null, [price(1, 1_000), price(2, 2_000)]],
    [7, [price(3, 1_500), price(4, 1_800, { tiers: [] })]],
  ]);

  test.each([
    [8, 999, null],
    [8, 1_000, 1],
    [8, 1_999, 1],
    [8, 2_000, 2],
    [null, 5_000, 2],
    [7, 1_499, 1],
    [7, 1_500, 3],
    [7, 1_800, 1],
    [7, 2_500, 2],
  ])('the price for vendor %s at %s is %s', (vendorId, ms, version) => {
    expect(feePriceFor(prices, vendorId, ms)?.version ?? null).toBe(version);
  });

  test('goes into the payment with its fee; without one there is no fee', () => {
    const payment = { vendorId: 7, amountCents: 100n };
    expect(chargeFor(prices, payment, 1_600)).toEqual({ feeCents: 3n, vatCents: 0n, feePrice: 3 });
    expect(chargeFor(new Map(), payment, 1_600)).toEqual({
      feeCents: 0n,
      vatCents: 0n,
      feePrice: null,
    });
  });
});
