import { Option } from 'commander';
import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { listFloats } from '../../payments/billers/float-store.ts';
import { readTrialBalance } from '../../payments/house/trial-balance.ts';
import type { TrialBalance, TrialBalanceLine } from '../../payments/house/trial-balance.ts';
import { listBookedFloats } from '../../payments/house/store.ts';
import { reportFloat } from '../../payments/reconciliation/float-report.ts';
import type { FloatReport } from '../../payments/reconciliation/float-report.ts';
import { reportCorrections } from '../../payments/reports/corrections.ts';
import type { Correction } from '../../payments/reports/corrections.ts';
import { bookPeriod, command, fromBookOption, toBookOption } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { table } from '../output.ts';
import type { Session } from '../session.ts';
import { csvAnswer, requireOneFormat } from './report-output.ts';
import type { ReportFormat } from './report-output.ts';
import { accountJson, accountsText } from './trial-balance.ts';

const PARTS = ['accounts', 'floats', 'corrections'] as const;
type Part = (typeof PARTS)[number];

interface Options extends ReportFormat {
  readonly from?: string;
  readonly to?: string;
  readonly part: Part;
}

export function addHouseReport(report: Command, cli: Cli): void {
  command(
    report,
    'house',
    'The books over a period: opening, debits, credits and closing of each account; the bridge from our float with each operator to its report and its last statement, as of now; and the corrections of the period, each with payment and case.',
  )
    .addOption(fromBookOption())
    .addOption(toBookOption())
    .option('--csv', 'one part as CSV')
    .addOption(
      new Option('--part <part>', 'which part --csv writes').choices(PARTS).default('accounts'),
    )
    .action(async (options: Options) => {
      requireOneFormat(options);
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const period = bookPeriod(options, wireTime);
        const balance = await readTrialBalance(pool, period);
        const floats = await readFloats(pool);
        const corrections = await reportCorrections(pool, period);
        const parts: Parts = { accounts: balance, floats, corrections };
        const exitCode = balance.isEven ? EXIT.done : EXIT.failed;
        if (options.csv === true) return csvAnswer(rowsOf(parts, options.part), exitCode);
        return {
          json: {
            from: period.from.toISOString(),
            to: period.to.toISOString(),
            accounts: accountsOf(balance).map(accountJson),
            is_even: balance.isEven,
            floats: floats.map(floatJson),
            corrections: corrections.map(correctionJson),
          },
          text: textOf(parts, session),
          exitCode,
        };
      });
    });
}

/** Each account by itself. */
function accountsOf({ lines }: TrialBalance): TrialBalanceLine[] {
  return lines.flatMap(({ parts }) => parts);
}

interface Parts {
  readonly accounts: TrialBalance;
  readonly floats: readonly Float[];
  readonly corrections: readonly Correction[];
}

interface Float extends FloatReport {
  readonly operator: string;
  readonly reportedCents: bigint | null;
}

/** Each operator whose float is booked. */
async function readFloats(pool: Pool): Promise<Float[]> {
  const reported = new Map((await listFloats(pool)).map((row) => [row.operatorCode, row]));
  const floats: Float[] = [];
  for (const operator of await listBookedFloats(pool)) {
    const { balanceCents = null, polledAt = null } = reported.get(operator) ?? {};
    const report = await reportFloat(pool, { operatorCode: operator, balanceCents, polledAt });
    floats.push({ operator, reportedCents: balanceCents, ...report });
  }
  return floats;
}

const optional = (cents: bigint | undefined | null): string | null =>
  cents === undefined || cents === null ? null : formatMoney(cents);

function floatJson({ operator, reportedCents, bookedCents, bridge, statement }: Float) {
  return {
    operator,
    books: formatMoney(bookedCents),
    reported: optional(reportedCents),
    difference: optional(bridge?.differenceCents),
    in_flight: optional(bridge?.inFlightCents),
    settled_since: optional(bridge?.settledSinceCents),
    not_booked_yet: optional(bridge?.notBookedCents),
    unexplained: optional(bridge?.unexplainedCents),
    statement: statement?.statementId ?? null,
    statement_end: statement?.periodEnd.toISOString() ?? null,
    statement_closing: optional(statement?.closingCents),
    statement_books: optional(statement?.bookedCents),
    statement_difference: optional(statement && statement.closingCents - statement.bookedCents),
  };
}

function correctionJson(row: Correction) {
  return {
    time: row.at.toISOString(),
    vid: row.vid,
    reference: row.reference,
    case: row.caseId,
    kind: row.kind,
    resolution: row.resolution,
    debit_account: row.debitAccount,
    credit_account: row.creditAccount,
    amount: formatMoney(row.amountCents),
    proposed_by: row.proposedBy,
    approved_by: row.approvedBy,
  };
}

/** The rows of the part, below its titles. */
function rowsOf({ accounts, floats, corrections }: Parts, part: Part): string[][] {
  const rows: Readonly<Record<Part, readonly object[]>> = {
    accounts: accountsOf(accounts).map(accountJson),
    floats: floats.map(floatJson),
    corrections: corrections.map(correctionJson),
  };
  return [
    [...TITLES[part]],
    ...rows[part].map((row) => Object.values(row).map((value: string | null) => value ?? '')),
  ];
}

const TITLES: Readonly<Record<Part, readonly string[]>> = {
  accounts: [
    ...['books', 'account', 'class', 'opening_debit', 'opening_credit'],
    ...['debits', 'credits', 'debit', 'credit'],
  ],
  floats: [
    ...['operator', 'books', 'reported', 'difference', 'in_flight', 'settled_since'],
    ...['not_booked_yet', 'unexplained', 'statement', 'statement_end', 'statement_closing'],
    ...['statement_books', 'statement_difference'],
  ],
  corrections: [
    ...['time', 'vid', 'reference', 'case', 'kind', 'resolution', 'debit_account'],
    ...['credit_account', 'amount', 'proposed_by', 'approved_by'],
  ],
};

function textOf({ accounts, floats, corrections }: Parts, { wireTime }: Session): string {
  const bridges = table(
    [
      { title: 'OPERATOR' },
      { title: 'BOOKS', align: 'right' },
      { title: 'IN FLIGHT', align: 'right' },
      { title: 'SETTLED SINCE', align: 'right' },
      { title: 'NOT BOOKED', align: 'right' },
      { title: 'UNEXPLAINED', align: 'right' },
      { title: 'REPORTED', align: 'right' },
      { title: 'STATEMENT', align: 'right' },
      { title: 'DIFFERENCE', align: 'right' },
    ],
    floats
      .map(floatJson)
      .map((row) => [
        row.operator,
        row.books,
        row.in_flight ?? '',
        row.settled_since ?? '',
        row.not_booked_yet ?? '',
        row.unexplained ?? '',
        row.reported ?? '',
        row.statement_closing ?? '',
        row.statement_difference ?? '',
      ]),
    'no float is booked',
  );
  const corrected = table(
    [
      { title: 'CORRECTED' },
      { title: 'DEBIT' },
      { title: 'CREDIT' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'PAYMENT' },
      { title: 'CASE' },
    ],
    corrections.map((row) => [
      wireTime.format(row.at),
      row.debitAccount,
      row.creditAccount,
      formatMoney(row.amountCents),
      row.reference ?? '',
      row.caseId,
    ]),
    'no corrections',
  );
  return `${accountsText(accounts)}\n${bridges}\n${corrected}`;
}
