import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Finding } from './record.ts';
import type { AmountUnit } from '../registry/account.ts';
import { ImportError } from './error.ts';
import type { TemplateName } from './template.ts';
import { COUNTS, countsOf } from './read-imports.ts';
import type { ImportCounts, ImportRow, Row } from './read-imports.ts';

/**
 * Starts an import, or continues one of the same file, lender and date where an earlier run
 * stopped. A finished one starts from the beginning: unchanged data stays as it is.
 * Throws: `ImportError` if the earlier run read the amounts in another unit.
 */
export async function openImport(
  db: Queryable,
  about: {
    readonly lender: string;
    readonly template: TemplateName;
    readonly asOf: string;
    readonly amounts: AmountUnit;
    readonly fileHash: Buffer;
    readonly corrects: boolean;
    readonly fileName: string;
    readonly by: string;
    readonly at: Date;
  },
): Promise<ImportRow> {
  const same = [about.lender, about.asOf, about.fileHash, about.corrects];
  const run = [about.fileName, about.by, about.at, about.amounts];
  await db.query(
    `insert into credit_imports (lender, as_of, file_hash, corrects, file_name, imported_by,
       started_at, amounts, import_id, template)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (lender, as_of, file_hash, corrects) do nothing`,
    [...same, ...run, newId(), about.template],
  );
  await db.query(
    `update credit_imports set finished_at = null, records_done = 0, accounts_added = 0,
       states_added = 0, corrected = 0, unchanged = 0, rejected = 0, file_name = $5,
       imported_by = $6, started_at = $7, amounts = $8
     where lender = $1 and as_of = $2 and file_hash = $3 and corrects = $4
       and (finished_at is not null or records_done = 0)`,
    [...same, ...run],
  );
  const read = await db.query<Row & { amounts: AmountUnit }>(
    `select i.import_id as "importId", i.amounts, ${COUNTS}
     from credit_imports i
     where i.lender = $1 and i.as_of = $2 and i.file_hash = $3 and i.corrects = $4`,
    same,
  );
  const row = read.rows[0];
  if (row === undefined) throw new Error('The import was not recorded');
  if (row.amounts !== about.amounts) {
    throw new ImportError(
      `An earlier, interrupted import of this file read its amounts in ${row.amounts}. Finish it first.`,
      { field: 'amounts' },
    );
  }
  if (row.recordsDone === 0n) {
    await db.query('delete from credit_import_findings where import_id = $1', [row.importId]);
  }
  return {
    importId: row.importId,
    counts: countsOf(row),
  };
}

/**
 * Records a batch in its own commit. Returns false if the import is not at the start of this batch:
 * then somebody else imports the same file, and the batch must not be committed.
 */
export async function noteBatch(
  db: Queryable,
  importId: string,
  from: number,
  counts: ImportCounts & { readonly amounts: AmountUnit },
): Promise<boolean> {
  const updated = await db.query(
    `update credit_imports set records_done = records_done + $3,
       accounts_added = accounts_added + $4, states_added = states_added + $5,
       corrected = corrected + $6, unchanged = unchanged + $7, rejected = rejected + $8
     where import_id = $1 and records_done = $2 and amounts = $9`,
    [
      importId,
      from,
      counts.records,
      counts.accountsAdded,
      counts.statesAdded,
      counts.corrected,
      counts.unchanged,
      counts.rejected,
      counts.amounts,
    ],
  );
  return updated.rowCount === 1;
}

export async function finishImport(db: Queryable, importId: string, at: Date): Promise<void> {
  await db.query(
    'update credit_imports set finished_at = coalesce(finished_at, $2) where import_id = $1',
    [importId, at],
  );
}

export async function addFindings(
  db: Queryable,
  importId: string,
  findings: readonly Finding[],
): Promise<void> {
  if (findings.length === 0) return;
  await db.query(
    `insert into credit_import_findings (import_id, line, field, rule, text, imported)
     select $1, * from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[])
     on conflict do nothing`,
    [
      importId,
      findings.map(({ line }) => line),
      findings.map(({ field }) => field),
      findings.map(({ rule }) => rule),
      findings.map(({ text }) => text),
      findings.map(({ imported }) => imported === true),
    ],
  );
}
