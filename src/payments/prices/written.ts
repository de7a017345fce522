import { Refusal } from '../../platform/base/errors.ts';
import { centsOf, parseMoney } from '../../platform/base/money.ts';
import type { FeeFormula, Rate } from './price.ts';

/** Prices as people write them. */

interface WrittenRate {
  readonly flat?: string;
  readonly percent?: string;
}

export interface WrittenFormula extends WrittenRate {
  readonly tiers?: readonly (WrittenRate & { readonly from: string })[];
  readonly minimum?: string;
  readonly maximum?: string;
  readonly vat_percent?: string;
  readonly vat_included: boolean;
  readonly excise_percent?: string;
}

/** What a fee is for, and the fee: a flat part, per cent, or both. */
const FEE = /^(?<of>[\w.]{1,40})=(?:(?<flat>[\d.]+)(?:\+(?=[\d.]+%)|$))?(?:(?<percent>[\d.]+)%)?$/;

/** `1000=10`, `dstv=1.5%` or `dstv=10+1.5%`. Undefined: it is not written so. @param name what comes before. */
export function feeOf(name: 'from' | 'biller', written: string): object | undefined {
  const { of, flat, percent } = FEE.exec(written)?.groups ?? {};
  if (of === undefined || (flat ?? percent) === undefined) return undefined;
  return {
    [name]: of,
    ...(flat !== undefined && { flat }),
    ...(percent !== undefined && { percent }),
  };
}

const bpsOf = (share = '0'): number => Math.round(Number(share) * 100);

export const rateOf = (flat: string | undefined, share: string | undefined): Rate => ({
  flatCents: centsOf(flat) ?? 0n,
  bps: bpsOf(share),
});

/** Throws: `missing_field`. */
export function formulaOf(input: WrittenFormula): FeeFormula {
  const { flat, percent: share, tiers = [], vat_percent: vat } = input;
  if (input.vat_included && (vat ?? input.excise_percent) === undefined) {
    const says = 'vat_percent is required if the fee includes the VAT';
    throw new Refusal('missing_field', { field: 'vat_percent', text: says });
  }
  const hasFirst = flat !== undefined || share !== undefined;
  return {
    tiers: [
      ...(hasFirst ? [{ fromCents: 0n, ...rateOf(flat, share) }] : []),
      ...tiers.map((tier) => ({
        fromCents: parseMoney(tier.from),
        ...rateOf(tier.flat, tier.percent),
      })),
    ],
    minimumCents: centsOf(input.minimum) ?? null,
    maximumCents: centsOf(input.maximum) ?? null,
    vatBps: bpsOf(vat),
    vatIncluded: input.vat_included,
    exciseBps: bpsOf(input.excise_percent),
  };
}
