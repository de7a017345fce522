import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { listEntries } from '../../payments/house/entries.ts';
import type { Entry } from '../../payments/house/entries.ts';
import { listHouseTransfers } from '../../payments/house/store.ts';
import { addJournals } from './journal.ts';
import { addTrialBalance } from './trial-balance.ts';
import { command, like, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import { openProposals, stateText } from '../parties/proposal.ts';

export function addHouseCommands(program: Command, cli: Cli): void {
  const house = program
    .command('house')
    .description('The books of the company that runs this service: floats with operators, banks.');
  addTrialBalance(house, cli);
  addTransfers(house, cli);
  addEntries(house, cli);
  addJournals(house, cli);
}

const ACCOUNT = { pattern: '^[a-z0-9_:-]{1,80}$', form: 'the name of an account' };

function addTransfers(house: Command, cli: Cli): void {
  command(house, 'transfers', 'Transfers of the house, newest first.')
    .option('--account <account>', 'of this account only', like(ACCOUNT))
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 50)
    .action(async (options: { json?: boolean; account?: string; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { account = null, limit } = options;
        const rows = await listHouseTransfers(pool, {
          ...{ account, limit },
          period: null,
          before: null,
        });
        return {
          json: {
            transfers: rows.map((row) => ({
              transfer: row.transferId,
              moved_at: row.movedAt.toISOString(),
              posted_at: row.postedAt.toISOString(),
              debit: row.debitAccount,
              credit: row.creditAccount,
              amount: formatMoney(row.amountCents),
              source: row.source,
              source_id: row.sourceId,
              reference: row.reference,
            })),
          },
          text: table(
            [
              { title: 'MOVED' },
              { title: 'DEBIT' },
              { title: 'CREDIT' },
              { title: 'AMOUNT', align: 'right' },
              { title: 'SOURCE' },
              { title: 'REFERENCE' },
            ],
            rows.map((row) => [
              wireTime.format(row.movedAt),
              row.debitAccount,
              row.creditAccount,
              formatMoney(row.amountCents),
              row.source,
              row.reference ?? '',
            ]),
            'no transfers',
          ),
        };
      });
    });
}

/** An entry for programs. */
export function entryJson({ row, content, isListed, ...movement }: Entry) {
  return {
    entry: row.proposalId,
    kind: content.kind,
    subject: content.operator,
    reference: content.reference,
    debit: movement.debitAccount,
    credit: movement.creditAccount,
    amount: formatMoney(movement.amountCents),
    moved_at: content.movedAt,
    note: row.note,
    proposed_by: row.proposedBy,
    decision: row.decision,
    decided_by: row.decidedBy,
    listed_by_statement: isListed,
  };
}

/** Describes an entry in words for people. */
export function entryText({ row, content, ...movement }: Entry, wireTime: WireTime): string {
  return record([
    ['entry', row.proposalId],
    ['kind', content.kind],
    ['debit', movement.debitAccount],
    ['credit', movement.creditAccount],
    ['amount', formatMoney(movement.amountCents)],
    ['moved', wireTime.format(new Date(content.movedAt))],
    ['reference', content.reference],
    ['note', row.note],
    ['state', stateText(row)],
  ]);
}

function addEntries(house: Command, cli: Cli): void {
  command(house, 'entries', 'Entries that wait for another person’s approval.')
    .option('--all', 'also those that were decided')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 50)
    .action(async (options: { json?: boolean; all?: boolean; limit: number }) => {
      await cli.run(options, async (session) => {
        const { all, limit } = options;
        const { pool, wireTime } = session;
        const proposals = await openProposals(session);
        const entries = await listEntries(pool, proposals, { open: all !== true, limit });
        return {
          json: { entries: entries.map(entryJson) },
          text: table(
            [
              { title: 'ENTRY' },
              { title: 'MOVED' },
              { title: 'KIND' },
              { title: 'SUBJECT' },
              { title: 'AMOUNT', align: 'right' },
              { title: 'REFERENCE' },
              { title: 'STATE' },
            ],
            entries.map(({ row, content, amountCents }) => [
              row.proposalId,
              wireTime.format(new Date(content.movedAt)),
              content.kind,
              content.operator,
              formatMoney(amountCents),
              content.reference,
              stateText(row),
            ]),
            'no entries',
          ),
        };
      });
    });
}
