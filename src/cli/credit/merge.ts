import type { Command } from 'commander';
import { proposeMerge, proposeUnmerge } from '../../credit/decisions/propose.ts';
import { listMerges } from '../../credit/registry/merges-store.ts';
import { command, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { propose, proposing } from './proposals.ts';
import type { GroundsOptions } from './proposals.ts';
import { crnNumber } from './subject.ts';
import { table } from '../output.ts';

/** Two subjects that are one person. */
export function addMergeCommands(credit: Command, cli: Cli): void {
  const merge = credit.command('merge').description('Subjects that are the same person.');
  proposing(
    command(
      merge,
      'subjects',
      'Propose to merge two subjects: answers about one reference then include the data of both. No data is moved.',
    )
      .requiredOption('--from <crn>', 'the reference that is given up', crnNumber)
      .requiredOption('--into <crn>', 'the reference that stays', crnNumber),
  ).action(async (options: GroundsOptions & { from: string; into: string }) => {
    await cli.run(options, async (session) => {
      const both = { from: BigInt(options.from), into: BigInt(options.into) };
      const step = { session, options, about: ['merge', options.from] as const };
      return await propose(cli, step, (deps, grounds) => proposeMerge(deps, both, grounds));
    });
  });
  proposing(
    command(
      merge,
      'undo',
      'Propose to undo a merge: answers about each reference then have only its own data again.',
    ).requiredOption('--from <crn>', 'the reference that was given up', crnNumber),
  ).action(async (options: GroundsOptions & { from: string }) => {
    await cli.run(options, async (session) => {
      const from = BigInt(options.from);
      const step = { session, options, about: ['unmerge', options.from] as const };
      return await propose(cli, step, (deps, grounds) => proposeUnmerge(deps, from, grounds));
    });
  });
  addList(merge, cli);
}

function addList(merge: Command, cli: Cli): void {
  command(merge, 'list', 'Merges, including undone ones, newest first.')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .action(async (options: { json?: boolean; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const merges = (await listMerges(pool, options.limit)).map((one) => ({
          from: String(one.from),
          into: String(one.into),
          merged: wireTime.format(one.mergedAt),
          reason: one.reason,
          undone: one.undoneAt === null ? null : wireTime.format(one.undoneAt),
          undone_reason: one.undoneReason,
        }));
        return {
          json: { merges },
          text: table(
            ['FROM', 'INTO', 'MERGED', 'REASON', 'UNDONE', 'WHY'].map((title) => ({ title })),
            merges.map((one) => [
              one.from,
              one.into,
              one.merged,
              one.reason,
              one.undone ?? '',
              one.undone_reason ?? '',
            ]),
            'no merges',
          ),
        };
      });
    });
}
