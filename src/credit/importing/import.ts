import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { readCsv } from '../../platform/base/csv.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { Day } from '../registry/account.ts';
import { registerLender } from '../registry/lenders-store.ts';
import type { Vault } from '../registry/vault.ts';
import { addFindings, finishImport, noteBatch, openImport, readFindings } from './imports-store.ts';
import type { ImportCounts } from './imports-store.ts';
import { REGISTRY_RULES } from './plan.ts';
import type { RegistryRule } from './plan.ts';
import type { Finding, IndexedAccount } from './record.ts';
import { writeReport } from './report.ts';
import { SeenAccounts } from './seen-accounts.ts';
import { headerProblem } from './template.ts';
import type { TemplateName } from './template.ts';
import { createValidator } from './validate.ts';
import type { Validator } from './validate.ts';
import { accountKeysOf, indexAccount, writeBatch } from './write.ts';

/** Records written in one commit. */
const BATCH_RECORDS = 2_000;
/** Batches read ahead of the one being written, so that reading and the database both keep busy. */
const BATCHES_AHEAD = 3;

/** Why a file cannot be imported at all; for people. */
export class ImportError extends PlainError {}

export interface ImportOptions {
  readonly pool: Pool;
  readonly vault: Vault;
  readonly clock: Clock;
  /** Returns the current date where the lenders are. */
  readonly wireTime: Pick<WireTime, 'format'>;
  readonly file: string;
  readonly template: TemplateName;
  readonly lender: string;
  readonly sector: Sector;
  /** `YYYY-MM-DD` */
  readonly asOf: Day;
  /** Replace earlier submissions for the same accounts and as-of date. */
  readonly corrects: boolean;
  readonly batchRecords?: number;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly records: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly findings: number;
}

export interface ImportResult {
  readonly importId: string;
  /** Records that an earlier, interrupted run had processed. */
  readonly resumedAfter: number;
  readonly counts: ImportCounts;
  /** Records with at least one finding; none of them was imported. */
  readonly rejected: number;
  readonly findings: readonly Finding[];
  readonly reportFile: string | null;
}

/**
 * Imports a lender's file. Every valid record is imported; each batch is one commit together with
 * the position in the file, so that a killed import continues where it stopped. A (lender, account,
 * as-of date) is imported once: a repeat changes nothing, and different content is reported unless
 * `corrects` is set. Problems are written to a report next to the file, and returned.
 * Throws: `ImportError` if nothing can be read at all.
 */
export async function importFile(options: ImportOptions): Promise<ImportResult> {
  const { pool, clock, asOf } = options;
  if (asOf > options.wireTime.format(clock.now()).slice(0, 10)) {
    throw new ImportError(`The as-of date ${asOf} is in the future.`);
  }
  const { fileHash, totalBytes } = await hashFile(options.file);
  const sector = await registerLender(pool, { ...options, at: clock.now() });
  if (sector !== options.sector) {
    throw new ImportError(
      `Lender ${options.lender} is registered in the sector ${sector}, not ${options.sector}.`,
    );
  }
  const begun = await openImport(pool, { ...options, fileHash, at: clock.now() });
  const run = new ImportRun(options, begun, totalBytes);
  await run.readAll();
  await finishImport(pool, begun.importId, clock.now());
  const findings = [...run.findings, ...(await registryFindings(pool, begun.importId))].toSorted(
    (a, b) => a.line - b.line,
  );
  return {
    importId: begun.importId,
    resumedAfter: begun.counts.records,
    counts: run.counts,
    rejected: new Set(findings.map(({ line }) => line)).size,
    findings,
    reportFile: await writeReport(options.file, findings),
  };
}

/** One pass over the file: the next batches are read and checked while one is written. */
class ImportRun {
  readonly findings: Finding[] = [];
  counts: ImportCounts;
  readonly #options: ImportOptions;
  readonly #importId: string;
  readonly #totalBytes: number;
  readonly #doneBefore: number;
  readonly #validator: Validator;
  #records = 0;
  /** The position in the file, in records, where the current batch begins. */
  #batchFrom: number;
  #batch: IndexedAccount[] = [];
  readonly #seen = new SeenAccounts();
  /** Batches that are being written, one after the other, or wait for that; oldest first. */
  readonly #writing: Promise<void>[] = [];

  constructor(
    options: ImportOptions,
    begun: { readonly importId: string; readonly counts: ImportCounts },
    totalBytes: number,
  ) {
    this.#options = options;
    this.#importId = begun.importId;
    this.#totalBytes = totalBytes;
    this.#doneBefore = begun.counts.records;
    this.#batchFrom = begun.counts.records;
    this.#validator = createValidator(options.template, options.asOf);
    this.counts = begun.counts;
  }

  async readAll(): Promise<void> {
    let hasHeader = false;
    const batchRecords = this.#options.batchRecords ?? BATCH_RECORDS;
    for await (const { line, values, problem, bytes } of readCsv(this.#options.file)) {
      if (!hasHeader) {
        checkHeader(values, this.#options.template);
        hasHeader = true;
        continue;
      }
      this.#records += 1;
      this.#take(line, values, problem);
      if (this.#records > this.#doneBefore && this.#records - this.#batchFrom >= batchRecords) {
        await this.#flush(bytes);
      }
    }
    if (!hasHeader) throw new ImportError('The file is empty.');
    await this.#flush(this.#totalBytes);
    await this.#writing.at(-1);
  }

  #take(line: number, values: readonly string[], problem: string | undefined): void {
    if (problem !== undefined) {
      this.findings.push({ line, field: '', rule: 'csv', text: problem });
      return;
    }
    const { account, findings } = this.#validator.validate(line, values);
    if (findings !== undefined) this.findings.push(...findings);
    else if (this.#records > this.#doneBefore) {
      this.#batch.push(indexAccount(account, this.#options, this.#seen));
    } else this.#seen.add(accountKeysOf(account.accountNumber, this.#options)[0] ?? '');
  }

  async #flush(bytes: number): Promise<void> {
    const from = this.#batchFrom;
    const records = this.#records - from;
    const batch = this.#batch;
    this.#batch = [];
    this.#batchFrom = this.#records;
    if (records <= 0) return;
    const before = this.#writing.at(-1);
    const write = async (): Promise<void> => {
      await before;
      await this.#write(batch, { from, records, bytes });
    };
    const writing = write();
    // A later flush handles its failure; until then it must not count as unhandled.
    writing.catch(() => undefined);
    this.#writing.push(writing);
    if (this.#writing.length > BATCHES_AHEAD) await this.#writing.shift();
  }

  async #write(
    batch: readonly IndexedAccount[],
    about: { readonly from: number; readonly records: number; readonly bytes: number },
  ): Promise<void> {
    const { from, records, bytes } = about;
    const { pool, clock, vault, lender, corrects } = this.#options;
    const importId = this.#importId;
    const counts = await databaseTransaction(pool, async (client) => {
      const plan = await writeBatch(client, batch, {
        vault,
        lender,
        importId,
        corrects,
        at: clock.now(),
      });
      await addFindings(client, importId, plan.findings);
      const made = {
        records,
        accountsAdded: plan.newAccounts.length,
        statesAdded: plan.states.length,
        corrected: plan.corrected,
        unchanged: plan.unchanged,
      };
      if (!(await noteBatch(client, importId, from, made))) {
        throw new ImportError('Another command is importing this file.');
      }
      return made;
    });
    this.counts = addCounts(this.counts, counts);
    this.#options.onProgress?.({
      records: this.counts.records,
      bytes,
      totalBytes: this.#totalBytes,
      findings: this.findings.length,
    });
  }
}

function addCounts(a: ImportCounts, b: ImportCounts): ImportCounts {
  return {
    records: a.records + b.records,
    accountsAdded: a.accountsAdded + b.accountsAdded,
    statesAdded: a.statesAdded + b.statesAdded,
    corrected: a.corrected + b.corrected,
    unchanged: a.unchanged + b.unchanged,
  };
}

function checkHeader(header: readonly string[], template: TemplateName): void {
  const problem = headerProblem(header, template);
  if (problem !== undefined) throw new ImportError(`The header is not the template’s: ${problem}.`);
}

async function registryFindings(pool: Pool, importId: string): Promise<Finding[]> {
  const found = await readFindings(pool, importId);
  return found.map((row) => ({ ...row, text: REGISTRY_RULES[row.rule as RegistryRule] }));
}

async function hashFile(
  file: string,
): Promise<{ readonly fileHash: Buffer; readonly totalBytes: number }> {
  try {
    const { size } = await stat(file);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk as Buffer);
    }
    return { fileHash: hash.digest(), totalBytes: size };
  } catch (error) {
    throw new ImportError(`The file cannot be read: ${(error as NodeJS.ErrnoException).code}.`, {
      cause: error,
    });
  }
}
