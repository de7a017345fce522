import path from 'node:path';
import type { Command } from 'commander';
import { DAY_MS } from '../../platform/base/days.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { archivePayments, verifyArchive } from '../../payments/archive/archive.ts';
import { command, periodStart } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { UsageError } from '../failure.ts';
import { table } from '../output.ts';

/** The default location of the files, within the data folder. */
const FOLDER = 'archive';

export function addArchiveCommands(program: Command, cli: Cli): void {
  const archive = program.command('archive').description('The archive of old payments.');
  addRun(archive, cli);
  addVerify(archive, cli);
}

function addRun(archive: Command, cli: Cli): void {
  archive
    .command('run', { isDefault: true })
    .description(
      `Move payments that were created and ended before a day into compressed files, while the service runs. The ledger does not change, and a merchant reference still creates no second payment. The day must be at least ${LIMITS.archiveMinAgeDays} days ago. \`archive --before …\` is the same.`,
    )
    .option('--json', 'one JSON document instead of a table')
    .requiredOption('--before <time>', 'first day that is not archived, YYYY-MM-DD')
    .option('--to <folder>', `where the files go; by default ${FOLDER} in DATA_DIR`)
    .action(async (options: { json?: boolean; before: string; to?: string }) => {
      await cli.run(options, async ({ config, ownerPool, wireTime }) => {
        const before = periodStart(options.before, '--before', wireTime);
        if (Date.now() - before.getTime() < LIMITS.archiveMinAgeDays * DAY_MS) {
          throw new UsageError(
            `--before must be at least ${LIMITS.archiveMinAgeDays} days ago, because operators may still report on younger payments.`,
          );
        }
        const folder = path.resolve(options.to ?? path.join(config.dataDir, FOLDER));
        const done = await archivePayments(await ownerPool(), {
          before,
          folder,
          onFile: ({ payments }) => cli.progress.show(`${payments} payments archived`),
        });
        return {
          json: { ...done, folder },
          text: `${done.payments} payments archived in ${done.files} files (${done.bytes} bytes) in ${folder}\nKeep the files, and a copy elsewhere. \`archive verify\` checks them.\n`,
        };
      });
    });
}

function addVerify(archive: Command, cli: Cli): void {
  command(
    archive,
    'verify',
    'Verify that every archived file exists, is unchanged and agrees with the database. Exits with 1 if one does not.',
  )
    .option('--from <folder>', `where the files are; by default ${FOLDER} in DATA_DIR`)
    .action(async (options: { json?: boolean; from?: string }) => {
      await cli.run(options, async ({ config, pool }) => {
        const folder = path.resolve(options.from ?? path.join(config.dataDir, FOLDER));
        const { files, faults } = await verifyArchive(pool, folder, (done, of) =>
          cli.progress.show(`${done} of ${of} files`),
        );
        const list = table(
          [{ title: 'FILE' }, { title: 'PROBLEM' }],
          faults.map(({ file, detail }) => [file, detail]),
        );
        return {
          json: { files, faults },
          text:
            faults.length === 0
              ? `${files} files hold.\n`
              : `${list}\nTHE ARCHIVE IS DAMAGED: ${faults.length} faults.\n`,
          exitCode: faults.length === 0 ? EXIT.done : EXIT.failed,
        };
      });
    });
}
