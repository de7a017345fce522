import type { Command } from 'commander';
import { proposeLife } from '../../credit/decisions/propose.ts';
import type { SubjectLifeRecord } from '../../credit/registry/life-store.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { realDay } from './import.ts';
import { propose, proposing } from './proposals.ts';
import type { GroundsOptions } from './proposals.ts';
import { crnOf, subjectCommand } from './subject.ts';
import type { SubjectOptions } from './subject.ts';
import { openVault } from './vault.ts';

type DeceasedOptions = SubjectOptions & GroundsOptions & { readonly diedOn?: string };

/** Deaths of subjects. */
export function addDeceasedCommands(credit: Command, cli: Cli): void {
  const deceased = credit
    .command('deceased')
    .description('Deaths of subjects. A deceased subject gets no score.');
  proposing(subjectCommand(deceased, 'set', 'Propose to record that a subject died.'))
    .option('--died-on <date>', 'day of death, where it is known', realDay)
    .action(async (options: DeceasedOptions) => {
      await record(cli, options, 'deceased');
    });
  proposing(
    subjectCommand(
      deceased,
      'clear',
      'Propose to record that a subject is alive: earlier records, and deaths that lenders reported until now, no longer count.',
    ),
  ).action(async (options: DeceasedOptions) => {
    await record(cli, options, 'living');
  });
}

async function record(
  cli: Cli,
  options: DeceasedOptions,
  status: SubjectLifeRecord['status'],
): Promise<void> {
  await cli.run(options, async (session) => {
    const crn = await crnOf(session, await openVault(session), options);
    const { diedOn = null } = options;
    if (diedOn !== null && diedOn > session.wireTime.format(new Date()).slice(0, 10)) {
      throw new UsageError('--died-on must not be in the future.');
    }
    const step = { session, options, about: ['life', String(crn)] as const };
    return await propose(cli, step, (deps, grounds) =>
      proposeLife(deps, { crn, status, diedOn }, grounds),
    );
  });
}
