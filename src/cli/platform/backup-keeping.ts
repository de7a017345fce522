import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { expireBackups, listBackups } from '../../platform/backup/expire.ts';
import { openStorage } from '../../platform/storage/open.ts';
import { command, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import type { Answer } from '../output.ts';

/** Which backups there are, and which are removed. */
export function addBackupKeeping(backup: Command, cli: Cli): void {
  const where = 'a folder, or s3://bucket/prefix, that contains backups';
  command(backup, 'list', 'The complete backups in a location, oldest first.')
    .argument('<location>', where)
    .action(async (place: string, options: { json?: boolean }, called: Command) => {
      await cli.runAlone(formatOf(options, called), async () => await list(place, cli));
    });
  command(backup, 'expire', 'Remove all but the newest backups in a location.')
    .argument('<location>', where)
    .requiredOption('--keep <count>', 'how many to keep', wholeNumber(1, 10_000))
    .option('--wal <location>', 'remove also what no kept backup needs from this WAL_ARCHIVE')
    .action(async (place: string, options: ExpireOptions, called: Command) => {
      await cli.runAlone(formatOf(options, called), async () => await expire(place, options, cli));
    });
}

interface ExpireOptions {
  readonly json?: boolean;
  readonly keep: number;
  readonly wal?: string;
}

/** The option of a command below another one that has the same option. */
function formatOf(options: { readonly json?: boolean }, called: Command): { json: boolean } {
  return { json: options.json === true || called.parent?.opts()['json'] === true };
}

async function list(place: string, cli: Cli): Promise<Answer> {
  const { s3 } = readConfig('sandbox', cli.surroundings.environment);
  const backups = await listBackups(await openStorage(place, s3));
  return {
    json: {
      backups: backups.map(({ name, backupId, endedAt, bytes }) => ({
        ...{ name, backup_id: backupId, ended_at: endedAt, bytes },
      })),
    },
    text: table(
      [{ title: 'NAME' }, { title: 'ENDED AT' }, { title: 'BYTES', align: 'right' }],
      backups.map(({ name, endedAt, bytes }) => [name, endedAt, String(bytes)]),
      'no backups',
    ),
  };
}

async function expire(place: string, { keep, wal }: ExpireOptions, cli: Cli): Promise<Answer> {
  const { s3 } = readConfig('sandbox', cli.surroundings.environment);
  const { removed, kept, segments } = await expireBackups(await openStorage(place, s3), {
    keep,
    wal: wal === undefined ? undefined : await openStorage(wal, s3),
  });
  return {
    json: { removed, kept, wal_files_removed: segments },
    text: `Removed ${removed.length}, kept ${kept.length}${wal === undefined ? '' : `; removed ${segments} files of the write-ahead log`}.`,
  };
}
