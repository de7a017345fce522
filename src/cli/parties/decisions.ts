import type { Command } from 'commander';
import type { Proposal } from '../../platform/base/proposal.ts';
import { command, idOf } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { asPerson } from './as-person.ts';
import type { Act } from './as-person.ts';

type Step = 'approve' | 'reject';

interface Decision {
  readonly id: string;
  readonly by: string;
}

/** What one person proposed and another one decides. */
interface Decided<Row> {
  /** The word for it, such as `journal`. */
  readonly noun: string;
  readonly summaries: Readonly<Record<Step, string>>;
  act(step: Step, decision: Decision): Act;
  approve(session: Session, decision: Decision): Promise<Row>;
  reject(session: Session, decision: Decision): Promise<Row>;
  answer(row: Row, session: Session): Answer | Promise<Answer>;
}

const BY: Readonly<Record<Step, string>> = {
  approve: 'who approves it; not who proposed it',
  reject: 'who rejects it',
};

/** The commands `approve` and `reject`. */
export function addDecisions<Row>(group: Command, cli: Cli, of: Decided<Row>): void {
  for (const step of ['approve', 'reject'] as const) {
    command(group, step, of.summaries[step])
      .argument(`<${of.noun}>`, 'its id', idOf(of.noun))
      .requiredOption('--by <name>', BY[step])
      .action(async (id: string, options: { json?: boolean; by: string }) => {
        await cli.run(options, async (session) => {
          const act = of.act(step, { id, by: options.by });
          const row = await asPerson(cli, session, act, (by) => of[step](session, { id, by }));
          return await of.answer(row, session);
        });
      });
  }
}

/** For a cell: who proposed it, and what another person decided. */
export function decisionText({ proposedBy, decision, decidedBy }: Proposal): string {
  if (decision === null) return `proposed by ${proposedBy}`;
  return `proposed by ${proposedBy}, ${decision} by ${decidedBy}`;
}
