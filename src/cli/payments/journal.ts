import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { sumOf } from '../../payments/house/journal.ts';
import type { JournalLine } from '../../payments/house/journal.ts';
import { journalOf, listJournals, proposeJournal } from '../../payments/house/journals.ts';
import type { Journal } from '../../payments/house/journals.ts';
import { command, moment, moneyAboveZero, noteText, printable, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import { asPerson, financeAct } from '../parties/as-person.ts';
import { openProposals, stateText } from '../parties/proposal.ts';

/** `house journal`: manual bookings, each by two people. */
export function addJournals(house: Command, cli: Cli): void {
  const journal = house
    .command('journal')
    .description('Journals: two or more lines that balance, by two people.');
  addPropose(journal, cli);
  addList(journal, cli);
}

/** A parser of repeated `account=amount`. */
function lineOf(side: JournalLine['side']) {
  return (text: string, before: readonly JournalLine[] = []): readonly JournalLine[] => {
    const [, account = '', amount = ''] = /^([a-z0-9_:-]{1,80})=(.+)$/.exec(text) ?? [];
    if (account === '') {
      throw new InvalidArgumentError('It must be account=amount, such as suspense=500.00.');
    }
    return [...before, { account, side, amountCents: moneyAboveZero(amount) }];
  };
}

interface ProposeOptions {
  readonly json?: boolean;
  readonly debit: readonly JournalLine[];
  readonly credit: readonly JournalLine[];
  readonly reference: string;
  readonly at?: string;
  readonly note: string;
  readonly evidence: string;
  readonly by: string;
}

function addPropose(journal: Command, cli: Cli): void {
  command(journal, 'propose', 'Propose a journal. Another person approves it: proposal approve.')
    .requiredOption('--debit <account=amount>', 'a line; repeatable', lineOf('debit'))
    .requiredOption('--credit <account=amount>', 'a line; repeatable', lineOf('credit'))
    .requiredOption('--reference <reference>', 'reference of the document', printable(100))
    .option('--at <time>', 'when the money moved (default: now)')
    .requiredOption('--note <text>', 'why', noteText)
    .requiredOption('--evidence <text>', 'where it can be looked up', noteText)
    .requiredOption('--by <name>', 'who proposes it')
    .action(async (options: ProposeOptions) => {
      await cli.run(options, async (session) => {
        const { wireTime } = session;
        const proposals = await openProposals(session);
        const { debit, credit, reference, note, evidence } = options;
        const journalRequest = {
          lines: [...debit, ...credit],
          movedAt: options.at === undefined ? new Date() : moment(options.at, '--at', wireTime),
          ...{ reference, note, evidence },
        };
        const act = { ...financeAct('journal.propose', options.by, reference), reason: note };
        const row = await asPerson(cli, session, act, (_by, by) =>
          proposeJournal(proposals, { ...journalRequest, by }),
        );
        const made = journalOf(row);
        return { json: journalJson(made), text: journalText(made, wireTime) };
      });
    });
}

function addList(journal: Command, cli: Cli): void {
  command(journal, 'list', 'Journals that wait for another person’s approval.')
    .option('--all', 'also those that were decided')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 50)
    .action(async (options: { json?: boolean; all?: boolean; limit: number }) => {
      await cli.run(options, async (session) => {
        const { all, limit } = options;
        const proposals = await openProposals(session);
        const journals = await listJournals(proposals, { open: all !== true, limit });
        return {
          json: { journals: journals.map(journalJson) },
          text: table(
            [
              { title: 'JOURNAL' },
              { title: 'MOVED' },
              { title: 'AMOUNT', align: 'right' },
              { title: 'REFERENCE' },
              { title: 'STATE' },
            ],
            journals.map(({ row, content, lines }) => [
              row.proposalId,
              session.wireTime.format(new Date(content.movedAt)),
              formatMoney(sumOf(lines, 'debit')),
              content.reference,
              stateText(row),
            ]),
            'no journals',
          ),
        };
      });
    });
}

function journalJson({ row, content, lines }: Journal) {
  return {
    journal: row.proposalId,
    reference: content.reference,
    lines: lines.map(({ account, side, amountCents }) => ({
      ...{ account, side },
      amount: formatMoney(amountCents),
    })),
    moved_at: content.movedAt,
    note: row.note,
    evidence: content.evidence,
    proposed_by: row.proposedBy,
    decision: row.decision,
    decided_by: row.decidedBy,
  };
}

function journalText({ row, content, lines }: Journal, wireTime: WireTime): string {
  return record([
    ['journal', row.proposalId],
    ...lines.map(({ account, side, amountCents }): [string, string] => [
      side,
      `${account} ${formatMoney(amountCents)}`,
    ]),
    ['moved', wireTime.format(new Date(content.movedAt))],
    ['reference', content.reference],
    ['note', row.note],
    ['evidence', content.evidence],
    ['state', stateText(row)],
  ]);
}
