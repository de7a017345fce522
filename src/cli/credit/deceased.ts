import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { addLifeRecord } from '../../credit/registry/life-store.ts';
import type { SubjectLifeRecord } from '../../credit/registry/life-store.ts';
import { displayName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { realDay } from './import.ts';
import { crnOf, subjectCommand } from './subject.ts';
import type { SubjectOptions } from './subject.ts';
import { openVault } from './vault.ts';

interface DeceasedOptions extends SubjectOptions {
  readonly evidence: string;
  readonly diedOn?: string;
}

/** Deaths of subjects, which people record with evidence. */
export function addDeceasedCommands(credit: Command, cli: Cli): void {
  const deceased = credit
    .command('deceased')
    .description('Deaths of subjects. A deceased subject gets no score.');
  subjectCommand(deceased, 'set', 'Record that a subject died.')
    .requiredOption(
      '--evidence <text>',
      'the document seen, such as a death certificate',
      displayName,
    )
    .option('--died-on <date>', 'day of death, where it is known', realDay)
    .action(async (options: DeceasedOptions) => {
      await record(cli, options, 'deceased');
    });
  subjectCommand(
    deceased,
    'clear',
    'Record that a subject is alive: earlier records, and deaths that lenders reported until now, no longer count.',
  )
    .requiredOption('--evidence <text>', 'the document seen', displayName)
    .action(async (options: DeceasedOptions) => {
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
    const { evidence, diedOn = null } = options;
    const recordedAt = new Date();
    if (diedOn !== null && diedOn > session.wireTime.format(recordedAt).slice(0, 10)) {
      throw new UsageError('--died-on must not be in the future.');
    }
    if (!(await addLifeRecord(session.pool, crn, { status, recordedAt, diedOn, evidence }))) {
      throw new PlainError('There is no subject with this reference.');
    }
    return {
      json: { crn: String(crn), status },
      text: `Subject ${crn} is recorded as ${status}.\n`,
    };
  });
}
