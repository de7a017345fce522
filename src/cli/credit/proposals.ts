import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import type { Deps, Grounds } from '../../credit/decisions/propose.ts';
import type { ProposalRow } from '../../proposals/store.ts';
import { noteText } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { Answer } from '../output.ts';
import { asPerson } from '../parties/as-person.ts';
import { openProposals, waitingAnswer } from '../parties/proposal.ts';
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

/** Name of the proposal in the audit log: `merge`, about a reference. */
type About = readonly [
  kind:
    | 'merge'
    | 'unmerge'
    | 'dispute'
    | 'withdrawal'
    | 'sale'
    | 'sale-end'
    | 'life'
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
  const { pool } = session;
  const { by, reason } = options;
  const [kind, target] = about;
  const act = { by, permission: 'credit.act', action: `credit.${kind}.propose`, target } as const;
  const proposals = await openProposals(session);
  const row = await asPerson(cli, session, { ...act, reason }, (_by, actor) =>
    make({ pool, clock: systemClock, proposals }, { ...options, by: actor }),
  );
  return await waitingAnswer(
    session,
    proposals,
    row,
    'Another person approves it in the console or with',
  );
}
