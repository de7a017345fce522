import { Option } from 'commander';
import type { Command } from 'commander';
import { readVids } from '../../parties/store.ts';
import { proposeForReceipt, requireReceipt } from '../../payments/receipts/assign.ts';
import { reportReversal } from '../../payments/receipts/reverse.ts';
import { proposeBankStatement } from '../../payments/uploads/bank-statement.ts';
import { listReceiptEvents, listReceipts, listReports } from '../../payments/receipts/store.ts';
import type { ReceiptRow } from '../../payments/receipts/store.ts';
import { OPEN_STATES } from '../../payments/receipts/receipt.ts';
import type { Doubt, ReceiptState } from '../../payments/receipts/receipt.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requirePerson } from '../../platform/base/person.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { code, command, moneyAboveZero, noteText, signerName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import type { Session } from '../session.ts';
import { asPerson } from '../parties/as-person.ts';
import { bySupplier, openProposals, waitingAnswer } from '../parties/proposal.ts';
import { addSourceCommands } from './receipt-sources.ts';

export function addReceiptCommands(program: Command, cli: Cli): void {
  const receipts = program
    .command('receipts')
    .description(
      'Incoming money. Each receipt of a provider is credited once. A receipt without a vendor waits for two people.',
    );
  addList(receipts, cli);
  addShow(receipts, cli);
  addPropose(receipts, cli);
  addReversed(receipts, cli);
  addImport(receipts, cli);
  addSourceCommands(receipts, cli);
}

const STATES: readonly ReceiptState[] = [...OPEN_STATES, 'credited', 'closed'];

type Names = ReadonlyMap<number, string>;

function addList(receipts: Command, cli: Cli): void {
  command(receipts, 'list', 'Receipts that are not credited, oldest first.')
    .addOption(new Option('--state <state>', 'only receipts in this state').choices(STATES))
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .action(async (options: { json?: boolean; state?: ReceiptState; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { state, limit } = options;
        const states = state === undefined ? OPEN_STATES : [state];
        const rows = await listReceipts(pool, { states, limit });
        const names = await readVids(pool);
        return {
          json: { receipts: rows.map((row) => receiptJson(row, names)) },
          text: listText(rows, names, wireTime),
        };
      });
    });
}

function listText(rows: readonly ReceiptRow[], names: Names, wireTime: WireTime): string {
  return table(
    [
      { title: 'RECEIPT' },
      { title: 'SOURCE' },
      { title: 'PAID' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'ACCOUNT' },
      { title: 'PAYER' },
      { title: 'VENDOR' },
      { title: 'STATE' },
    ],
    rows.map((row) => [
      row.receipt,
      row.sourceCode,
      wireTime.format(row.paidAt),
      formatMoney(row.amountCents),
      row.account ?? '',
      row.payer ?? '',
      vidOf(row, names) ?? '',
      stateOf(row),
    ]),
    'no receipts',
  );
}

function stateOf(row: ReceiptRow): string {
  const state = row.reversedAt === null ? row.state : `${row.state}, taken back`;
  const { proposedBy, decidedBy } = row;
  return decidedBy === null
    ? state
    : `${state}, proposed by ${proposedBy}, approved by ${decidedBy}`;
}

function vidOf(row: ReceiptRow, names: Names): string | null {
  return row.vendorId === null ? null : (names.get(row.vendorId) ?? String(row.vendorId));
}

function receiptJson(row: ReceiptRow, names: Names) {
  return {
    receipt: row.receipt,
    issuer: row.issuer,
    source: row.sourceCode,
    collector: row.collector,
    amount: formatMoney(row.amountCents),
    paid_at: row.paidAt.toISOString(),
    received_at: row.receivedAt.toISOString(),
    account: row.account,
    payer: row.payer,
    vid: vidOf(row, names),
    state: row.state,
    doubt: row.doubt,
    reversed_at: row.reversedAt?.toISOString() ?? null,
    proposed_by: row.proposedBy,
    decided_by: row.decidedBy,
  };
}

const DOUBT_TEXTS: Readonly<Record<Doubt['reason'], string>> = {
  same_number: 'another source reported its number',
  like_number: 'a number that is written differently was reported',
  alike: 'another source reported this amount for this account at about this time or on this day',
  collected: 'a collector reported this number and amount itself',
  changed_hands: 'the account number was another vendor’s shortly before',
  payout: 'it may be a payout to the vendor that the bank returned',
  returned: 'the bank marks it, or its text, as the return of a payment of ours',
  renumbered:
    'the source listed this amount on this day before its settings gave lines other numbers',
  line_wrap: 'the bank broke its text into lines, which can be read in two ways',
  part: 'the account number may be a part of another vendor’s, whose rest was cut off',
};

function doubtText({ reason, others }: Doubt): string {
  return `${DOUBT_TEXTS[reason]}: ${others.join(', ')}`;
}

function receiptText(row: ReceiptRow, names: Names, wireTime: WireTime): string {
  return record([
    ['receipt', row.receipt],
    ['issuer', row.issuer],
    ['source', row.sourceCode],
    ['amount', formatMoney(row.amountCents)],
    ['paid', wireTime.format(row.paidAt)],
    ['received', wireTime.format(row.receivedAt)],
    ['account', row.account ?? ''],
    ['payer', row.payer ?? ''],
    ['vendor', vidOf(row, names) ?? ''],
    ['state', stateOf(row)],
    ['waits because', row.doubt === null ? '' : doubtText(row.doubt)],
    ['reversed', row.reversedAt === null ? '' : wireTime.format(row.reversedAt)],
  ]);
}

interface Named {
  readonly json?: boolean;
  readonly issuer?: string;
}

/** A command about one receipt. */
function receiptCommand(receipts: Command, spec: string, summary: string): Command {
  return command(receipts, `${spec} <receipt>`, summary).option(
    '--issuer <issuer>',
    'the issuer of the number, if several use the same one',
  );
}

async function shown(session: Session, row: ReceiptRow) {
  const names = await readVids(session.pool);
  return { json: receiptJson(row, names), text: receiptText(row, names, session.wireTime) };
}

function addShow(receipts: Command, cli: Cli): void {
  receiptCommand(receipts, 'show', 'Show a receipt: its reports, and who did what.').action(
    async (receipt: string, options: Named) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const row = await requireReceipt(pool, { receipt, issuer: options.issuer });
        const reports = await listReports(pool, row.receiptId);
        const events = await listReceiptEvents(pool, row.receiptId);
        const { json, text } = await shown(session, row);
        const reported = table(
          [
            { title: 'REPORTED' },
            { title: 'SOURCE' },
            { title: 'CHANNEL' },
            { title: 'AMOUNT', align: 'right' },
            { title: 'ACCOUNT' },
            { title: 'PAID' },
          ],
          reports.map((report) => [
            wireTime.format(report.reportedAt),
            report.sourceCode,
            report.channel,
            formatMoney(report.amountCents),
            report.account,
            wireTime.format(report.paidAt),
          ]),
        );
        const happened = table(
          [{ title: 'AT' }, { title: 'WHAT' }, { title: 'WHO' }, { title: 'DETAIL' }],
          events.map((event) => [
            wireTime.format(event.at),
            event.action,
            event.actor,
            JSON.stringify(event.detail),
          ]),
        );
        const reportsJson = reports.map((report) => ({
          source: report.sourceCode,
          channel: report.channel,
          amount: formatMoney(report.amountCents),
          account: report.account,
          paid_at: report.paidAt.toISOString(),
          reported_at: report.reportedAt.toISOString(),
        }));
        const eventsJson = events.map((event) => ({ ...event, at: event.at.toISOString() }));
        return {
          json: { ...json, reports: reportsJson, events: eventsJson },
          text: `${text}\n${reported}\n${happened}`,
        };
      });
    },
  );
}

interface DecisionOptions extends Named {
  readonly vid?: string;
  readonly close?: boolean;
  readonly by: string;
}

/** A command about what is done with a receipt: assign it to a vendor, or close it. */
function decisionCommand(receipts: Command, name: string, summary: string): Command {
  return receiptCommand(receipts, name, summary)
    .addOption(new Option('--vid <vid>', 'credit it to this vendor').argParser(signerName))
    .addOption(
      new Option('--close', 'it is for no vendor, for example because it was sent back').conflicts(
        'vid',
      ),
    );
}

/** Throws: `PlainError` unless exactly one of the two is given. */
function requireDecision(options: DecisionOptions): string | null {
  const vid = options.vid ?? null;
  if ((vid === null) === (options.close === true)) return vid;
  throw new PlainError('Give either --vid or --close.', { field: 'vid' });
}

function addPropose(receipts: Command, cli: Cli): void {
  decisionCommand(
    receipts,
    'propose',
    'Propose a decision about a receipt without a vendor, or to move a credited one to another vendor. Another person approves it: proposal approve.',
  )
    .requiredOption('--by <name>', 'who proposes it')
    .requiredOption('--note <text>', 'why', noteText)
    .action(async (receipt: string, options: DecisionOptions & { readonly note: string }) => {
      await cli.run(options, async (session) => {
        const { issuer, note } = options;
        const vid = requireDecision(options);
        const act = { ...actOn(receipt, 'receipt.propose', options.by), reason: note };
        const proposals = await openProposals(session);
        const deps = { pool: session.pool, proposals };
        const row = await asPerson(cli, session, act, (_by, by) =>
          proposeForReceipt(deps, { receipt, issuer, by, note, vid }),
        );
        return await waitingAnswer(session, proposals, row);
      });
    });
}

function actOn(receipt: string, action: string, by: string) {
  return { by, permission: 'receipts.act', action, target: receipt } as const;
}

interface ImportOptions {
  readonly json?: boolean;
  readonly acceptLine: readonly number[];
  readonly by: string;
  readonly note: string;
}

function addImport(receipts: Command, cli: Cli): void {
  command(
    receipts,
    'import <source> <file>',
    'Propose to import the credits of a bank statement (CSV, MT940 or camt.053), each once. Another person approves it.',
  )
    .option(
      '--accept-line <line>',
      'a line that the bank shows as well, although it may be a payer’s text; may be repeated',
      (text: string, lines: readonly number[]) => [...lines, wholeNumber(1, 10_000_000)(text)],
      [],
    )
    .addOption(bySupplier())
    .option('--note <text>', 'what it is', noteText, 'a bank statement')
    .action(async (given: string, file: string, options: ImportOptions) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const { acceptLine: acceptedLines, note } = options;
        const source = code(given);
        const proposals = await openProposals(session);
        const act = { ...actOn(source, 'receipts.import', options.by), reason: note };
        const row = await asPerson(cli, session, act, (_by, by) =>
          proposeBankStatement(
            { pool, wireTime, proposals },
            { source, file, acceptedLines, by, note },
          ),
        );
        return await waitingAnswer(session, proposals, row);
      });
    });
}

interface ReversedOptions {
  readonly by: string;
  readonly note: string;
  readonly amount?: bigint;
}

function addReversed(receipts: Command, cli: Cli): void {
  receiptCommand(
    receipts,
    'reversed',
    'Report that the provider took the money back. Opens a case; nothing is posted yet.',
  )
    .requiredOption('--by <name>', 'who reports it')
    .requiredOption('--note <text>', 'how it is known', noteText)
    .option('--amount <amount>', 'in KES (default: all that has not gone back yet)', moneyAboveZero)
    .action(async (receipt: string, options: Named & ReversedOptions) => {
      await cli.run(options, async (session) => {
        const { issuer, note, amount: cents } = options;
        const name = { receipt, issuer };
        const act = { ...actOn(receipt, 'receipt.reversed', options.by), reason: note };
        const isNew = await asPerson(cli, session, act, (by) =>
          reportReversal(session.pool, name, { actor: requirePerson(by), note, cents }),
        );
        if (!isNew) throw new PlainError('The reversal was already reported; see case list.');
        return await shown(session, await requireReceipt(session.pool, name));
      });
    });
}
