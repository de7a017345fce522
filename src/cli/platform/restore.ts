import path from 'node:path';
import type { Command } from 'commander';
import { masterKeyId } from '../../platform/base/sealing.ts';
import { readConfig } from '../../config.ts';
import { restoreBackup } from '../../platform/backup/restore.ts';
import { knownMasterKeys } from '../../parties/master-key-file.ts';
import { createWireTime } from '../../platform/base/clock.ts';
import { openStorage } from '../../platform/storage/open.ts';
import { command, periodStart } from '../arguments.ts';
import { progressText } from './backup.ts';
import type { Cli } from '../cli.ts';
import { record } from '../output.ts';
import type { Answer } from '../output.ts';

interface RestoreOptions {
  readonly json?: boolean;
  readonly dataDir: string;
  readonly unauthenticated?: boolean;
  readonly wal?: string;
  readonly until?: string;
}

export function addRestoreCommand(program: Command, cli: Cli): void {
  command(
    program,
    'restore',
    'Create a data folder from a backup. The service that starts on it is in quarantine: it sends nothing.',
  )
    .argument('<location>', 'a backup: a folder, or s3://bucket/prefix')
    .requiredOption('--data-dir <folder>', 'DATA_DIR of the new service, without a database')
    .option(
      '--unauthenticated',
      'restore although the MASTER_KEY of the backup is lost; anybody may have changed such a backup',
    )
    .option('--wal <location>', 'continue with the write-ahead log in this WAL_ARCHIVE')
    .option('--until <time>', 'up to this time; default: everything that the archive has')
    .action(async (folder: string, options: RestoreOptions) => {
      await cli.runAlone(options, async () => await restore(folder, options, cli));
    });
}

async function restore(backup: string, options: RestoreOptions, cli: Cli): Promise<Answer> {
  const dataDir = path.resolve(options.dataDir);
  const config = readConfig('sandbox', cli.surroundings.environment);
  const masterKeys = await knownMasterKeys(config, dataDir);
  const { until } = options;
  const { manifest, timeline, segments, lastCommitAt } = await restoreBackup({
    backup: await openStorage(backup, config.s3),
    wal: options.wal === undefined ? undefined : await openStorage(options.wal, config.s3),
    until:
      until === undefined
        ? undefined
        : periodStart(until, '--until', createWireTime(config.timeZone)),
    folder: path.join(dataDir, 'postgres'),
    masterKeys,
    unauthenticated: options.unauthenticated === true,
    log: () => {},
    onProgress: (what, done, all) => cli.progress.show(progressText(what, done, all)),
  });
  const key = judgeMasterKey(manifest.master_key_ids, masterKeys);
  return {
    json: {
      backup_id: manifest.backup_id,
      data_dir: dataDir,
      holds_until: manifest.ended_at,
      wal_segments: segments,
      last_commit_at: lastCommitAt?.toISOString() ?? null,
      timeline,
      quarantine: true,
      master_key: key,
      master_key_ids: manifest.master_key_ids,
    },
    text: `${record([
      ['restored', path.join(dataDir, 'postgres')],
      ['holds', `everything committed before ${manifest.ended_at}`],
      ...(segments === 0 ? [] : [['continued', continued(segments, lastCommitAt)] as const]),
      ['timeline', String(timeline)],
      ['master key', KEY_TEXTS[key](manifest.master_key_ids.join(', '))],
    ])}
The ledger lacks everything since then. The service that starts on it is in quarantine: it sends nothing and accepts no creates. Make sure that the former one never runs again. Then start this one and continue with:
  malipo quarantine status
`,
  };
}

function continued(segments: number, lastCommitAt: Date | undefined): string {
  const last =
    lastCommitAt === undefined ? '' : `; the last commit is of ${lastCommitAt.toISOString()}`;
  return `with ${segments} segments of the WAL${last}`;
}

type KeyVerdict = 'right' | 'another' | 'missing' | 'not_needed';

const KEY_TEXTS: Readonly<Record<KeyVerdict, (ids: string) => string>> = {
  right: () => 'MASTER_KEY opens the stored keys',
  another: (ids) => `MASTER_KEY IS A DIFFERENT ONE: the stored keys need ${ids}`,
  missing: (ids) => `not set: the stored keys need MASTER_KEY with id ${ids}`,
  not_needed: () => 'none needed: no key is stored',
};

/** Tells if the service that starts here will be able to decrypt the stored secrets. */
function judgeMasterKey(ids: readonly string[], masterKeys: readonly Buffer[]): KeyVerdict {
  if (ids.length === 0) return 'not_needed';
  if (masterKeys.length === 0) return 'missing';
  const known = new Set(masterKeys.map(masterKeyId));
  return ids.every((id) => known.has(id)) ? 'right' : 'another';
}
