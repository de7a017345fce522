import { formatMoney } from '../../../platform/base/money.ts';
import { effectCents } from './line.ts';
import type { LineProblem, StatementLine } from '../../source-statements.ts';

/** The problem of a statement that was cut off or changed: its movements do not add up. */
export function balanceProblem(
  line: number,
  statement: {
    readonly opening: bigint;
    readonly closing: bigint;
    readonly movements: readonly Pick<StatementLine, 'kind' | 'amountCents'>[];
  },
): LineProblem | undefined {
  const { opening, closing, movements } = statement;
  let cents = opening;
  for (const movement of movements) cents += effectCents(movement);
  if (cents === closing) return undefined;
  const [expected, stated] = [formatMoney(cents), formatMoney(closing)];
  return {
    line,
    problem: `the movements lead to a balance of ${expected}, and the statement says ${stated}`,
  };
}
