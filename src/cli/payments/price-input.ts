import { InvalidArgumentError } from 'commander';
import { requireFormula, MAX_BPS } from '../../payments/prices/rules.ts';
import type { FeeFormula, FeeTier, Rate } from '../../payments/prices/price.ts';
import { money } from '../arguments.ts';
import { UsageError } from '../failure.ts';

/** Per cent with at most two decimals to basis points: `1.5` is 150. */
export function percent(text: string): number {
  const [, whole = '', decimals = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const bps = whole === '' ? Number.NaN : Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  if (bps <= MAX_BPS) return bps;
  throw new InvalidArgumentError(
    'It must be a percentage from 0 to 100 with at most two decimals, such as 1.5.',
  );
}

const TIER_PATTERN = /^(?<from>[\d.]+)=(?:(?<flat>[\d.]+)(?:\+|$))?(?:(?<percent>[\d.]+)%)?$/;

/** A parser of a repeatable option: `1000=10`, `1000=1.5%` or `1000=10+1.5%`. */
export function tiers(text: string, previous: readonly FeeTier[] = []): readonly FeeTier[] {
  const { from, flat, percent: share } = TIER_PATTERN.exec(text)?.groups ?? {};
  if (from === undefined || (flat ?? share) === undefined || text.endsWith('+')) {
    throw new InvalidArgumentError(
      'It must be the first amount and the fee from there on, such as 1000=10, 1000=1.5% or 1000=10+1.5%.',
    );
  }
  return [
    ...previous,
    { fromCents: money(from), flatCents: money(flat ?? '0'), bps: percent(share ?? '0') },
  ];
}

export interface FormulaOptions {
  readonly flat?: bigint;
  readonly percent?: number;
  readonly tier?: readonly FeeTier[];
  readonly minimum?: bigint;
  readonly maximum?: bigint;
  readonly vat?: number;
  readonly vatIncluded?: boolean;
}

/** Throws: `UsageError` if no fee is given, `PlainError` if it is not possible. */
export function formulaFrom(options: FormulaOptions): FeeFormula {
  const first = rateFrom(options.flat, options.percent);
  if (first === undefined && options.tier === undefined) {
    throw new UsageError('A fee is required: --flat, --percent or --tier (see --help).');
  }
  const formula: FeeFormula = {
    tiers: [...(first === undefined ? [] : [{ fromCents: 0n, ...first }]), ...(options.tier ?? [])],
    minimumCents: options.minimum ?? null,
    maximumCents: options.maximum ?? null,
    vatBps: options.vat ?? 0,
    vatIncluded: options.vatIncluded === true,
  };
  requireFormula(formula);
  return formula;
}

/** Undefined: neither part is given. */
export function rateFrom(flat: bigint | undefined, bps: number | undefined): Rate | undefined {
  return flat === undefined && bps === undefined
    ? undefined
    : { flatCents: flat ?? 0n, bps: bps ?? 0 };
}
