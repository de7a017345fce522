import { effectCents } from './line.ts';
import type { LineProblem, StatementLine } from '../../source-statements.ts';

/** A movement with the length of the text line before it; 0: the line before is no text. */
export interface PlacedMovement {
  readonly movement: Pick<StatementLine, 'line' | 'kind' | 'amountCents'>;
  readonly follows: number;
}

/** The text lines of a file. */
export interface TextLines {
  /** Characters of the longest text line. */
  readonly width: number;
  /** Some text goes on in a second line. */
  readonly isBroken: boolean;
}

/**
 * Banks break texts at 60 to 65 characters, and some do not indent what follows. SWIFT forbids text lines that begin
 * like a field; not all banks keep to it.
 */
export const FULL_LINE = 60;
/** The shortest line that can be a movement with a bank's reference. */
const SHORTEST = 25;
/** The most movements that a text of 390 characters, the longest of MT940, can contain. */
const MAX_FORGED = 8;

/**
 * Lists movements that a payer may have written, although the line before them has fewer than `FULL_LINE` characters.
 * A forger does not know the balances, so what is forged has no effect on them: either within one text, whose
 * movements then add up to nothing, or across several texts, whose lines are as long as this bank makes them.
 */
export function heldMovements(
  movements: readonly PlacedMovement[],
  text: TextLines,
  checksBalances: boolean,
): LineProblem[] {
  return [...cancelling(movements), ...atFullWidth(movements, text, checksBalances)];
}

/** The first movement of a message is never forged: its text would contain the others. */
function cancelling(movements: readonly PlacedMovement[]): LineProblem[] {
  const held: LineProblem[] = [];
  for (let first = 1; first < movements.length; first += 1) {
    if (movements[first]?.follows === 0) continue;
    const last = lastOfCancelling(movements, first);
    const line = movements[first]?.movement.line;
    if (last === undefined || line === undefined) continue;
    const until = movements[last]?.movement.line ?? line;
    const problem = `the movements from here to line ${until} add up to nothing, so a payer may have written them into the text before`;
    held.push({ line, problem: `${problem}. ${compareText(line)}` });
    first = last;
  }
  return held;
}

function lastOfCancelling(movements: readonly PlacedMovement[], first: number): number | undefined {
  let cents = 0n;
  let credits = 0;
  for (const [offset, { movement }] of movements.slice(first, first + MAX_FORGED).entries()) {
    cents += effectCents(movement);
    if (movement.kind === 'credit') credits += 1;
    if (cents === 0n && credits > 0) return first + offset;
  }
  return undefined;
}

function atFullWidth(
  movements: readonly PlacedMovement[],
  { width, isBroken }: TextLines,
  checksBalances: boolean,
): LineProblem[] {
  if (!isBroken || width < SHORTEST || width >= FULL_LINE) return [];
  const full = movements.filter(({ follows }) => follows === width);
  const effects = full.map(({ movement }) => effectCents(movement));
  const mayCancel = effects.some((cents) => cents > 0n) && effects.some((cents) => cents < 0n);
  if (!mayCancel && checksBalances) return [];
  const problem =
    'field 61 follows a line of text that is as long as any in this file, so a payer may have written it';
  return full.map(({ movement: { line } }) => ({
    line,
    problem: `${problem}. ${compareText(line)}`,
  }));
}

export function compareText(line: number): string {
  return `Compare it with what the bank shows; if the bank shows it, import the file with --accept-line ${line}`;
}
