import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { approveEntry, rejectEntry } from '../../payments/house/entries.ts';
import { listEntries } from '../../payments/house/entries-store.ts';
import type { EntryRow } from '../../payments/house/entries-store.ts';
import { listHouseTransfers } from '../../payments/house/store.ts';
import { addJournals } from './journal.ts';
import { addTrialBalance } from './trial-balance.ts';
import { command, like, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import { financeAct } from '../parties/as-person.ts';
import { addDecisions, decisionText } from '../parties/decisions.ts';

export function addHouseCommands(program: Command, cli: Cli): void {
  const house = program
    .command('house')
    .description('The books of the company that runs this service: floats with operators, banks.');
  addTrialBalance(house, cli);
  addTransfers(house, cli);
  addEntries(house, cli);
  addDecisions(house, cli, {
    noun: 'entry',
    summaries: {
      approve: 'Book another person’s entry.',
      reject: 'Reject an entry. Nothing is booked.',
    },
    act: (step, { id, by }) => financeAct(`entry.${step}`, by, id),
    approve: async ({ pool, wireTime, ledgerMac }, { id: entryId, by }) =>
      await approveEntry({ pool, wireTime, ledgerMac: await ledgerMac() }, { entryId, by }),
    reject: async ({ pool }, { id: entryId, by }) => await rejectEntry(pool, { entryId, by }),
    answer: (row, { wireTime }) => ({ json: entryJson(row), text: entryText(row, wireTime) }),
  });
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
export function entryJson(row: EntryRow) {
  return {
    entry: row.entryId,
    kind: row.kind,
    subject: row.subject,
    reference: row.reference,
    debit: row.debitAccount,
    credit: row.creditAccount,
    amount: formatMoney(row.amountCents),
    moved_at: row.movedAt.toISOString(),
    note: row.note,
    proposed_by: row.proposedBy,
    decision: row.decision,
    decided_by: row.decidedBy,
    listed_by_statement: row.rowId !== null,
  };
}

/** The same for people. */
export function entryText(row: EntryRow, wireTime: WireTime): string {
  return record([
    ['entry', row.entryId],
    ['kind', row.kind],
    ['debit', row.debitAccount],
    ['credit', row.creditAccount],
    ['amount', formatMoney(row.amountCents)],
    ['moved', wireTime.format(row.movedAt)],
    ['reference', row.reference],
    ['note', row.note],
    ['state', decisionText(row)],
  ]);
}

function addEntries(house: Command, cli: Cli): void {
  command(house, 'entries', 'Entries that wait for another person’s approval.')
    .option('--all', 'also those that were decided')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 50)
    .action(async (options: { json?: boolean; all?: boolean; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { all, limit } = options;
        const rows = await listEntries(pool, { open: all !== true, limit });
        return {
          json: { entries: rows.map(entryJson) },
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
            rows.map((row) => [
              row.entryId,
              wireTime.format(row.movedAt),
              row.kind,
              row.subject,
              formatMoney(row.amountCents),
              row.reference,
              decisionText(row),
            ]),
            'no entries',
          ),
        };
      });
    });
}
