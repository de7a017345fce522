import { setImmediate as turn } from 'node:timers/promises';
import type { WireTime } from '../../../platform/base/clock.ts';
import { balanceGap } from './running-balances.ts';
import type { BalancedRow } from './running-balances.ts';
import { decimalSignOf } from './decimal-sign.ts';
import type { WrittenAmount } from './decimal-sign.ts';
import { effectCents } from './line.ts';
import { readRow } from './table-row.ts';
import { statusProblem } from './status-column.ts';
import { findStatement } from './tables.ts';
import type { StatementTable } from './tables.ts';
import { totalProblem } from './totals.ts';
import type { LineProblem, StatementLine, StatementNote } from '../../source-statements.ts';
import type { ColumnName, TableRules } from './settings.ts';

/** Rows that are read before other work has its turn. */
const ROWS_AT_ONCE = 1_000;

/**
 * The rows of a statement as a table: CSV, or an Excel file. How it is written is recognised from its titles and its
 * amounts. The first note says what was recognised.
 */
export async function* readTableStatement(
  bytes: Buffer,
  rules: TableRules,
  wireTime: WireTime,
): AsyncGenerator<StatementLine | LineProblem | StatementNote> {
  const table = await findStatement(bytes, rules.columns, rules.optional);
  if ('problem' in table) return yield table;
  const above =
    rules.checkAbove?.(table.above.map(({ values }) => values)) ?? statusProblem(table, rules);
  if (above !== undefined) return yield { line: table.line, problem: above };
  const decimal = rules.decimalSeparator ?? decimalSignOf(amountsOf(table)) ?? '.';
  if (typeof decimal === 'object') return yield decimal;
  const sign = decimal === '.' ? 'decimal point' : 'decimal comma';
  yield { line: table.line, note: 'form', text: `${table.form}, ${sign}` };
  const lines: (StatementLine | LineProblem)[] = [];
  const balances: BalancedRow[] = [];
  const notes: StatementNote[] = [];
  for (const [index, row] of table.rows.entries()) {
    if (index % ROWS_AT_ONCE === 0) await turn();
    const read = readRow(row, { table, rules, decimal, wireTime });
    if (read === undefined) continue;
    if (read.kind === 'more') {
      const last = lines.at(-1);
      // A bank puts the rest of a text into a row of its own.
      if (last !== undefined && 'kind' in last) {
        lines[lines.length - 1] = { ...last, text: `${last.text}\n${read.text}` };
        continue;
      }
      notes.push({ line: row.line, note: 'text', text: read.text });
    } else if (read.kind === 'note') notes.push(read.note);
    else lines.push(read.line);
    if (read.kind === 'line' && 'problem' in read.line) continue;
    const effect = read.kind === 'line' && 'kind' in read.line ? effectCents(read.line) : 0n;
    const isBooked = read.kind !== 'line' || ('kind' in read.line && read.line.kind !== 'pending');
    if (isBooked && (effect !== 0n || read.balance !== undefined)) {
      balances.push({ line: row.line, balance: read.balance, effect });
    }
  }
  yield* notes;
  yield* lines;
  const movements = lines.filter((line) => 'kind' in line);
  // The sums are worth nothing while lines cannot be read.
  if (movements.length < lines.length) return;
  const problem =
    totalProblem(notes, movements) ??
    (rules.checksBalances && table.places.has('balance') ? balanceGap(balances) : undefined);
  if (problem !== undefined) yield problem;
}

const AMOUNTS = ['amount', 'credit', 'debit', 'balance'] as const satisfies readonly ColumnName[];

/** The amounts that are text. */
function* amountsOf({ rows, places }: StatementTable): Generator<WrittenAmount> {
  const columns = AMOUNTS.map((name) => places.get(name)).filter((place) => place !== undefined);
  for (const { line, values, numbers } of rows) {
    for (const column of columns) {
      if (numbers?.has(column) !== true) yield { line, text: values[column] ?? '' };
    }
  }
}
