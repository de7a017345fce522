import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { textOf } from '../../credit/decisions/content.ts';
import { approveProposal, rejectProposal } from '../../credit/decisions/decide.ts';
import type { Deps, Grounds } from '../../credit/decisions/propose.ts';
import { findProposal, listProposals } from '../../credit/decisions/proposals-store.ts';
import type { ProposalRow } from '../../credit/decisions/proposals-store.ts';
import { command, idOf, noteText, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import { asPerson } from '../parties/as-person.ts';
import { addDecisions } from '../parties/decisions.ts';
import type { Session } from '../session.ts';

export interface GroundsOptions {
  readonly json?: boolean;
  readonly reason: string;
  readonly evidence: string;
  readonly by: string;
}

/** A command that proposes something, which another person approves. */
export function proposing(made: Command): Command {
  return made
    .requiredOption('--reason <text>', 'why', noteText)
    .requiredOption('--evidence <text>', 'where it can be looked up', noteText)
    .requiredOption('--by <name>', 'who proposes it');
}

/** What is proposed, as the audit log calls it: `merge`, about a reference. */
type About = readonly [
  kind:
    | 'merge'
    | 'unmerge'
    | 'dispute'
    | 'withdrawal'
    | 'sale'
    | 'case'
    | 'rule'
    | 'rule-end'
    | 'scorecard',
  target: string,
];

/** Proposes, and says how it is approved. */
export async function propose(
  cli: Cli,
  { session, options, about }: { session: Session; options: GroundsOptions; about: About },
  make: (deps: Deps, grounds: Grounds) => Promise<ProposalRow>,
): Promise<Answer> {
  const { wireTime } = session;
  const [kind, target] = about;
  const act = { ...actOn(target, `credit.${kind}.propose`, options.by), reason: options.reason };
  const deps = await depsOf(session);
  const row = await asPerson(cli, session, act, (by) => make(deps, { ...options, by }));
  const next = `Another person approves it: malipo credit proposal approve ${row.proposalId} --by NAME\n`;
  return { json: proposalJson(row), text: `${proposalText(row, wireTime)}${next}` };
}

/** What two people decide about the registry and the scorecards. */
export function addProposalCommands(credit: Command, cli: Cli): void {
  const proposal = credit
    .command('proposal')
    .description(
      'What was proposed: merges, outcomes of disputes, withdrawn and sold accounts, closed cases, files, suppression rules and scorecards.',
    );
  addList(proposal, cli);
  addShow(proposal, cli);
  addDecisions(proposal, cli, {
    noun: 'proposal',
    summaries: {
      approve: 'Carry out another person’s proposal, at once.',
      reject: 'Reject a proposal. Nothing is changed.',
    },
    act: (step, { id, by }) => actOn(id, `credit.proposal.${step}`, by),
    approve: async (session, { id: proposalId, by }) =>
      await approveProposal(await depsOf(session), { proposalId, by }),
    reject: async (session, { id: proposalId, by }) =>
      await rejectProposal(await depsOf(session), { proposalId, by }),
    answer: (row, { wireTime }) => ({ json: proposalJson(row), text: proposalText(row, wireTime) }),
  });
}

function addList(proposal: Command, cli: Cli): void {
  command(proposal, 'list', 'Proposals that wait for another person, newest first.')
    .option('--all', 'also those that were decided')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .option('--after <proposal>', 'the page after this proposal', idOf('proposal'))
    .action(async (options: { json?: boolean; all?: boolean; limit: number; after?: string }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { all, limit, after } = options;
        const rows = await listProposals(pool, { open: all !== true, limit, after });
        return {
          json: { proposals: rows.map(proposalJson) },
          text: table(
            ['PROPOSAL', 'PROPOSED', 'BY', 'STATE', 'WHAT'].map((title) => ({ title })),
            rows.map((row) => [
              row.proposalId,
              wireTime.format(row.proposedAt),
              row.proposedBy,
              row.decision ?? 'open',
              textOf(row.content),
            ]),
            'no proposals',
          ),
        };
      });
    });
}

function addShow(proposal: Command, cli: Cli): void {
  command(proposal, 'show', 'One proposal.')
    .argument('<proposal>', 'its id', idOf('proposal'))
    .action(async (proposalId: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const row = await findProposal(pool, proposalId);
        if (row === undefined) throw new PlainError('This proposal does not exist.');
        return { json: proposalJson(row), text: proposalText(row, wireTime) };
      });
    });
}

async function depsOf({ pool, ledgerMac }: Session): Promise<Deps> {
  return { pool, clock: systemClock, ledgerMac: await ledgerMac() };
}

/** A step of a decision about the registry or the scorecards. */
function actOn(target: string, action: string, by: string) {
  return { by, permission: 'credit.act', action, target } as const;
}

function proposalJson(row: ProposalRow) {
  return {
    proposal: row.proposalId,
    ...row.content,
    case: row.caseId,
    reason: row.reason,
    evidence: row.evidence,
    proposed_by: row.proposedBy,
    proposed_at: row.proposedAt.toISOString(),
    decision: row.decision,
    decided_by: row.decidedBy,
  };
}

function proposalText(row: ProposalRow, wireTime: WireTime): string {
  const { content, decision } = row;
  const proposed = `proposed by ${row.proposedBy}, ${wireTime.format(row.proposedAt)}`;
  return record([
    ['proposal', row.proposalId],
    ['what', textOf(content)],
    ...('rule' in content ? [ruleLine(content.rule)] : []),
    ['reason', row.reason],
    ['evidence', row.evidence],
    ['state', decision === null ? proposed : `${proposed}; ${decision} by ${row.decidedBy}`],
  ]);
}

/** The conditions as they are stored. */
function ruleLine(rule: object): [string, string] {
  const given = Object.entries(rule).filter(([, value]) => value !== null);
  return ['rule', given.map(([name, value]) => `${name} ${String(value)}`).join('; ')];
}
