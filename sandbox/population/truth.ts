import type { Behaviour } from './life.ts';
import type { Random } from './random.ts';

/** Somebody's fate after the as-of date, and how likely it was. */
interface Outcome {
  /** True probability, from 0 to 1. */
  readonly probability: number;
  readonly defaulted: boolean;
}

export interface Outcomes {
  /** 90 days late on any account within 12 months. */
  readonly generic: Outcome;
  /** 30 days late on a mobile loan within 6 months. */
  readonly mobile: Outcome;
}

/**
 * The known default model: logarithmic odds, linear in what the simulation knows, part of which
 * (the proneness) no file shows. A trainer is right when it finds these probabilities again from the
 * files alone.
 */
export function drawOutcomes(behaviour: Behaviour, random: Random): Outcomes {
  return {
    generic: draw(genericLogOdds(behaviour), random),
    mobile: draw(mobileLogOdds(behaviour), random),
  };
}

function genericLogOdds(b: Behaviour): number {
  return (
    -1.7 +
    0.45 * Math.log2(1 + b.daysLateNow / 30) +
    0.5 * Math.log1p(b.lateAccountMonths12) +
    0.12 * Math.log2(1 + b.daysLate24 / 30) +
    0.35 * Math.min(b.applications90Days, 6) +
    0.35 * Math.min(b.openLoans, 6) -
    0.65 * Math.log1p(b.loansRepaidWell) -
    0.7 * Math.log1p(b.historyMonths / 6) +
    0.4 * b.proneness
  );
}

function mobileLogOdds(b: Behaviour): number {
  return (
    -1.3 +
    0.45 * Math.log2(1 + b.daysLateNow / 30) +
    0.5 * Math.log1p(b.lateAccountMonths12) +
    0.4 * Math.min(b.applications90Days, 6) +
    0.45 * Math.min(b.openLoans, 6) -
    0.8 * Math.log1p(b.loansRepaidWell) -
    0.45 * Math.log1p(b.historyMonths / 6) +
    0.4 * b.proneness
  );
}

function draw(logOdds: number, random: Random): Outcome {
  const probability = Math.min(0.97, Math.max(0.003, 1 / (1 + Math.exp(-logOdds))));
  return { probability, defaulted: random.chance(probability) };
}
