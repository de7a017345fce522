import { formatMoney } from '../../../platform/base/money.ts';
import type { LineProblem } from '../../source-statements.ts';

/** A row with the balance after it. */
export interface BalancedRow {
  readonly line: number;
  /** Undefined: the row has none. */
  readonly balance: bigint | undefined;
  /** Cents that the row added to the balance; 0 for an opening balance, a total or the like. */
  readonly effect: bigint;
}

/**
 * Checks the balances of a table: each row leads from one balance to another one, and all rows together must make one
 * chain without a gap, whatever their order. Providers list the newest row first, or rows of one second in any order.
 * Returns the first row that does not follow; undefined: nothing is missing. Pure.
 */
export function balanceGap(rows: readonly BalancedRow[]): LineProblem | undefined {
  const none = rows.find(({ balance, effect }) => balance === undefined && effect !== 0n);
  if (none !== undefined) return { line: none.line, problem: 'the balance is missing' };
  const known = rows.filter((row): row is Known => row.balance !== undefined);
  const gaps = [gapsOf(known), gapsOf(known.toReversed())];
  if (gaps.some(({ length }) => length === 0) || isOneChain(known)) return undefined;
  const [forward = [], backward = []] = gaps;
  const [gap] = backward.length < forward.length ? backward : forward;
  return gap && { line: gap.line, problem: gap.problem };
}

type Known = BalancedRow & { readonly balance: bigint };

function gapsOf(rows: readonly Known[]): LineProblem[] {
  return rows.slice(1).flatMap(({ line, balance, effect }, index) => {
    const before = rows[index];
    if (before === undefined || before.balance + effect === balance) return [];
    const expected = formatMoney(before.balance + effect);
    const problem = `the balance is ${formatMoney(balance)}, and after line ${before.line} it would be ${expected}: lines are missing or were changed`;
    return [{ line, problem }];
  });
}

/** Each balance is left as often as it is reached, but the first and the last one, and no part stands alone. */
function isOneChain(rows: readonly Known[]): boolean {
  const degrees = new Map<bigint, number>();
  const neighbours = new Map<bigint, bigint[]>();
  const link = (from: bigint, to: bigint): void => {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
  };
  for (const { balance, effect } of rows) {
    const before = balance - effect;
    degrees.set(before, (degrees.get(before) ?? 0) + 1);
    degrees.set(balance, (degrees.get(balance) ?? 0) - 1);
    link(before, balance);
    link(balance, before);
  }
  const ends = [...degrees.values()].filter((degree) => degree !== 0);
  const isPath = ends.length === 0 || (ends.length === 2 && ends.every((one) => one * one === 1));
  return isPath && reachedFrom([...neighbours.keys()][0], neighbours) === neighbours.size;
}

function reachedFrom(
  start: bigint | undefined,
  neighbours: ReadonlyMap<bigint, readonly bigint[]>,
): number {
  if (start === undefined) return 0;
  const reached = new Set([start]);
  for (const balance of reached)
    for (const next of neighbours.get(balance) ?? []) reached.add(next);
  return reached.size;
}
