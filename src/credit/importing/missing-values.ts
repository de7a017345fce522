import type { Finding } from './record.ts';

export const MISSING_RULE = 'missing';

interface Counted {
  readonly firstLine: number;
  lines: number;
}

/**
 * Counts the missing values of a file for each column. Some systems write `N/A` into every line, and
 * a remark on each of them would hide the others.
 */
export class MissingValues {
  readonly #columns = new Map<string, Counted>();

  /** Counts a line's missing values. Returns its other remarks. */
  take(remarks: readonly Finding[]): Finding[] {
    return remarks.filter(({ rule, field, line }) => {
      if (rule !== MISSING_RULE) return true;
      const counted = this.#columns.get(field) ?? { firstLine: line, lines: 0 };
      counted.lines += 1;
      this.#columns.set(field, counted);
      return false;
    });
  }

  /** A remark for each column, on the line of the header. */
  remarks(headerLine: number): Finding[] {
    return [...this.#columns].map(([field, { firstLine, lines }]) => {
      const where =
        lines === 1 ? `line ${firstLine}` : `${lines} lines, first in line ${firstLine}`;
      const text = `${field} has no value in ${where}, and was read as empty`;
      return { line: headerLine, field, rule: MISSING_RULE, text, imported: true };
    });
  }
}
