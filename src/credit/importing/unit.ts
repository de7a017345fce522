import { readCsv } from '../../platform/csv-file.ts';
import type { AmountUnit } from '../registry/account.ts';
import { ImportError } from './error.ts';
import { AMOUNT_COLUMNS, headerProblem, TEMPLATES } from './template.ts';
import type { TemplateName } from './template.ts';

/**
 * The unit of a file's amounts: shillings if any above zero has a decimal point, and otherwise what was
 * declared, because then nothing in the file tells shillings from cents. A constant 0.00 does not.
 * @param declared by who imports it, or else the lender's setting.
 * Throws: `ImportError` if it is not known, if an amount in cents has a decimal point, or if the file's
 * header is not the template's.
 */
export async function unitOf(
  file: string,
  template: TemplateName,
  declared: AmountUnit | undefined,
): Promise<AmountUnit> {
  const shape = await readShape(file, template);
  if (shape.pointOn !== undefined && declared === 'cents') {
    throw new ImportError(
      `The amounts are declared as cents, but line ${shape.pointOn} has an amount with a decimal point.`,
      { field: 'amounts' },
    );
  }
  if (shape.isInShillings) return 'shillings';
  if (declared !== undefined) return declared;
  if (!shape.hasAmount) return 'shillings';
  throw new ImportError(
    'No amount above zero in the file has a decimal point, so it may be in shillings or in cents. Ask the lender, and declare it as shillings or cents (--amounts in the command).',
    { field: 'amounts' },
  );
}

interface Shape {
  /** The first line that has an amount with a decimal point. */
  readonly pointOn?: number | undefined;
  /** True if an amount above zero has a decimal point. */
  readonly isInShillings: boolean;
  /** True if the unit matters for at least one amount. */
  readonly hasAmount: boolean;
}

/** Reads to the first amount with a decimal point, which is on the first line of most files. */
async function readShape(file: string, template: TemplateName): Promise<Shape> {
  const positions = TEMPLATES[template].flatMap((column, index) =>
    AMOUNT_COLUMNS.has(column) ? [index] : [],
  );
  let hasAmount = false;
  let pointOn: number | undefined;
  let isHeaderRead = false;
  for await (const { line, values } of readCsv(file)) {
    if (!isHeaderRead) {
      isHeaderRead = true;
      const problem = headerProblem(values, template);
      if (problem === undefined) continue;
      throw new ImportError(`The header is not the template’s: ${problem}.`);
    }
    for (const position of positions) {
      const value = values[position] ?? '';
      const isAmount = /[1-9]/.test(value);
      if (isAmount) hasAmount = true;
      if (!value.includes('.')) continue;
      pointOn ??= line;
      if (isAmount) return { pointOn, hasAmount, isInShillings: true };
    }
  }
  if (!isHeaderRead) throw new ImportError('The file is empty.');
  return { pointOn, hasAmount, isInShillings: false };
}
