import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { csvOf } from '../../platform/export/csv.ts';
import { xlsxOf } from '../../platform/export/xlsx.ts';
import { renameIfNew } from '../../platform/storage/folder.ts';
import { findOperator } from '../../payments/billers/store.ts';
import {
  firstCursor,
  readStatementHead,
  readStatementPage,
} from '../../payments/reports/statement.ts';
import type { StatementHead, StatementLine } from '../../payments/reports/statement.ts';
import type { Balances, StatementOf } from '../../payments/reports/statement-accounts.ts';
import {
  referencesOf,
  requireFitsSheet,
  statementTable,
} from '../../payments/reports/statement-table.ts';
import { readVids } from '../../parties/store.ts';
import {
  bookPeriod,
  code,
  command,
  fromBookOption,
  signerName,
  toBookOption,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { requireVendor } from '../parties/vendors.ts';

interface StatementOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly xlsx?: string;
  readonly withCosts?: boolean;
  readonly vid?: string;
  readonly operator?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Maximum number of transfers in a table or a JSON document; the files have all of them. */
const MAX_IN_MEMORY = 20_000;
/** Read at once. */
const PAGE = 1000;

export function addStatement(ledger: Command, cli: Cli): void {
  command(
    ledger,
    'statement',
    'What a vendor has with us, or our float with an operator, before and after a period, and the transfers in between.',
  )
    .option('--vid <vid>', 'of this vendor', signerName)
    .option('--operator <code>', 'of our float with this operator', code)
    .addOption(fromBookOption())
    .addOption(toBookOption())
    .option('--csv', 'CSV, of any length')
    .option('--xlsx <file>', 'a workbook for Excel')
    .option('--with-costs', 'also what operators charge and give us; not for the vendor')
    .action(async (options: StatementOptions) => {
      requireOne(options);
      await cli.run(options, async (session) => {
        const of = await readSubject(session, options);
        const period = bookPeriod(options, session.wireTime);
        if (options.csv !== true && options.xlsx === undefined) {
          return await answerStatement(
            session,
            of,
            await readStatementHead(session.pool, of, period),
          );
        }
        const { head, table: lines } = await statementTable(session.pool, of, period);
        if (options.xlsx === undefined) {
          for await (const text of csvOf(lines, session.wireTime)) {
            cli.surroundings.stdout.write(text);
          }
          return undefined;
        }
        requireFitsSheet(head);
        await writeFile(options.xlsx, xlsxOf(lines, session.wireTime));
        return {
          json: { file: options.xlsx, transfers: head.count },
          text: `${head.count} transfers are in ${options.xlsx}.`,
        };
      });
    });
}

/** Throws: `UsageError`. */
function requireOne({ vid, operator, csv, json, xlsx }: StatementOptions): void {
  if ((vid === undefined) === (operator === undefined)) {
    throw new UsageError('Give --vid or --operator.');
  }
  if (csv === true && json === true) throw new UsageError('Give --csv or --json, not both.');
  if (csv === true && xlsx !== undefined) throw new UsageError('Give --csv or --xlsx, not both.');
}

/** The file is complete or missing, and replaces none. Throws: `PlainError`. */
async function writeFile(file: string, content: AsyncIterable<Buffer>): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    await pipeline(Readable.from(content), createWriteStream(part, { flags: 'wx', flush: true }));
    if (!(await renameIfNew(part, file))) throw Object.assign(new Error(), { code: 'EEXIST' });
  } catch (error) {
    const { code: problem } = error as { code?: string };
    if (problem === undefined || !/^E[A-Z]+$/.test(problem)) throw error;
    throw new PlainError(`${file} cannot be written (${problem}).`, { field: 'xlsx' });
  } finally {
    await rm(part, { force: true });
  }
}

/** Throws: `unknown_vendor`, `PlainError`. */
async function readSubject(
  { pool }: Session,
  { vid, operator = '', withCosts = false }: StatementOptions,
): Promise<StatementOf> {
  if (vid !== undefined) {
    const { vendorId } = await requireVendor(pool, vid);
    return { kind: 'vendor', vendorId, withOwnTerms: withCosts };
  }
  if ((await findOperator(pool, operator)) !== undefined) {
    return { kind: 'operator', operatorCode: operator };
  }
  throw new PlainError(`Operator ${operator} does not exist.`, { field: 'operator' });
}

async function answerStatement(
  { pool, wireTime }: Session,
  of: StatementOf,
  head: StatementHead,
): Promise<Answer> {
  if (head.count > MAX_IN_MEMORY) {
    throw new PlainError(
      `There are more than ${MAX_IN_MEMORY} transfers. Choose a shorter period, or --csv.`,
    );
  }
  const lines: StatementLine[] = [];
  const { to } = head;
  for (let after = firstCursor(head); ;) {
    const page = await readStatementPage(pool, of, { after, to, limit: PAGE });
    lines.push(...page.lines);
    if (page.next === null) break;
    after = page.next;
  }
  const vids = await readVids(pool);
  const name =
    of.kind === 'vendor' ? { vid: vids.get(of.vendorId) ?? '' } : { operator: of.operatorCode };
  return {
    json: {
      ...name,
      from: head.from.toISOString(),
      to: to.toISOString(),
      opening: balancesJson(head.opening),
      opening_balance: formatMoney(head.openingCents),
      movements: head.movements.map(({ movement, count, changeCents }) => ({
        ...{ movement, count, change: formatMoney(changeCents) },
      })),
      transfers: lines.map((line) => lineJson(of, line, vids)),
      closing: balancesJson(head.closing),
      closing_balance: formatMoney(head.closingCents),
    },
    text: statementText(wireTime, of, { head, lines, name: Object.entries(name) }),
  };
}

function balancesJson(balances: Balances): Record<string, string> {
  return Object.fromEntries([...balances].map(([account, cents]) => [account, formatMoney(cents)]));
}

function lineJson(of: StatementOf, line: StatementLine, vids: ReadonlyMap<number, string>) {
  const named = referencesOf(line);
  return {
    time: line.at.toISOString(),
    ...(of.kind === 'operator' ? { vid: vids.get(line.vendorId ?? 0) ?? null } : {}),
    movement: line.movement,
    reference: named.reference,
    merchant_reference: named.merchantReference,
    collector: named.collector,
    collector_reference: named.collectorReference,
    operator: named.operator,
    operator_reference: named.operatorReference,
    bank_reference: named.bankReference,
    case: named.caseId,
    debit_account: line.debitAccount,
    credit_account: line.creditAccount,
    amount: formatMoney(line.amountCents),
    change: formatMoney(line.changeCents),
    balance: formatMoney(line.balanceCents),
    ...(of.kind === 'vendor' ? { float: formatMoney(line.floatCents) } : {}),
  };
}

/** Accounts show credits less debits, and our float is an asset. */
const FLOAT_SIGNS =
  'The accounts are credits less debits, so what is in our float is negative. The balance is our float: it grows by a debit.\n';

function statementText(
  wireTime: WireTime,
  of: StatementOf,
  content: {
    readonly name: readonly (readonly [string, string])[];
    readonly head: StatementHead;
    readonly lines: readonly StatementLine[];
  },
): string {
  const { name, head, lines } = content;
  const transfers = table(
    [
      { title: 'TIME' },
      { title: 'MOVEMENT' },
      { title: 'FROM' },
      { title: 'TO' },
      { title: 'AMOUNT', align: 'right' },
      { title: of.kind === 'vendor' ? 'FLOAT AFTER' : 'BALANCE AFTER', align: 'right' },
      { title: 'REFERENCE' },
      { title: of.kind === 'vendor' ? 'MERCHANT REFERENCE' : 'OPERATOR REFERENCE' },
    ],
    lines.map((line) => {
      const { reference, merchantReference, operatorReference } = referencesOf(line);
      const isVendor = of.kind === 'vendor';
      return [
        wireTime.format(line.at),
        line.movement,
        line.debitAccount,
        line.creditAccount,
        formatMoney(line.amountCents),
        formatMoney(isVendor ? line.floatCents : line.balanceCents),
        reference ?? '',
        (isVendor ? merchantReference : operatorReference) ?? '',
      ];
    }),
    'no transfers',
  );
  const balances = table(
    [
      { title: 'ACCOUNT' },
      { title: 'OPENING', align: 'right' },
      { title: 'CLOSING', align: 'right' },
    ],
    [
      ...[...head.closing].map(([account, cents]) => [
        account,
        formatMoney(head.opening.get(account) ?? 0n),
        formatMoney(cents),
      ]),
      ['balance', formatMoney(head.openingCents), formatMoney(head.closingCents)],
    ],
  );
  const about = record([
    ...name.map(([kind, value]) => [kind === 'vid' ? 'vendor' : kind, value] as const),
    ['from', wireTime.format(head.from)],
    ['to', `${wireTime.format(head.to)} (not included)`],
  ]);
  return `${about}\n${transfers}\n${balances}${of.kind === 'operator' ? FLOAT_SIGNS : ''}`;
}
