import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { listVendors } from '../../parties/read-vendors.ts';
import { firstIdAt, newId } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { deleteSettled } from '../create/store.ts';
import { deleteUnexecutedAttempts } from '../dispatch/store.ts';
import { deleteLateDetails } from '../settle/late-details-store.ts';
import { lockFloat } from '../ledger/store.ts';
import {
  findUnlike,
  insertArchived,
  listArchivable,
  listArchiveFiles,
  lockArchivable,
} from './archive-store.ts';
import type { ArchivableRow, ArchiveFile } from './archive-store.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Ids come from the clocks of processes, `created_at` from the database's. */
const CLOCK_SLACK_MS = 3_600_000;

export interface ArchiveProgress {
  readonly files: number;
  readonly payments: number;
  readonly bytes: number;
}

/**
 * Moves payments that were created and ended before an instant out of the hot tables, in batches,
 * alongside running payments. Each batch first writes a file with their details to disk, then
 * commits. If it is killed in between, an unreferenced file is left, and the payments stay in
 * place. The ledger is not changed.
 */
export async function archivePayments(
  pool: Pool,
  options: {
    /** Default: all. */
    readonly vendorIds?: readonly number[];
    readonly before: Date;
    readonly folder: string;
    readonly onFile?: (progress: ArchiveProgress) => void;
  },
): Promise<ArchiveProgress> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  let progress = { files: 0, payments: 0, bytes: 0 };
  const all = options.vendorIds ?? (await listVendors(pool)).map(({ vendorId }) => vendorId);
  for (const vendorId of all) {
    let afterId: string | undefined = FIRST_ID;
    while (afterId !== undefined) {
      const from: string = afterId;
      const batch = await tryBatch(pool, { ...options, vendorId, from });
      if (batch === CHANGED) continue;
      afterId = batch?.lastId;
      if (batch === undefined) continue;
      progress = {
        files: progress.files + 1,
        payments: progress.payments + batch.file.paymentCount,
        bytes: progress.bytes + batch.file.byteCount,
      };
      options.onFile?.(progress);
    }
  }
  return progress;
}

interface BatchOptions {
  readonly vendorId: number;
  readonly from: string;
  readonly before: Date;
  readonly folder: string;
}

const CHANGED = Symbol('changed');

/** The payments changed, or got a case, while the file was being written: nothing was done. */
class ChangedError extends Error {
  override readonly name = 'ChangedError';
  readonly target: string;
  constructor(target: string) {
    super('payments changed while they were being archived');
    this.target = target;
  }
}

async function tryBatch(
  pool: Pool,
  options: BatchOptions,
): Promise<Awaited<ReturnType<typeof archiveSome>> | typeof CHANGED> {
  try {
    return await databaseTransaction(pool, (db) => archiveSome(db, options));
  } catch (error) {
    if (!(error instanceof ChangedError)) throw error;
    await rm(error.target);
    return CHANGED;
  }
}

async function archiveSome(
  db: Queryable,
  options: BatchOptions,
): Promise<{ readonly file: ArchiveFile; readonly lastId: string } | undefined> {
  const { vendorId } = options;
  const rows = await listArchivable(db, vendorId, {
    before: options.before,
    afterId: options.from,
    untilId: firstIdAt(new Date(options.before.getTime() + CLOCK_SLACK_MS)),
    limit: LIMITS.archiveFileRows,
  });
  const lastId = rows.at(-1)?.paymentId;
  if (lastId === undefined) return undefined;
  const archiveId = newId();
  const fileName = `${vendorId}-${archiveId}.jsonl.gz`;
  const text = textOf(rows);
  const bytes = await compress(text);
  await writeSafely(options.folder, fileName, bytes);
  const file = {
    archiveId,
    fileName,
    sha256: createHash('sha256').update(bytes).digest(),
    byteCount: bytes.length,
    paymentCount: rows.length,
  };
  const ids = rows.map((row) => row.paymentId);
  // A create searches both tables under this lock, so it finds the reference in one of them.
  await lockFloat(db, vendorId);
  const still = await lockArchivable(db, vendorId, { before: options.before, paymentIds: ids });
  if (textOf(still) !== text) throw new ChangedError(path.join(options.folder, fileName));
  const archived = await insertArchived(db, vendorId, ids, file);
  await deleteUnexecutedAttempts(db, vendorId, ids);
  await deleteLateDetails(db, vendorId, ids);
  const deleted = await deleteSettled(db, vendorId, ids);
  if (archived !== rows.length || deleted !== rows.length) {
    throw new Error(
      `${rows.length} payments were locked, ${archived} archived, ${deleted} deleted`,
    );
  }
  return { file, lastId };
}

function textOf(rows: readonly ArchivableRow[]): string {
  return rows.map((row) => `${row.line}\n`).join('');
}

/** The file exists under its name completely or not at all. */
async function writeSafely(folder: string, name: string, bytes: Buffer): Promise<void> {
  const target = path.join(folder, name);
  const partial = `${target}.part`;
  const file = await open(partial, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, target);
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The problem of one archived file. */
export interface ArchiveFault {
  readonly file: string;
  readonly detail: string;
}

/**
 * Verifies that every file of the archive exists and is unchanged, and that it agrees with what the
 * database still has about each payment.
 */
export async function verifyArchive(
  pool: Pool,
  folder: string,
  onFile?: (done: number, of: number) => void,
): Promise<{ readonly files: number; readonly faults: readonly ArchiveFault[] }> {
  const files = await listArchiveFiles(pool);
  const faults: ArchiveFault[] = [];
  for (const [index, file] of files.entries()) {
    onFile?.(index, files.length);
    for (const detail of await findFaults(pool, folder, file)) {
      faults.push({ file: file.fileName, detail });
    }
  }
  return { files: files.length, faults };
}

async function findFaults(pool: Pool, folder: string, file: ArchiveFile): Promise<string[]> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path.join(folder, file.fileName));
  } catch (error) {
    return [`it cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`];
  }
  if (!createHash('sha256').update(bytes).digest().equals(file.sha256)) {
    return ['its SHA-256 differs from the recorded one'];
  }
  const lines = (await decompress(bytes)).toString('utf8').trimEnd().split('\n');
  const unlike = await findUnlike(pool, file.archiveId, lines);
  const details = unlike.map((id) => `payment ${id} differs from the database`);
  if (lines.length !== file.paymentCount) {
    details.push(`it has ${lines.length} payments, not ${file.paymentCount}`);
  }
  return details;
}
