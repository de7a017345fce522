import { userInfo } from 'node:os';
import { Option } from 'commander';
import type { Command } from 'commander';
import { readVids } from '../../parties/store.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Line } from '../../proposals/kind.ts';
import type { Preview, Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/store.ts';
import { createProposals } from '../../proposal-kinds.ts';
import { command, idOf, noteText, printable, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { asPerson } from './as-person.ts';

/** `proposal`: what one person proposed and another one decides, of every kind. */
export function addProposalCommands(program: Command, cli: Cli): void {
  const proposal = program
    .command('proposal')
    .description(
      'What one person proposed and another person decides. Look at it before you decide.',
    );
  addList(proposal, cli);
  addShow(proposal, cli);
  addApprove(proposal, cli);
  addEnd(proposal, cli, 'reject', 'Reject a proposal. What it holds is returned.');
  addEnd(proposal, cli, 'withdraw', 'Withdraw your own proposal. What it holds is returned.');
}

export async function openProposals(session: Session): Promise<Proposals> {
  const { pool, wireTime } = session;
  const ledgerMac = await session.ledgerMac();
  const { masterKeys } = await session.sealing();
  return createProposals({ pool, wireTime, ledgerMac, masterKeys });
}

/** `--by` of what a person supplies or asks for; it waits for another person. */
export function bySupplier(summary = 'who supplies it; another person approves it'): Option {
  const { username } = userInfo();
  return new Option('--by <name>', summary).default(username, 'the user of the operating system');
}

/** Describes a waiting proposal: the changes that an approval would make, and the command that approves it. */
export async function waitingAnswer(
  session: Session,
  proposals: Proposals,
  row: ProposalRow,
  state = 'Nothing was imported yet: the file waits for another person, who approves it in the console or with',
): Promise<Answer> {
  const isAltered = proposals.describe(row) === undefined;
  const preview = isAltered ? undefined : await proposals.preview(row.proposalId);
  const { json, text } = await proposalAnswer(session, proposals, { row, preview });
  if (preview === undefined) return { json, text };
  const next = `malipo proposal approve ${row.proposalId} --by NAME --seen ${preview.seen}`;
  return {
    json: { waiting: true, ...(json as object) },
    text: `${text}\n${state}\n  ${next}\n`,
  };
}

function addList(proposal: Command, cli: Cli): void {
  command(proposal, 'list', 'Proposals that wait for another person, newest first.')
    .option('--all', 'also those that were decided')
    .option('--kind <kind>', 'only of this kind', printable(64))
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 50)
    .action(async (options: { json?: boolean; all?: boolean; kind?: string; limit: number }) => {
      await cli.run(options, async (session) => {
        const proposals = await openProposals(session);
        const { all, kind, limit } = options;
        const kinds = kind === undefined ? undefined : [kind];
        const rows = await proposals.list({ open: all !== true, kinds, limit });
        const vids = await readVids(session.pool);
        return {
          json: { proposals: rows.map((row) => proposalJson(row, { proposals, vids })) },
          text: listText(rows, vids, session),
        };
      });
    });
}

function listText(
  rows: readonly ProposalRow[],
  vids: ReadonlyMap<number, string>,
  { wireTime }: Session,
): string {
  return table(
    [
      { title: 'PROPOSAL' },
      { title: 'PROPOSED' },
      { title: 'KIND' },
      { title: 'VENDOR' },
      { title: 'STATE' },
      { title: 'WHAT' },
    ],
    rows.map((row) => [
      row.proposalId,
      wireTime.format(row.proposedAt),
      row.kind,
      row.vendorId === null ? '' : (vids.get(row.vendorId) ?? ''),
      stateText(row),
      shortened(row.shown.map(lineText).join('; ')),
    ]),
    'no proposals',
  );
}

function addShow(proposal: Command, cli: Cli): void {
  command(proposal, 'show', 'Show a proposal, and what an approval would do now.')
    .argument('<proposal>', 'its id', idOf('proposal'))
    .action(async (id: string, options: { json?: boolean }) => {
      await cli.run(options, async (session) => {
        const proposals = await openProposals(session);
        const row = await proposals.find(id);
        const isOpen = row.decision === null && proposals.describe(row) !== undefined;
        const preview = isOpen ? await proposals.preview(id) : undefined;
        return await proposalAnswer(session, proposals, { row, preview });
      });
    });
}

interface Decision {
  readonly json?: boolean;
  readonly by: string;
  readonly note?: string;
}

function addApprove(proposal: Command, cli: Cli): void {
  command(proposal, 'approve', 'Approve and carry out another person’s proposal.')
    .argument('<proposal>', 'its id', idOf('proposal'))
    .requiredOption('--by <name>', 'who approves it; not who proposed it')
    .requiredOption('--seen <code>', 'the code that proposal show prints', printable(64))
    .option('--note <text>', 'why', noteText)
    .action(async (proposalId: string, options: Decision & { readonly seen: string }) => {
      await decide(cli, 'approve', { ...options, proposalId }, async (proposals, request) =>
        proposals.approve({ ...request, seen: options.seen }),
      );
    });
}

function addEnd(proposal: Command, cli: Cli, step: 'reject' | 'withdraw', summary: string): void {
  command(proposal, step, summary)
    .argument('<proposal>', 'its id', idOf('proposal'))
    .requiredOption('--by <name>', 'who does it')
    .requiredOption('--note <text>', 'why', noteText)
    .action(async (proposalId: string, options: Decision) => {
      await decide(cli, step, { ...options, proposalId }, async (proposals, request) =>
        proposals[step](request),
      );
    });
}

async function decide(
  cli: Cli,
  step: 'approve' | 'reject' | 'withdraw',
  options: Decision & { readonly proposalId: string },
  work: (proposals: Proposals, request: Parameters<Proposals['reject']>[0]) => Promise<ProposalRow>,
): Promise<void> {
  await cli.run(options, async (session) => {
    const { by, note, proposalId } = options;
    const proposals = await openProposals(session);
    const kind = proposals.kindOf((await proposals.find(proposalId)).kind);
    const permission = step === 'withdraw' ? kind?.proposedBy : kind?.decidedBy;
    const act = {
      ...{ by, action: `proposal.${step}`, target: proposalId, reason: note },
      // The kind was altered: those who see the audit log may end it.
      permission: permission ?? ('audit.read' as const),
    };
    const row = await asPerson(cli, session, act, async (_by, actor) =>
      work(proposals, { proposalId, by: actor, note }),
    );
    return await proposalAnswer(session, proposals, { row, preview: undefined });
  });
}

/** A proposal that was made, shown or decided. */
export async function proposalAnswer(
  { pool, wireTime }: Session,
  proposals: Proposals,
  { row, preview }: { readonly row: ProposalRow; readonly preview?: Preview | undefined },
): Promise<Answer> {
  const vids = await readVids(pool);
  const content = proposals.describe(row);
  const altered = [['altered', 'it was changed in the database: reject it']] as const;
  return {
    json: proposalJson(row, { proposals, vids, preview }),
    text: record([
      ['proposal', row.proposalId],
      ['kind', row.kind],
      ...(content === undefined ? altered : pairs(content)),
      ['note', row.note],
      ['proposed', wireTime.format(row.proposedAt)],
      ['state', stateText(row)],
      ...(preview === undefined ? [] : [['approval', ''] as const, ...pairs(preview.lines)]),
      ...pairs(preview?.remarks ?? []),
      ...(preview?.problem ? [['problem', preview.problem] as const] : []),
      ...(preview === undefined ? [] : [['seen', preview.seen] as const]),
    ]),
  };
}

function proposalJson(
  row: ProposalRow,
  of: {
    readonly proposals: Proposals;
    readonly vids: ReadonlyMap<number, string>;
    readonly preview?: Preview | undefined;
  },
) {
  const { preview, vids, proposals } = of;
  return {
    proposal: row.proposalId,
    kind: row.kind,
    vid: row.vendorId === null ? null : (vids.get(row.vendorId) ?? null),
    content: proposals.describe(row)?.map(lineJson) ?? null,
    shown: (row.carriedOut ?? row.shown).map(lineJson),
    note: row.note,
    proposed_by: row.proposedBy,
    proposed_at: row.proposedAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    decision: row.decision,
    decided_by: row.decidedBy,
    decided_at: row.decidedAt?.toISOString() ?? null,
    decided_alone: row.isAlone ?? false,
    ...(preview !== undefined && {
      ...{ would: preview.lines.map(lineJson), remarks: preview.remarks.map(lineJson) },
      ...{ problem: preview.problem, seen: preview.seen },
    }),
  };
}

function lineJson({ label, text, cents }: Line) {
  const amount = cents === undefined ? null : formatMoney(BigInt(cents));
  return { label, text: text ?? null, amount };
}

const valueText = ({ text, cents }: Line): string =>
  [cents === undefined ? '' : formatMoney(BigInt(cents)), text ?? '']
    .filter((part) => part !== '')
    .join(' ');

const pairs = (lines: readonly Line[]) =>
  lines.map((line) => [line.label.toLowerCase(), valueText(line)] as const);

/** Width of a cell in the list. Everything is in `proposal show`. */
const MAX_WHAT = 60;

const shortened = (text: string): string =>
  text.length <= MAX_WHAT ? text : `${text.slice(0, MAX_WHAT - 1)}…`;

const lineText = (line: Line): string => `${line.label}: ${valueText(line)}`;

/** Names the proposer and the decision in one cell. */
export function stateText({ proposedBy, decision, decidedBy, isAlone }: ProposalRow): string {
  if (decision === null) return `proposed by ${proposedBy}`;
  if (isAlone === true) return `in force at once, by ${proposedBy} alone`;
  return `proposed by ${proposedBy}, ${decision} by ${decidedBy}`;
}
