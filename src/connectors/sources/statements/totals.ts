import { formatMoney } from '../../../platform/base/money.ts';
import { effectCents } from './line.ts';
import type { LineProblem, StatementLine, StatementNote } from '../../source-statements.ts';

/**
 * Compares the totals of a table with its rows: with all of them, or those since the total before, as at the end of a
 * page. Pure.
 */
export function totalProblem(
  notes: readonly StatementNote[],
  movements: readonly StatementLine[],
): LineProblem | undefined {
  let from = 0;
  for (const { line, note, total } of notes) {
    if (note !== 'total' || total === undefined) continue;
    const before = movements.filter((movement) => movement.line < line);
    const sums = [before, before.filter((movement) => movement.line > from)].map(sumsOf);
    const fits = sums.some(
      ({ credit, debit }) =>
        (total.credit ?? credit) === credit && (total.debit ?? debit) === debit,
    );
    if (!fits) {
      const [all] = sums;
      const problem = `the total is ${textOf(total)}, and the rows above it are ${textOf(all ?? {})}: lines are missing or were changed`;
      return { line, problem };
    }
    from = line;
  }
  return undefined;
}

interface Sums {
  readonly credit?: bigint | undefined;
  readonly debit?: bigint | undefined;
}

function sumsOf(movements: readonly StatementLine[]): Sums {
  let [credit, debit] = [0n, 0n];
  for (const movement of movements) {
    const effect = effectCents(movement);
    if (effect > 0n) credit += effect;
    else debit -= effect;
  }
  return { credit, debit };
}

function textOf({ credit = 0n, debit = 0n }: Sums): string {
  return `${formatMoney(credit)} in and ${formatMoney(debit)} out`;
}
