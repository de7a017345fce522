import type { Queryable } from '../../platform/db/pool.ts';
import type { Finding } from './record.ts';
import type { AmountUnit } from '../registry/account.ts';
import type { TemplateName } from './template.ts';

export interface ImportCounts {
  /** Records of the file processed, including invalid ones. */
  readonly records: number;
  readonly accountsAdded: number;
  readonly statesAdded: number;
  readonly corrected: number;
  readonly unchanged: number;
  /** Records with a finding; nothing of them was imported. */
  readonly rejected: number;
}

export interface ImportRow {
  readonly importId: string;
  /** The progress of an earlier run that did not finish. */
  readonly counts: ImportCounts;
}

export interface Row {
  importId: string;
  recordsDone: bigint;
  accountsAdded: bigint;
  statesAdded: bigint;
  corrected: bigint;
  unchanged: bigint;
  rejected: bigint;
}

export const COUNTS = `i.records_done as "recordsDone", i.accounts_added as "accountsAdded",
  i.states_added as "statesAdded", i.corrected, i.unchanged, i.rejected`;

export function countsOf(row: Row): ImportCounts {
  return {
    records: Number(row.recordsDone),
    accountsAdded: Number(row.accountsAdded),
    statesAdded: Number(row.statesAdded),
    corrected: Number(row.corrected),
    unchanged: Number(row.unchanged),
    rejected: Number(row.rejected),
  };
}

/** The position of a finding in its import; without field and rule, the end of a line. */
export interface FindingCursor {
  readonly line: number;
  readonly field?: string;
  readonly rule?: string;
}

/** The findings of an import, by line: all, or a page. */
export async function readFindings(
  db: Queryable,
  importId: string,
  page: { readonly after?: FindingCursor | undefined; readonly limit?: number } = {},
): Promise<Finding[]> {
  const { line = 0, field = null, rule = null } = page.after ?? {};
  const read = await db.query<{
    line: bigint;
    field: string;
    rule: string;
    text: string;
    imported: boolean;
  }>(
    `select line, field, rule, text, imported from credit_import_findings
     where import_id = $1 and line >= $2 and (line > $2 or (field, rule) > ($3::text, $4::text))
     order by line, field, rule limit $5`,
    [importId, line, field, rule, page.limit ?? null],
  );
  return read.rows.map(({ line: number, imported, ...row }) => ({
    line: Number(number),
    ...row,
    ...(imported ? { imported } : {}),
  }));
}

const PAGE_FINDINGS = 5_000;

/** All findings of an import, page by page: a file of another form has several on each line. */
export async function* allFindings(db: Queryable, importId: string): AsyncGenerator<Finding[]> {
  for (let after: FindingCursor | undefined; ;) {
    const page: Finding[] = await readFindings(db, importId, { after, limit: PAGE_FINDINGS });
    yield page;
    after = page.at(-1);
    if (page.length < PAGE_FINDINGS) return;
  }
}

export async function countFindings(db: Queryable, importId: string): Promise<number> {
  const counted = await db.query<{ count: number }>(
    'select count(*)::integer as count from credit_import_findings where import_id = $1',
    [importId],
  );
  return counted.rows[0]?.count ?? 0;
}

/** The record of an import. */
export interface ListedImport extends ImportRow {
  readonly fileName: string;
  readonly by: string;
  readonly lender: string;
  readonly template: TemplateName;
  readonly asOf: string;
  readonly corrects: boolean;
  readonly amounts: AmountUnit;
  readonly startedAt: Date;
  /** Null: running, or interrupted and to be continued. */
  readonly finishedAt: Date | null;
}

type ListedRow = Row & Omit<ListedImport, 'counts'>;

const IMPORTS = `select i.import_id as "importId", ${COUNTS}, i.file_name as "fileName",
    i.imported_by as by, i.lender, i.template, i.as_of::text as "asOf", i.corrects, i.amounts,
    i.started_at as "startedAt", i.finished_at as "finishedAt"
  from credit_imports i`;

function listedImport(row: ListedRow): ListedImport {
  const { importId, fileName, by, lender, template, asOf, corrects, amounts } = row;
  const { startedAt, finishedAt } = row;
  const about = { importId, fileName, by, lender, template, asOf, corrects, amounts };
  return { ...about, startedAt, finishedAt, counts: countsOf(row) };
}

export async function findImport(
  db: Queryable,
  importId: string,
): Promise<ListedImport | undefined> {
  const read = await db.query<ListedRow>(`${IMPORTS} where i.import_id = $1`, [importId]);
  return read.rows.map(listedImport)[0];
}

/** The import of this file, in this way. */
export async function findImportOf(
  db: Queryable,
  of: {
    readonly lender: string;
    readonly asOf: string;
    readonly fileHash: Buffer;
    readonly corrects: boolean;
  },
): Promise<ListedImport | undefined> {
  const read = await db.query<ListedRow>(
    `${IMPORTS} where i.lender = $1 and i.as_of = $2 and i.file_hash = $3 and i.corrects = $4`,
    [of.lender, of.asOf, of.fileHash, of.corrects],
  );
  return read.rows.map(listedImport)[0];
}

/** A page of imports, newest first. */
export async function listImports(
  db: Queryable,
  search: {
    readonly lender?: string | undefined;
    /** The page after this import. */
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<ListedImport[]> {
  const read = await db.query<ListedRow>(
    `${IMPORTS}
     where ($1::text is null or i.lender = $1)
       and ($2::uuid is null or (i.started_at, i.import_id) <
         ((select started_at from credit_imports where import_id = $2), $2))
     order by i.started_at desc, i.import_id desc limit $3`,
    [search.lender ?? null, search.after ?? null, search.limit],
  );
  return read.rows.map(listedImport);
}
