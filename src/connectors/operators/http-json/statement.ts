import { parseIsoTime } from '../../../platform/base/clock.ts';
import { CURRENCY, MONEY_PATTERN, parseMoney } from '../../../platform/base/money.ts';
import type {
  MovementKind,
  StatementEntry,
  StatementFormat,
  StatementProblem,
} from '../../operator-statements.ts';

// The CSV of docs/reference/operator-protocol.md, "Statements". As hostile as an answer.

const COLUMNS = [
  'type',
  'time',
  'operator_reference',
  'reference',
  'biller',
  'account',
  'amount',
  'currency',
] as const;
type Column = (typeof COLUMNS)[number];

const MOVEMENTS: readonly string[] = ['payment', 'reversal', 'top_up', 'charge'];
const BALANCE_PATTERN = new RegExp(MONEY_PATTERN.source.replace('^', '^-?'));
const TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** The required content of each column of a movement; the others may be empty. */
const RULES: readonly (readonly [Column, RegExp, string])[] = [
  ['operator_reference', /^\P{C}{1,100}$/u, 'must be 1 to 100 printable characters'],
  ['reference', /^\P{C}{0,64}$/u, 'must be at most 64 printable characters'],
  ['biller', /^[a-z0-9_]{0,40}$/, 'must be a biller code, or empty'],
  ['account', /^\P{C}{0,64}$/u, 'must be at most 64 printable characters'],
];

/** The statements of the HTTP-JSON operator protocol. */
export function createStatementFormat(settings: {
  readonly absenceIsProof: boolean;
  readonly acceptanceWindowMs: number | null;
  readonly payDeadlineMs: number;
}): StatementFormat {
  return { columns: COLUMNS, readLine, ...settings };
}

function readLine(
  line: number,
  values: readonly string[],
): StatementEntry | readonly StatementProblem[] {
  const value = (column: Column): string => values[COLUMNS.indexOf(column)] ?? '';
  const problems: StatementProblem[] = [];
  const wrong = (field: Column, text: string): void => {
    problems.push({ line, field, rule: field, text: `${field} ${text}` });
  };
  const type = value('type');
  const isBalance = type === 'opening' || type === 'closing';
  if (!isBalance && !MOVEMENTS.includes(type)) {
    wrong('type', `must be opening, closing, ${MOVEMENTS.join(', ')}`);
  }
  if (value('currency') !== CURRENCY) wrong('currency', `must be ${CURRENCY}`);
  const at = TIME_PATTERN.test(value('time')) ? parseIsoTime(value('time')) : undefined;
  if (at === undefined) {
    wrong('time', 'must be ISO 8601 with an offset or Z, such as 2026-03-01T10:00:00Z');
  }
  if (isBalance) {
    if (!BALANCE_PATTERN.test(value('amount'))) wrong('amount', 'must be a decimal number');
    if (problems.length > 0) return problems;
    const text = value('amount');
    const balanceCents = text.startsWith('-') ? -parseMoney(text.slice(1)) : parseMoney(text);
    return { kind: type, line, balanceCents };
  }
  for (const [column, pattern, text] of RULES) {
    if (!pattern.test(value(column))) wrong(column, text);
  }
  if (!MONEY_PATTERN.test(value('amount')) || parseMoney(value('amount')) === 0n) {
    wrong('amount', 'must be a decimal number above zero with at most two decimals');
  }
  if (at === undefined || problems.length > 0) return problems;
  return {
    kind: type as MovementKind,
    line,
    at,
    operatorReference: value('operator_reference'),
    reference: value('reference') || null,
    billerCode: value('biller') || null,
    account: value('account') || null,
    amountCents: parseMoney(value('amount')),
  };
}
