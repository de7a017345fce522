import type { Command } from 'commander';
import { csvExportValue } from '../../platform/base/csv.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../platform/base/ids.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { readStatement } from '../../payments/ledger/statement.ts';
import type { Balances, StatementLine, StatementScope } from '../../payments/ledger/statement.ts';
import { bookPeriod, command, fromBookOption, signerName, toBookOption } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { record, table } from '../output.ts';
import type { Answer, TextStream } from '../output.ts';
import type { Session } from '../session.ts';
import { requireVendor } from '../parties/vendors.ts';

interface StatementOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly withCosts?: boolean;
  readonly vid: string;
  readonly from?: string;
  readonly to?: string;
}

interface Period {
  readonly vendorId: number;
  readonly from: Date;
  readonly to: Date;
  readonly scope: StatementScope;
}

/** Maximum number of transfers in a table or a JSON document; `--csv` streams all of them. */
const MAX_IN_MEMORY = 20_000;

export function addStatement(ledger: Command, cli: Cli): void {
  command(ledger, 'statement', 'A vendor’s balances before and after a period, and its transfers.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .addOption(fromBookOption())
    .addOption(toBookOption())
    .option('--csv', 'CSV, of any length')
    .option('--with-costs', 'also what operators charge and give us; not for the vendor')
    .action(async (options: StatementOptions) => {
      if (options.csv === true && options.json === true) {
        throw new UsageError('Give --csv or --json, not both.');
      }
      await cli.run(options, async (session) => {
        const { vendorId } = await requireVendor(session.pool, options.vid);
        const scope = options.withCosts === true ? 'all' : 'vendor';
        const period: Period = { vendorId, scope, ...bookPeriod(options, session.wireTime) };
        if (options.csv === true) {
          await writeCsv(session, period, cli.surroundings.stdout);
          return undefined;
        }
        return await answerStatement(session, period, options.vid);
      });
    });
}

async function answerStatement(session: Session, period: Period, vid: string): Promise<Answer> {
  const lines: StatementLine[] = [];
  let opening: Balances = new Map();
  const closing = await readStatement(session.pool, period, {
    opening: (balances) => {
      opening = balances;
    },
    lines: (some) => {
      if (lines.length + some.length > MAX_IN_MEMORY) {
        throw new PlainError(
          `There are more than ${MAX_IN_MEMORY} transfers. Choose a shorter period, or --csv.`,
        );
      }
      lines.push(...some);
    },
  });
  return {
    json: {
      vid,
      from: period.from.toISOString(),
      to: period.to.toISOString(),
      opening: balancesJson(opening),
      transfers: lines.map((line) => lineJson(line, period.vendorId)),
      closing: balancesJson(closing),
    },
    text: statementText(session.wireTime, period, { opening, lines, closing, vid }),
  };
}

function balancesJson(balances: Balances): Record<string, string> {
  return Object.fromEntries([...balances].map(([account, cents]) => [account, formatMoney(cents)]));
}

function lineJson(line: StatementLine, vendorId: number) {
  return {
    time: line.at.toISOString(),
    movement: line.movement,
    reference: encodeReference(vendorId, line.sourceId),
    merchant_reference: line.merchantReference,
    debit_account: line.debitAccount,
    credit_account: line.creditAccount,
    amount: formatMoney(line.amountCents),
    float: formatMoney(line.floatCents),
  };
}

function statementText(
  wireTime: WireTime,
  period: Period,
  content: {
    readonly vid: string;
    readonly opening: Balances;
    readonly lines: readonly StatementLine[];
    readonly closing: Balances;
  },
): string {
  const { vid, opening, lines, closing } = content;
  const transfers = table(
    [
      { title: 'TIME' },
      { title: 'MOVEMENT' },
      { title: 'FROM' },
      { title: 'TO' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'FLOAT AFTER', align: 'right' },
      { title: 'REFERENCE' },
      { title: 'MERCHANT REFERENCE' },
    ],
    lines.map((line) => [
      wireTime.format(line.at),
      line.movement,
      line.debitAccount,
      line.creditAccount,
      formatMoney(line.amountCents),
      formatMoney(line.floatCents),
      encodeReference(period.vendorId, line.sourceId),
      line.merchantReference ?? '',
    ]),
    'no transfers',
  );
  const balances = table(
    [
      { title: 'ACCOUNT' },
      { title: 'OPENING', align: 'right' },
      { title: 'CLOSING', align: 'right' },
    ],
    [...closing].map(([account, cents]) => [
      account,
      formatMoney(opening.get(account) ?? 0n),
      formatMoney(cents),
    ]),
  );
  const head = record([
    ['vendor', vid],
    ['from', wireTime.format(period.from)],
    ['to', `${wireTime.format(period.to)} (not included)`],
  ]);
  return `${head}\n${transfers}\n${balances}`;
}

const CSV_HEADER = [
  'time',
  'movement',
  'reference',
  'merchant_reference',
  'debit_account',
  'credit_account',
  'amount',
  'float',
];

function balanceRows(balances: Balances, movement: string, at: Date): string[][] {
  return [...balances].map(([account, cents]) => [
    at.toISOString(),
    movement,
    '',
    '',
    '',
    account,
    formatMoney(cents),
    '',
  ]);
}

/**
 * One row per transfer, between two rows for the balances, with the account in `credit_account`.
 */
async function writeCsv(session: Session, period: Period, stdout: TextStream): Promise<void> {
  const write = (rows: readonly (readonly string[])[]): void => {
    stdout.write(rows.map((row) => `${row.map(csvExportValue).join(',')}\r\n`).join(''));
  };
  const closing = await readStatement(session.pool, period, {
    opening: (balances) => {
      write([CSV_HEADER, ...balanceRows(balances, 'opening', period.from)]);
    },
    lines: (lines) => {
      write(
        lines.map((line) =>
          Object.values(lineJson(line, period.vendorId)).map((value) => value ?? ''),
        ),
      );
    },
  });
  write(balanceRows(closing, 'closing', period.to));
}
