import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { listMerges, mergeSubjects, undoMerge } from '../../credit/registry/merges-store.ts';
import type { MergeProblem } from '../../credit/registry/merges-store.ts';
import { command, displayName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { crnNumber } from './subject.ts';
import { table } from '../output.ts';

const PROBLEMS: Readonly<Record<MergeProblem, string>> = {
  no_subject: 'One of the two is not on file.',
  from_is_merged: 'The first is merged into another already.',
  into_is_merged: 'The second is merged into another: merge into that one.',
  from_has_others: 'Others are merged into the first: merge the second into it instead.',
};

/** Two subjects that are one person. */
export function addMergeCommands(credit: Command, cli: Cli): void {
  const merge = credit.command('merge').description('Subjects that are the same person.');
  command(
    merge,
    'subjects',
    'Answer the data of two subjects under one reference. No data is moved.',
  )
    .requiredOption('--from <crn>', 'the reference that is given up', crnNumber)
    .requiredOption('--into <crn>', 'the reference that stays', crnNumber)
    .requiredOption('--reason <text>', 'how it was found, and by whom', displayName)
    .action(async (options: { json?: boolean; from: string; into: string; reason: string }) => {
      await cli.run(options, async ({ pool }) => {
        const [from, into] = [BigInt(options.from), BigInt(options.into)];
        if (from === into) throw new PlainError('--from and --into are the same.');
        const asked = { from, into, reason: options.reason, at: new Date() };
        const problem = await mergeSubjects(pool, asked);
        if (problem !== undefined) throw new PlainError(PROBLEMS[problem]);
        return {
          json: { from: String(from), into: String(into), merged: true },
          text: `Data on file about ${from} is answered under ${into} from now on.\n`,
        };
      });
    });
  command(merge, 'undo', 'Undo a merge: each subject is answered under its own reference again.')
    .requiredOption('--from <crn>', 'the reference that was given up', crnNumber)
    .requiredOption('--reason <text>', 'how it was found, and by whom', displayName)
    .action(async (options: { json?: boolean; from: string; reason: string }) => {
      await cli.run(options, async ({ pool }) => {
        const undone = { from: BigInt(options.from), reason: options.reason, at: new Date() };
        if (!(await undoMerge(pool, undone))) {
          throw new PlainError('This subject is not merged into another.');
        }
        return { json: { from: options.from, merged: false }, text: 'Taken back.\n' };
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
