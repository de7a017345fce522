import type { Finding } from './record.ts';

export const MISSING_RULE = 'missing';
/** The remark about a value that a spreadsheet changed. */
export const SPREADSHEET_RULE = 'spreadsheet';

interface Counted extends Finding {
  lines: number;
}

/**
 * Counts remarks that a file has on each line, for each column: some systems write `N/A` into every line, and a remark on
 * each of them would hide the others.
 */
export class ColumnRemarks {
  readonly #columns = new Map<string, Counted>();

  /** Counts a line's remarks of this kind. Returns its other ones. */
  take(remarks: readonly Finding[]): Finding[] {
    return remarks.filter((remark) => {
      const { rule, field } = remark;
      if (rule !== MISSING_RULE && rule !== SPREADSHEET_RULE) return true;
      const key = `${rule} ${field}`;
      const counted = this.#columns.get(key) ?? { ...remark, lines: 0 };
      counted.lines += 1;
      this.#columns.set(key, counted);
      return false;
    });
  }

  /** A remark for each column, on the line of the titles. */
  remarks(titleLine: number): Finding[] {
    return [...this.#columns.values()].map(({ lines, line, field, rule, text }) => {
      const where = lines === 1 ? `line ${line}` : `${lines} lines, first in line ${line}`;
      const told =
        rule === MISSING_RULE
          ? `${field} has no value in ${where}, and was read as empty`
          : `${text} (${where})`;
      return { line: titleLine, field, rule, text: told, imported: true };
    });
  }
}
