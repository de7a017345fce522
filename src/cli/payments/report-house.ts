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
import { csvAnswer, linesOf, requireOneFormat, rowOf } from './report-output.ts';
import type { ReportFormat } from './report-output.ts';
import { ACCOUNT, accountsText } from './trial-balance.ts';

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
            accounts: accountsOf(balance).map((line) => rowOf(ACCOUNT, line)),
            is_even: balance.isEven,
            floats: floats.map((float) => rowOf(FLOAT, float)),
            corrections: corrections.map((row) => rowOf(CORRECTION, row)),
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

const FLOAT = {
  operator: ({ operator }: Float) => operator,
  books: ({ bookedCents }: Float) => formatMoney(bookedCents),
  reported: ({ reportedCents }: Float) => optional(reportedCents),
  difference: ({ bridge }: Float) => optional(bridge?.differenceCents),
  in_flight: ({ bridge }: Float) => optional(bridge?.inFlightCents),
  settled_since: ({ bridge }: Float) => optional(bridge?.settledSinceCents),
  not_booked_yet: ({ bridge }: Float) => optional(bridge?.notBookedCents),
  unexplained: ({ bridge }: Float) => optional(bridge?.unexplainedCents),
  statement: ({ statement }: Float) => statement?.statementId ?? null,
  statement_end: ({ statement }: Float) => statement?.periodEnd.toISOString() ?? null,
  statement_closing: ({ statement }: Float) => optional(statement?.closingCents),
  statement_books: ({ statement }: Float) => optional(statement?.bookedCents),
  statement_difference: ({ statement }: Float) =>
    optional(statement && statement.closingCents - statement.bookedCents),
};

const CORRECTION = {
  time: ({ at }: Correction) => at.toISOString(),
  vid: ({ vid }: Correction) => vid,
  reference: ({ reference }: Correction) => reference,
  case: ({ caseId }: Correction) => caseId,
  kind: ({ kind }: Correction) => kind,
  resolution: ({ resolution }: Correction) => resolution,
  debit_account: ({ debitAccount }: Correction) => debitAccount,
  credit_account: ({ creditAccount }: Correction) => creditAccount,
  amount: ({ amountCents }: Correction) => formatMoney(amountCents),
  proposed_by: ({ proposedBy }: Correction) => proposedBy,
  approved_by: ({ approvedBy }: Correction) => approvedBy,
};

/** The rows of the part, below its titles. */
function rowsOf({ accounts, floats, corrections }: Parts, part: Part): string[][] {
  switch (part) {
    case 'accounts':
      return linesOf(ACCOUNT, accountsOf(accounts));
    case 'floats':
      return linesOf(FLOAT, floats);
    case 'corrections':
      return linesOf(CORRECTION, corrections);
  }
}

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
      .map((float) => rowOf(FLOAT, float))
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
