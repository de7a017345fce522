import path from 'node:path';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { adderOf } from '../../platform/base/sums.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { AmountUnit, Day } from '../registry/account.ts';
import { registerLender } from '../registry/lenders-store.ts';
import { readAmountUnit } from '../registry/read-lenders.ts';
import type { Vault } from '../registry/vault.ts';
import { addFindings, finishImport, noteBatch, openImport } from './imports-store.ts';
import { allFindings, countFindings, readFindings } from './read-imports.ts';
import type { ImportCounts } from './read-imports.ts';
import { ImportError } from './error.ts';
import { ColumnRemarks } from './column-remarks.ts';
import { openLenderFile } from './lender-file.ts';
import type { LenderFile, LenderRow } from './lender-file.ts';
import type { Finding, IndexedAccount } from './record.ts';
import { writeReport } from './report.ts';
import { SeenAccounts } from './seen-accounts.ts';
import type { TemplateName } from './template.ts';
import { amountFormOf } from './unit.ts';
import type { AmountForm } from './unit.ts';
import { createValidator } from './validate.ts';
import type { Validator } from './validate.ts';
import { indexAccount, writeBatch } from './write.ts';

/** Records written in one commit. */
const BATCH_RECORDS = 2_000;
/** Findings that are returned. */
const SHOWN_FINDINGS = 1_000;
/** A trial ends at more than these, if its records have several each: the file is of another form. */
const MAX_TRIED = { findings: 100_000, perRecord: 2 };
/** Batches read ahead of the one being written, so that reading and the database both keep busy. */
const BATCHES_AHEAD = 3;

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
  /** The unit of the amounts, if it is declared; otherwise the lender's setting counts. */
  readonly amounts?: AmountUnit | undefined;
  /** Who imports it. */
  readonly by: string;
  /** Name of the file, if the path does not give it. */
  readonly fileName?: string;
  /**
   * Tell what would change, and change nothing. Until the end of the file, other imports and merges
   * wait.
   */
  readonly dryRun?: boolean;
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
  /** Digest of the file, hexadecimal. */
  readonly sha256: string;
  /** The unit that the amounts were read in. */
  readonly amounts: AmountUnit;
  /** Delimiter and encoding of the file in words: “values separated by commas, UTF-8”. */
  readonly form: string;
  /** Records that an earlier, interrupted run had processed. */
  readonly resumedAfter: number;
  readonly counts: ImportCounts;
  /** The first ones. All are in the report. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
  readonly reportFile: string | null;
}

/** Where an import is written. */
interface Destination {
  readonly db: Queryable;
  /** Writes a batch completely or not at all. */
  readonly commit: <Result>(work: (client: Queryable) => Promise<Result>) => Promise<Result>;
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
  const content = await openLenderFile(options.file, options.template);
  return options.dryRun === true
    ? await rehearse(pool, async (db) => {
        return await run(options, content, { db, commit: async (work) => await work(db) });
      })
    : await run(options, content, {
        db: pool,
        commit: async (work) => await databaseTransaction(pool, work),
      });
}

class Rehearsed extends Error {}

/** Returns the result of `work`, and rolls back everything that it wrote. */
async function rehearse<Result>(
  pool: Pool,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  try {
    await databaseTransaction(pool, async (client) => {
      results.push(await work(client));
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  return results[0]!;
}

async function run(
  options: ImportOptions,
  content: LenderFile,
  into: Destination,
): Promise<ImportResult> {
  const { clock } = options;
  const { fileHash, form } = content;
  const sector = await registerLender(into.db, { ...options, at: clock.now() });
  if (sector !== options.sector) {
    throw new ImportError(
      `Lender ${options.lender} is registered in the sector ${sector}, not ${options.sector}.`,
    );
  }
  const fileName = options.fileName ?? path.basename(options.file);
  const declared = options.amounts ?? (await readAmountUnit(into.db, options.lender));
  // Before the import is recorded: one that is refused must not look interrupted.
  const amountForm = await amountFormOf(content, declared);
  const amounts = amountForm.unit;
  const about = { ...options, amounts, fileName, fileHash, at: clock.now() };
  const begun = await openImport(into.db, about);
  const { importId } = begun;
  const pass = new ImportRun({ ...options, ...into, content, amountForm }, begun);
  await pass.readAll();
  await addFindings(into.db, importId, pass.columnRemarks());
  await finishImport(into.db, importId, clock.now());
  const findings = await readFindings(into.db, importId, { limit: SHOWN_FINDINGS });
  return {
    ...{ importId, sha256: fileHash.toString('hex'), amounts, form, counts: pass.counts, findings },
    resumedAfter: begun.counts.records,
    findingCount: await countFindings(into.db, importId),
    reportFile: await writeReport(options.file, allFindings(into.db, importId)),
  };
}

type RunOptions = ImportOptions &
  Destination & { readonly content: LenderFile; readonly amountForm: AmountForm };

/** One pass over the file: the next batches are read and checked while one is written. */
class ImportRun {
  counts: ImportCounts;
  readonly #options: RunOptions;
  readonly #importId: string;
  readonly #doneBefore: number;
  #records = 0;
  /** The position in the file, in records, where the current batch begins. */
  #batchFrom: number;
  #batch: IndexedAccount[] = [];
  #findings: Finding[] = [];
  #findingCount = 0;
  readonly #seen = new SeenAccounts();
  readonly #columnRemarks = new ColumnRemarks();
  /** Batches that are being written, one after the other, or wait for that; oldest first. */
  readonly #writing: Promise<void>[] = [];

  constructor(
    options: RunOptions,
    begun: { readonly importId: string; readonly counts: ImportCounts },
  ) {
    this.#options = options;
    this.#importId = begun.importId;
    this.#doneBefore = begun.counts.records;
    this.#batchFrom = begun.counts.records;
    this.counts = begun.counts;
  }

  async readAll(): Promise<void> {
    try {
      await this.#readLines();
    } finally {
      // In a dry run they have one connection: what went on after its rollback would stay.
      await Promise.allSettled(this.#writing);
    }
  }

  /** Remarks about the whole file. An interrupted import counts its first lines again. */
  columnRemarks(): Finding[] {
    return this.#columnRemarks.remarks(this.#options.content.titleLine);
  }

  async #readLines(): Promise<void> {
    const { content, asOf, amountForm } = this.#options;
    const batchRecords = this.#options.batchRecords ?? BATCH_RECORDS;
    const validator = createValidator(content.places, asOf, amountForm, content.columnCount);
    for await (const row of content.rows()) {
      this.#records += 1;
      this.#take(validator, row);
      if (this.#records > this.#doneBefore && this.#records - this.#batchFrom >= batchRecords) {
        await this.#flush(row.bytes);
      }
    }
    await this.#flush(content.totalBytes);
    await this.#writing.at(-1);
  }

  #take(validator: Validator, row: LenderRow): void {
    const { line, problem } = row;
    const isDone = this.#records <= this.#doneBefore;
    if (problem !== undefined) {
      if (!isDone) this.#findings.push({ line, field: '', rule: 'csv', text: problem });
      return;
    }
    const validated = validator.validate(line, row.values, row.numbers);
    if (validated.account === undefined) {
      if (!isDone) this.#findings.push(...validated.findings);
      return;
    }
    const remarks = this.#columnRemarks.take(validated.remarks);
    const indexed = indexAccount(validated.account, this.#options, this.#seen);
    if (isDone) return;
    this.#findings.push(...remarks);
    this.#batch.push(indexed);
  }

  async #flush(bytes: number): Promise<void> {
    const from = this.#batchFrom;
    const records = this.#records - from;
    const batch = { accounts: this.#batch, findings: this.#findings };
    this.#batch = [];
    this.#findings = [];
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

  /** Throws: `ImportError`. */
  #requireForm([finding]: readonly Finding[], records: number): void {
    const { findings: most, perRecord } = MAX_TRIED;
    const count = this.#findingCount;
    if (finding === undefined || count <= most || count <= records * perRecord) return;
    throw new ImportError(
      `There are ${count} findings in ${records} records: the file is of another form. On line ${finding.line}: ${finding.text}.`,
      { field: 'file' },
    );
  }

  async #write(
    batch: { readonly accounts: readonly IndexedAccount[]; readonly findings: readonly Finding[] },
    about: { readonly from: number; readonly records: number; readonly bytes: number },
  ): Promise<void> {
    const { from, records, bytes } = about;
    const { commit, content, clock, vault, lender, corrects, amountForm } = this.#options;
    const importId = this.#importId;
    const counts = await commit(async (client) => {
      const plan = await writeBatch(client, batch.accounts, {
        vault,
        lender,
        importId,
        corrects,
        at: clock.now(),
        // A correction may correct the unit.
        ...(amountForm.isDeclared && !corrects && { declared: amountForm.unit }),
      });
      const findings = settled([...batch.findings, ...plan.findings]);
      await addFindings(client, importId, findings);
      this.#findingCount += findings.length;
      if (this.#options.dryRun === true) this.#requireForm(findings, from + records);
      const made = {
        records,
        accountsAdded: plan.newAccounts.length,
        statesAdded: plan.states.length,
        corrected: plan.corrected,
        unchanged: plan.unchanged,
        rejected: rejectedLines(findings).size,
      };
      const { unit } = amountForm;
      if (!(await noteBatch(client, importId, from, { ...made, amounts: unit }))) {
        throw new ImportError('Another command is importing this file.');
      }
      return made;
    });
    this.counts = adderOf(counts)(this.counts, counts);
    this.#options.onProgress?.({
      records: this.counts.records,
      bytes,
      totalBytes: content.totalBytes,
      findings: this.#findingCount,
    });
  }
}

/** Lines of which nothing was imported. */
function rejectedLines(findings: readonly Finding[]): Set<number> {
  return new Set(findings.filter(({ imported }) => imported !== true).map(({ line }) => line));
}

/** A remark does not say that its line was imported if something else is wrong with it. */
function settled(findings: readonly Finding[]): Finding[] {
  const rejected = rejectedLines(findings);
  return findings.map(({ imported, ...finding }) =>
    imported === true && !rejected.has(finding.line) ? { ...finding, imported } : finding,
  );
}
