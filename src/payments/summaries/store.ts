import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { SummaryDimension } from './dimensions.ts';
import { exportText, summaryText } from './summary.ts';
import type { Codes, SummaryExport, SummaryJournal, SummaryLine } from './summary.ts';

const LOCK = 7_305_011;

/** Numbers are given out one journal after another: the others wait until the caller's database transaction ends. */
export async function lockSummaries(db: Queryable): Promise<void> {
  await db.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

export interface SummaryTerms {
  readonly version: number;
  readonly startsAt: Date;
  readonly per: 'day' | 'month';
  readonly dimensions: readonly SummaryDimension[];
  readonly taxCode: string | null;
  readonly company: string | null;
}

/** The terms in force; undefined: the company makes no summary journals. */
export async function findTerms(db: Queryable): Promise<SummaryTerms | undefined> {
  const found = await db.query<SummaryTerms>(
    `select version, starts_at as "startsAt", per, dimensions, tax_code as "taxCode", company
     from summary_terms order by version desc limit 1`,
  );
  return found.rows[0];
}

export async function insertTerms(
  db: Queryable,
  terms: SummaryTerms & { readonly setBy: string },
): Promise<void> {
  await db.query(
    `insert into summary_terms (version, set_at, set_by, starts_at, per, dimensions, tax_code, company)
     values ($1, now(), $2, $3, $4, $5, $6, $7)`,
    [
      terms.version,
      terms.setBy,
      terms.startsAt,
      terms.per,
      terms.dimensions,
      terms.taxCode,
      terms.company,
    ],
  );
}

/** The codes in force. */
export async function readCodes(db: Queryable): Promise<Codes> {
  const found = await db.query<{ account: string; code: string | null }>(
    'select distinct on (account) account, code from account_codes order by account, version desc',
  );
  const coded = found.rows.flatMap(({ account, code }) => (code === null ? [] : [[account, code]]));
  return Object.fromEntries(coded) as Codes;
}

/** @param code null: it has none from then on. */
export async function insertCode(
  db: Queryable,
  { account, code, setBy }: { account: string; code: string | null; setBy: string },
): Promise<void> {
  await db.query(
    `insert into account_codes (account, version, set_at, set_by, code)
     select $1, coalesce(max(version), 0) + 1, now(), $2, $3 from account_codes where account = $1`,
    [account, setBy, code],
  );
}

const JOURNAL = `number, from_at as "fromAt", to_at as "toAt", made_at as "madeAt"`;

export async function findLastSummary(db: Queryable): Promise<SummaryJournal | undefined> {
  const found = await db.query<SummaryJournal>(
    `select ${JOURNAL} from summary_journals order by number desc limit 1`,
  );
  return found.rows[0];
}

export async function insertSummary(
  db: Queryable,
  mac: Mac,
  journal: SummaryJournal,
  lines: readonly SummaryLine[],
): Promise<void> {
  await db.query(
    'insert into summary_journals (number, from_at, to_at, made_at, mac) values ($1, $2, $3, $4, $5)',
    [
      ...[journal.number, journal.fromAt, journal.toAt, journal.madeAt],
      mac.sign(summaryText(journal, lines)),
    ],
  );
  await db.query(
    `insert into summary_lines (number, line, day, account, class, vendor_id, biller_code, operator_code,
       debit_cents, credit_cents)
     select $1, n, day, account, class, vendor_id, biller_code, operator_code, debit_cents, credit_cents
     from unnest($2::date[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::bigint[],
         $9::bigint[]) with ordinality
       as u (day, account, class, vendor_id, biller_code, operator_code, debit_cents, credit_cents, n)`,
    [
      journal.number,
      lines.map(({ day }) => day),
      lines.map(({ account }) => account),
      lines.map((line) => line.class),
      lines.map(({ vendorId }) => vendorId),
      lines.map(({ billerCode }) => billerCode),
      lines.map(({ operatorCode }) => operatorCode),
      lines.map(({ debitCents }) => debitCents),
      lines.map(({ creditCents }) => creditCents),
    ],
  );
}

/** The lines of a journal in their order. */
export async function listLines(db: Queryable, number: number): Promise<SummaryLine[]> {
  const listed = await db.query<SummaryLine>(
    `select to_char(day, 'YYYY-MM-DD') as day, account, class, vendor_id as "vendorId",
       biller_code as "billerCode", operator_code as "operatorCode", debit_cents as "debitCents",
       credit_cents as "creditCents"
     from summary_lines where number = $1 order by line`,
    [number],
  );
  return listed.rows;
}

/** A journal in a list. */
export interface ListedSummary extends SummaryJournal {
  /** Of its lines, which is that of their credits. */
  readonly debitCents: bigint;
  readonly lineCount: number;
  /** Null: nobody has said that it is in the accounting software. */
  readonly exportedAt: Date | null;
  readonly exportedBy: string | null;
  readonly reference: string | null;
  /** JSON: the codes with which its files are made again. */
  readonly codes: string | null;
}

const LISTED = `select j.number, j.from_at as "fromAt", j.to_at as "toAt", j.made_at as "madeAt",
    coalesce(s.debit_cents, 0)::bigint as "debitCents", s.line_count as "lineCount", e.exported_at as "exportedAt",
    e.exported_by as "exportedBy", e.reference, e.codes
  from summary_journals j left join summary_exports e on e.number = j.number
    cross join lateral (
      select sum(l.debit_cents) as debit_cents, count(*)::integer as line_count
      from summary_lines l where l.number = j.number
    ) s`;

export interface SummaryFilter {
  readonly state: 'all' | 'waiting' | 'exported';
  /** Numbers below this one; undefined: all. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listSummaries(
  db: Queryable,
  { state, after, limit }: SummaryFilter,
): Promise<ListedSummary[]> {
  const listed = await db.query<ListedSummary>(
    `${LISTED}
     where ($1::integer is null or j.number < $1)
       and ($2 = 'all' or (e.number is not null) = ($2 = 'exported'))
     order by j.number desc limit $3`,
    [after ?? null, state, limit],
  );
  return listed.rows;
}

export async function findSummary(
  db: Queryable,
  number: number,
): Promise<ListedSummary | undefined> {
  return (await db.query<ListedSummary>(`${LISTED} where j.number = $1`, [number])).rows[0];
}

/** Returns false if it was exported before. */
export async function insertExport(db: Queryable, mac: Mac, row: SummaryExport): Promise<boolean> {
  const inserted = await db.query(
    `insert into summary_exports (number, exported_at, exported_by, reference, codes, mac)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [
      ...[row.number, row.exportedAt, row.exportedBy, row.reference, row.codes],
      mac.sign(exportText(row)),
    ],
  );
  return inserted.rowCount === 1;
}
