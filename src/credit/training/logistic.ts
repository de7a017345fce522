export interface LogisticFit {
  readonly intercept: number;
  readonly coefficients: readonly number[];
  /** Standard errors of the coefficients, from the inverse of the information matrix. */
  readonly standardErrors: readonly number[];
  readonly iterations: number;
}

/**
 * Keeps the matrix solvable when two columns carry the same information; far too weak to move a
 * real effect.
 */
const RIDGE = 1e-3;
const MAX_ITERATIONS = 50;
/** The log-likelihood that a full step could still gain (half the Newton decrement). */
const CONVERGED = 1e-8;
const SMALLEST_STEP_SHARE = 2 ** -20;

interface LogisticOptions {
  /** Number of rows that each row stands for; 1 each when absent. */
  readonly rowWeights?: Float64Array | undefined;
  /** Starting values; close to the solution fewer rounds are needed. */
  readonly start?: Pick<LogisticFit, 'intercept' | 'coefficients'> | undefined;
}

/**
 * Logistic regression by Newton’s method (iteratively reweighted least squares) with a slight ridge
 * on the coefficients, not on the intercept. Deterministic.
 * Source: McCullagh and Nelder, Generalized Linear Models (1989), section 4.4; R’s `glm` gives the
 * same coefficients.
 * @param columns one array of values per coefficient. @param outcomes 1 where the event happened.
 * Throws: RangeError without samples of both outcomes, or when it does not converge.
 */
export function fitLogistic(
  columns: readonly Float64Array[],
  outcomes: Uint8Array,
  { rowWeights, start }: LogisticOptions = {},
): LogisticFit {
  const [rest, events] = outcomeWeights(outcomes, rowWeights);
  if (events === 0 || rest === 0) {
    throw new RangeError('logistic regression needs samples of both outcomes');
  }
  const rows = { columns, outcomes, rowWeights };
  let weights = new Float64Array(columns.length + 1);
  if (start === undefined) weights[0] = Math.log(events / rest);
  else weights.set([start.intercept, ...start.coefficients]);
  let here = slopes(rows, weights);
  for (let iteration = 1; iteration <= MAX_ITERATIONS; iteration++) {
    const lower = cholesky(here.information);
    const step = solve(lower, here.gradient);
    const gain = step.reduce((sum, change, at) => sum + change * here.gradient[at]!, 0) / 2;
    if (gain < CONVERGED) {
      return {
        intercept: weights[0]!,
        coefficients: [...weights.subarray(1)],
        standardErrors: standardErrors(lower).slice(1),
        iterations: iteration,
      };
    }
    // A full step may overshoot where probabilities saturate: halve it until it improves the fit.
    let share = 1;
    let next = move(weights, step, share);
    let there = slopes(rows, next);
    while (there.logLikelihood < here.logLikelihood && share > SMALLEST_STEP_SHARE) {
      share /= 2;
      next = move(weights, step, share);
      there = slopes(rows, next);
    }
    weights = next;
    here = there;
  }
  throw new RangeError(`logistic regression did not converge in ${MAX_ITERATIONS} iterations`);
}

/** Weight of the rows where the event did not happen, and where it did. */
function outcomeWeights(
  outcomes: Uint8Array,
  rowWeights: Float64Array | undefined,
): readonly [number, number] {
  const totals: [number, number] = [0, 0];
  for (const [row, outcome] of outcomes.entries()) {
    totals[outcome === 1 ? 1 : 0] += rowWeights?.[row] ?? 1;
  }
  return totals;
}

function move(from: Float64Array, step: Float64Array, share: number): Float64Array<ArrayBuffer> {
  return Float64Array.from(from, (value, at) => value + share * step[at]!);
}

interface Slopes {
  /** Penalised by the ridge. */
  readonly logLikelihood: number;
  readonly gradient: Float64Array;
  /** The negated matrix of second derivatives; lower triangle. */
  readonly information: Matrix;
}

type Matrix = readonly Float64Array[];

interface Rows {
  readonly columns: readonly Float64Array[];
  readonly outcomes: Uint8Array;
  readonly rowWeights: Float64Array | undefined;
}

function slopes({ columns, outcomes, rowWeights }: Rows, weights: Float64Array): Slopes {
  const size = columns.length + 1;
  const gradient = new Float64Array(size);
  const information = Array.from({ length: size }, () => new Float64Array(size));
  const values = new Float64Array(size);
  values[0] = 1;
  let logLikelihood = 0;
  for (let row = 0; row < outcomes.length; row++) {
    let logOdds = weights[0]!;
    for (let at = 1; at < size; at++) {
      values[at] = columns[at - 1]![row]!;
      logOdds += weights[at]! * values[at]!;
    }
    const probability = 1 / (1 + Math.exp(-logOdds));
    // ln(1 + e^x) without overflow.
    const softplus = Math.max(0, logOdds) + Math.log1p(Math.exp(-Math.abs(logOdds)));
    const rowWeight = rowWeights?.[row] ?? 1;
    logLikelihood += rowWeight * (outcomes[row]! * logOdds - softplus);
    const residual = rowWeight * (outcomes[row]! - probability);
    const weight = rowWeight * probability * (1 - probability);
    for (let i = 0; i < size; i++) {
      gradient[i]! += residual * values[i]!;
      const line = information[i]!;
      const factor = weight * values[i]!;
      for (let j = 0; j <= i; j++) line[j]! += factor * values[j]!;
    }
  }
  for (let at = 1; at < size; at++) {
    logLikelihood -= (RIDGE / 2) * weights[at]! ** 2;
    gradient[at]! -= RIDGE * weights[at]!;
    information[at]![at]! += RIDGE;
  }
  return { logLikelihood, gradient, information };
}

/** Lower triangle L with L·Lᵀ = matrix; reads only the lower triangle of the matrix. */
function cholesky(matrix: Matrix): Matrix {
  const lower = matrix.map((line) => new Float64Array(line.length));
  for (let i = 0; i < matrix.length; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i]![j]!;
      for (let k = 0; k < j; k++) sum -= lower[i]![k]! * lower[j]![k]!;
      if (i === j) {
        if (!(sum > 0)) throw new RangeError('the characteristics are not independent');
        lower[i]![i] = Math.sqrt(sum);
      } else lower[i]![j] = sum / lower[j]![j]!;
    }
  }
  return lower;
}

/** Solves L·Lᵀ·x = right. */
function solve(lower: Matrix, right: Float64Array): Float64Array {
  const x = Float64Array.from(right);
  const size = lower.length;
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i]! -= lower[i]![k]! * x[k]!;
    x[i]! /= lower[i]![i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i]! -= lower[k]![i]! * x[k]!;
    x[i]! /= lower[i]![i]!;
  }
  return x;
}

function standardErrors(lower: Matrix): number[] {
  return lower.map((_, at) => {
    const unit = new Float64Array(lower.length);
    unit[at] = 1;
    return Math.sqrt(solve(lower, unit)[at]!);
  });
}
