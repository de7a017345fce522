import { isAmount } from './amounts.ts';
import type { DecimalSign } from './amounts.ts';
import type { LineProblem } from '../../source-statements.ts';

export interface WrittenAmount {
  readonly line: number;
  readonly text: string;
}

/**
 * The decimal sign of a file, from amounts that can be read in one way only: `1.500,00` has a comma, `1,500.00` a point.
 * `1.500`, `1,500` and `1500` say nothing. Undefined: nothing says it. One file has one sign.
 */
export function decimalSignOf(
  amounts: Iterable<WrittenAmount>,
): DecimalSign | LineProblem | undefined {
  const first = new Map<DecimalSign, WrittenAmount>();
  for (const amount of amounts) {
    const [point, comma] = [isAmount(amount.text, '.'), isAmount(amount.text, ',')];
    if (point === comma) continue;
    const sign = point ? '.' : ',';
    if (!first.has(sign)) first.set(sign, amount);
  }
  const [point, comma] = [first.get('.'), first.get(',')];
  if (point === undefined) return comma === undefined ? undefined : ',';
  if (comma === undefined) return '.';
  const problem = `line ${point.line} has a decimal point (${point.text}), and line ${comma.line} a decimal comma (${comma.text}). If one of them is no decimal sign, set decimal_separator in the settings of the source`;
  return { line: Math.max(point.line, comma.line), problem };
}
