import path from 'node:path';
import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { readConfig } from '../../config.ts';
import { verifyBackup } from '../../platform/backup/manifest.ts';
import { takeBackup } from '../../platform/backup/take.ts';
import { takeBackupToBucket } from '../../platform/backup/to-bucket.ts';
import { isBucketAddress, openStorage } from '../../platform/storage/open.ts';
import { addBackupKeeping } from './backup-keeping.ts';
import { knownMasterKeys } from '../../parties/master-key-file.ts';
import { HOLDER_KINDS, listKeys } from '../../parties/read-keys.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { counted, record } from '../output.ts';
import type { Session } from '../session.ts';
import { stoppable } from '../stoppable.ts';

export function addBackupCommands(program: Command, cli: Cli): void {
  const backup = command(
    program,
    'backup',
    'Copy the embedded database while the service runs, and check the copy.',
  )
    .argument('<location>', 'target folder, missing or empty, or s3://bucket/prefix')
    .action(async (folder: string, options: { json?: boolean }) => {
      await cli.run(options, async (session) => {
        const taken = await stoppable(async (stopped) => await take(session, folder, cli, stopped));
        return { json: taken, text: `${record(rows(taken))}\n${notInside(taken.master_key_ids)}` };
      });
    });
  command(backup, 'verify', 'Compare every file of a backup with its manifest.')
    .argument('<location>', 'a backup: a folder, or s3://bucket/prefix')
    .action(async (folder: string, options: { json?: boolean }, called: Command) => {
      const json = options.json === true || called.parent?.opts()['json'] === true;
      await cli.runAlone({ json }, async () => await verify(folder, cli));
    });
  addBackupKeeping(backup, cli);
}

interface Taken {
  readonly backup_id: string;
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  readonly started_at: string;
  readonly ended_at: string;
  readonly master_key_ids: readonly string[];
}

async function take(
  session: Session,
  place: string,
  cli: Cli,
  stopped: AbortSignal,
): Promise<Taken> {
  const { pool, data } = session;
  if (data === undefined) {
    throw new PlainError(
      'This command backs up the embedded database only. Back up the one of DATABASE_URL with its own tools: pg_basebackup with WAL archiving, or your provider’s snapshots. After restoring it, run malipo quarantine enter before the service starts.',
    );
  }
  const keys = await listKeys(pool, HOLDER_KINDS);
  const options = {
    pool: await session.ownerPool(),
    data,
    masterKey: (await session.sealing()).masterKeys.current,
    masterKeyIds: [...new Set(keys.map((key) => key.masterKeyId))].toSorted(),
    onProgress: (what: string, done: number, all: number | null) => {
      // Thrown here, it removes what was written.
      stopped.throwIfAborted();
      cli.progress.show(progressText(what, done, all));
    },
  };
  const { manifest, bytes } = isBucketAddress(place)
    ? await takeBackupToBucket(
        { ...options, dataDir: session.config.dataDir },
        await openStorage(place, session.config.s3),
      )
    : await takeBackup({ ...options, folder: place });
  return {
    backup_id: manifest.backup_id,
    folder: isBucketAddress(place) ? place : path.resolve(place),
    files: manifest.files.length,
    bytes,
    started_at: manifest.started_at,
    ended_at: manifest.ended_at,
    master_key_ids: manifest.master_key_ids,
  };
}

function rows(taken: Taken): [string, string][] {
  return [
    ['backup', taken.backup_id],
    ['place', taken.folder],
    ['holds', `everything committed before ${taken.ended_at}`],
    ['size', `${megabytes(taken.bytes)} in ${taken.files} files, read again and compared`],
  ];
}

/** Names the secrets that are not in the backup and are needed at a restore. */
function notInside(masterKeyIds: readonly string[]): string {
  const which = masterKeyIds.length === 0 ? '' : ` (id ${masterKeyIds.join(', ')})`;
  return `Not included: MASTER_KEY${which}, CREDIT_INDEX_KEY and the rest of the environment. Keep them, separately from the backup: anyone who has both can decrypt every stored key.\n`;
}

async function verify(place: string, cli: Cli) {
  const config = readConfig('sandbox', cli.surroundings.environment);
  const { manifest, authenticity, bytes, problems } = await verifyBackup(
    await openStorage(place, config.s3),
    await knownMasterKeys(config, config.dataDir),
    (done, all) => cli.progress.show(progressText('verifying', done, all)),
  );
  const whole = problems.length === 0;
  const authentic = authenticity === 'authentic';
  const unchecked = `Not authenticated: set MASTER_KEY to the one with id ${manifest.authenticated_with} to check that nobody changed it.`;
  return {
    json: {
      backup_id: manifest.backup_id,
      whole,
      authenticated: authentic,
      problems,
      files: manifest.files.length,
      bytes,
      ended_at: manifest.ended_at,
    },
    text: whole
      ? `The backup of ${manifest.ended_at} is complete: ${megabytes(bytes)} in ${manifest.files.length} files. ${authentic ? 'Its manifest was written with this MASTER_KEY.' : unchecked}`
      : `${problems.map((line) => `${line}\n`).join('')}THE BACKUP IS DAMAGED: ${counted(problems.length, 'problem')}.`,
    exitCode: whole ? EXIT.done : EXIT.failed,
  };
}

export function progressText(what: string, doneBytes: number, allBytes: number | null): string {
  const all = allBytes === null ? '' : ` of ${megabytes(allBytes)}`;
  return `${what}: ${megabytes(doneBytes)}${all}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
