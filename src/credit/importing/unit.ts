import type { AmountUnit } from '../registry/account.ts';
import { ImportError } from './error.ts';
import type { LenderFile } from './lender-file.ts';
import type { Known } from './planned.ts';
import type { IndexedAccount } from './record.ts';
import { AMOUNT_COLUMNS } from './template.ts';

export type DecimalSign = '.' | ',';

/** Unit and decimal sign of a file's amounts. */
export interface AmountForm {
  readonly unit: AmountUnit;
  readonly decimal: DecimalSign;
  /** The unit was declared: nothing in the file shows it. */
  readonly isDeclared: boolean;
}

/** The form of a file that was not looked at. */
export const IN_SHILLINGS: AmountForm = { unit: 'shillings', decimal: '.', isDeclared: false };

/**
 * The unit of a file's amounts: shillings if any above zero has decimals, and otherwise what was declared, because then
 * nothing in the file tells shillings from cents. A constant 0.00 does not.
 * @param declared by who imports it, or else the lender's setting.
 * Throws: `ImportError` if it is not known, or if an amount in cents has decimals.
 */
export async function amountFormOf(
  file: LenderFile,
  declared: AmountUnit | undefined,
): Promise<AmountForm> {
  const shape = await readShape(file);
  const decimal = shape.decimal ?? '.';
  if (shape.decimalsOn !== undefined && declared === 'cents') {
    throw new ImportError(
      `The amounts are declared as cents, but line ${shape.decimalsOn} has an amount with a decimal ${decimal === '.' ? 'point' : 'comma'}.`,
      { field: 'amounts' },
    );
  }
  if (shape.isInShillings) return { unit: 'shillings', decimal, isDeclared: false };
  if (declared !== undefined) return { unit: declared, decimal, isDeclared: true };
  if (!shape.hasAmount) return { unit: 'shillings', decimal, isDeclared: false };
  throw new ImportError(
    'No amount above zero in the file has a decimal point, so it may be in shillings or in cents. Ask the lender, and declare it as shillings or cents (--amounts in the command).',
    { field: 'amounts' },
  );
}

interface Shape {
  /** The first line that has an amount with decimals. */
  readonly decimalsOn: number | undefined;
  /** Undefined: no text has decimals. */
  readonly decimal: DecimalSign | undefined;
  /** True if an amount above zero has decimals. */
  readonly isInShillings: boolean;
  /** True if the unit matters for at least one amount. */
  readonly hasAmount: boolean;
}

/** Three digits may as well be thousands. */
const DECIMALS = /\d([.,])\d{1,2}$/;

/** Reads to the first amount with decimals, which is on the first line of most files. */
async function readShape(file: LenderFile): Promise<Shape> {
  const places = [...file.places].flatMap(([column, place]) =>
    AMOUNT_COLUMNS.has(column) ? [place] : [],
  );
  let hasAmount = false;
  let isInShillings = false;
  let decimalsOn: number | undefined;
  let decimal: DecimalSign | undefined;
  for await (const { line, values, numbers } of file.rows()) {
    for (const place of places) {
      const value = (values[place] ?? '').trim();
      const isAmount = /[1-9]/.test(value);
      if (isAmount) hasAmount = true;
      const isNumber = numbers?.has(place) === true;
      const sign = isNumber ? /\./.exec(value)?.[0] : DECIMALS.exec(value)?.[1];
      if (sign === undefined) continue;
      decimalsOn ??= line;
      if (isAmount) isInShillings = true;
      // The numbers of an Excel file have a point, whatever its texts have.
      if (!isNumber) decimal ??= sign === ',' ? ',' : '.';
    }
    if (isInShillings && (decimal !== undefined || numbers === undefined)) break;
  }
  return { decimalsOn, decimal, hasAmount, isInShillings };
}

/**
 * Says that a declared unit contradicts what is on file: most accounts that are known had a hundredth, or a hundred times,
 * the original amount that the file gives them. An original amount hardly ever changes, and never so.
 */
export function unitContradiction(
  indexed: readonly IndexedAccount[],
  { accounts }: Pick<Known, 'accounts'>,
): string | undefined {
  let compared = 0;
  let more = 0;
  let less = 0;
  for (const { accountKeys, submitted } of indexed) {
    const known = accountKeys.flatMap((key) => accounts.get(key) ?? [])[0];
    const [now, before] = [submitted.terms.originalCents, known?.terms.originalCents ?? 0n];
    if (before === 0n || now === 0n) continue;
    compared += 1;
    if (now === before * 100n) more += 1;
    if (now * 100n === before) less += 1;
  }
  const [count, times] = more >= less ? [more, 'a hundred times'] : [less, 'a hundredth of'];
  if (count * 2 <= compared) return undefined;
  return `Of ${compared} accounts that are on file, ${count} have ${times} the original amount that they had`;
}
