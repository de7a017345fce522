/**
 * The scale of every score: S = 500 + 50·log2(odds of good to bad). 500 means even odds; 50 points
 * double them. One published answer of a Kenyan bureau (score 666, probability 9.14) is on this
 * scale.
 */
const EVEN_ODDS_SCORE = 500;
const POINTS_TO_DOUBLE_ODDS = 50;
const LOWEST_SCORE = 1;
export const HIGHEST_SCORE = 1000;

/** The published bands: a grade contains probabilities of default below this percentage. */
export const GRADES = [
  { grade: 'AA', belowPercent: 1 },
  { grade: 'BB', belowPercent: 3 },
  { grade: 'CC', belowPercent: 6 },
  { grade: 'DD', belowPercent: 10 },
  { grade: 'EE', belowPercent: 15 },
  { grade: 'FF', belowPercent: 22 },
  { grade: 'GG', belowPercent: 32 },
  { grade: 'HH', belowPercent: 45 },
  { grade: 'II', belowPercent: 65 },
  { grade: 'JJ', belowPercent: Infinity },
] as const;

/** Probability of default in percent, unrounded, of a score. */
export function percentOfScore(score: number): number {
  return 100 / (1 + 2 ** ((score - EVEN_ODDS_SCORE) / POINTS_TO_DOUBLE_ODDS));
}

/** The score, unrounded and unclamped, for the natural logarithm of the odds of good to bad. */
export function scoreOfLogOdds(logOdds: number): number {
  return EVEN_ODDS_SCORE + (POINTS_TO_DOUBLE_ODDS / Math.LN2) * logOdds;
}

/** The score, unrounded, of a probability of default in percent. */
export function scoreOfPercent(percent: number): number {
  return scoreOfLogOdds(Math.log((100 - percent) / percent));
}

/** Whole points that such odds are worth. */
export function pointsOfLogOdds(logOdds: number): number {
  return Math.round((POINTS_TO_DOUBLE_ODDS / Math.LN2) * logOdds);
}

export function clampScore(score: number): number {
  return Math.min(HIGHEST_SCORE, Math.max(LOWEST_SCORE, score));
}

/** The grade of a probability as printed, so that an answer is consistent with its own grade. */
export function gradeOfPercent(percent: string): string {
  const value = Number(percent);
  return (GRADES.find(({ belowPercent }) => value < belowPercent) ?? GRADES.at(-1)!).grade;
}
