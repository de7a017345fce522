import type { Queryable } from '../../platform/db/pool.ts';
import { acceptedRest, settledRest } from '../ledger/entries.ts';
import type { StatusKey } from '../create/status-store.ts';
import type { PaymentRow } from '../create/store.ts';

/** A payment that may be archived, with its details as one line of JSON. */
export interface ArchivableRow {
  readonly paymentId: string;
  readonly line: string;
}

/** They ended before an instant and need no further work: no case and no correction names them, no details are owed. */
const ARCHIVABLE = `select t.payment_id as "paymentId" from payments t
  where t.bucket = bucket_of($1) and t.vendor_id = $1 and t.created_at < $2 and t.settled_at < $2
    and not exists (select 1 from cases c
      where c.bucket = t.bucket and c.vendor_id = t.vendor_id and c.payment_id = t.payment_id)
    and not exists (select 1 from late_details d
      where d.bucket = t.bucket and d.vendor_id = t.vendor_id and d.payment_id = t.payment_id and d.ended_at is null)
    and not exists (select 1 from corrections c
      where c.bucket = t.bucket and c.vendor_id = t.vendor_id and c.payment_id = t.payment_id)`;

/** The vendor's oldest payments that can be archived. */
export async function listArchivable(
  db: Queryable,
  vendorId: number,
  options: {
    readonly before: Date;
    /** Between these ids, which are in order of time. */
    readonly afterId: string;
    readonly untilId: string;
    readonly limit: number;
  },
): Promise<ArchivableRow[]> {
  await db.query('set local statement_timeout = 0');
  const listed = await db.query<{ paymentId: string }>(
    `${ARCHIVABLE} and t.payment_id > $3 and t.payment_id < $4 order by t.payment_id limit $5`,
    [vendorId, options.before, options.afterId, options.untilId, options.limit],
  );
  return await readDetails(
    db,
    vendorId,
    listed.rows.map((row) => row.paymentId),
  );
}

/**
 * Locks and reads those of the payments that can still be archived. The caller holds the vendor's float
 * row, without which no case about an ended payment is opened.
 */
export async function lockArchivable(
  db: Queryable,
  vendorId: number,
  { before, paymentIds }: { readonly before: Date; readonly paymentIds: readonly string[] },
): Promise<ArchivableRow[]> {
  const locked = await db.query<{ paymentId: string }>(
    `${ARCHIVABLE} and t.payment_id = any ($3) order by t.payment_id for update of t`,
    [vendorId, before, paymentIds],
  );
  return await readDetails(
    db,
    vendorId,
    locked.rows.map((row) => row.paymentId),
  );
}

/** A separate statement, because Citus locks no rows in a query that uses the view. */
async function readDetails(
  db: Queryable,
  vendorId: number,
  paymentIds: readonly string[],
): Promise<ArchivableRow[]> {
  const read = await db.query<ArchivableRow>(
    `select t.payment_id as "paymentId",
       (to_jsonb(t) - 'bucket' || jsonb_build_object('attempts', (
         select coalesce(jsonb_agg(to_jsonb(a) - 'bucket' order by a.attempt_number), '[]') from attempts a
         where a.bucket = t.bucket and a.vendor_id = t.vendor_id and a.biller_code = t.biller_code
           and a.payment_id = t.payment_id
       )) || coalesce((
         select jsonb_build_object('late_details', d.details, 'late_details_at', d.received_at) from late_details d
         where d.bucket = t.bucket and d.vendor_id = t.vendor_id and d.payment_id = t.payment_id
       ), '{}'))::text as line
     from payments t
     where t.bucket = bucket_of($1) and t.vendor_id = $1 and t.payment_id = any ($2)
     order by t.payment_id`,
    [vendorId, paymentIds],
  );
  return read.rows;
}

export interface ArchiveFile {
  readonly archiveId: string;
  readonly fileName: string;
  readonly sha256: Buffer;
  readonly byteCount: number;
  readonly paymentCount: number;
}

/** Records the file, and keeps the required fields of its payments. Returns how many payments. */
export async function insertArchived(
  db: Queryable,
  vendorId: number,
  paymentIds: readonly string[],
  file: ArchiveFile,
): Promise<number> {
  await db.query(
    `insert into archive_files (archive_id, file_name, file_sha256, byte_count, payment_count,
       archived_at) values ($1, $2, $3, $4, $5, now())`,
    [file.archiveId, file.fileName, file.sha256, file.byteCount, file.paymentCount],
  );
  const inserted = await db.query(
    `insert into archived_payments (bucket, vendor_id, payment_id, archive_id, created_at, settled_at,
       biller_response_time, outcome, failure_code, biller_code, account, amount_cents,
       fee_cents, vat_cents, fee_price, operator_price, merchant_reference, biller_reference,
       operator_code, attempt_number, detail_marks, accepted_rest, settled_rest)
     select t.bucket, t.vendor_id, t.payment_id, $3, t.created_at, t.settled_at, t.biller_response_time, t.outcome,
       t.failure_code, t.biller_code, t.account, t.amount_cents, t.fee_cents, t.vat_cents, t.fee_price,
       t.operator_price, t.merchant_reference, t.biller_reference, t.operator_code, t.attempt_number,
       (select jsonb_object_agg(g.key, detail_mark(t.payment_id, g.value))
        from jsonb_each_text(coalesce(t.details, '{}') || coalesce(d.details, '{}')) g),
       ${acceptedRest('t')}, ${settledRest('t')}
     from payments t
       left join late_details d on d.bucket = t.bucket and d.vendor_id = t.vendor_id and d.payment_id = t.payment_id
     where t.bucket = bucket_of($1) and t.vendor_id = $1 and t.payment_id = any ($2) and t.outcome is not null`,
    [vendorId, paymentIds, file.archiveId],
  );
  return inserted.rowCount ?? 0;
}

const ARCHIVED = `select a.payment_id as "paymentId", a.vendor_id as "vendorId",
    a.created_at as "createdAt", a.settled_at as "settledAt",
    a.biller_response_time as "billerResponseTime", a.outcome, a.failure_code as "failureCode",
    a.biller_code as "billerCode", a.account, null as phone, a.amount_cents as "amountCents",
    a.fee_cents as "feeCents", a.merchant_reference as "merchantReference",
    a.biller_reference as "billerReference", null as message, nullif(d.details, '{}') as details,
    false as "underWay"
  from archived_payments a
    left join late_details d on d.bucket = a.bucket and d.vendor_id = a.vendor_id and d.payment_id = a.payment_id
  where a.bucket = bucket_of($1) and a.vendor_id = $1`;

/**
 * One archived payment of the vendor, in the form of a live payment, with the details that came since;
 * undefined if the vendor has no such payment.
 */
export async function readArchivedPayment(
  db: Queryable,
  key: StatusKey,
): Promise<PaymentRow | undefined> {
  const read =
    'paymentId' in key
      ? await db.query<PaymentRow>(`${ARCHIVED} and a.payment_id = $2`, [
          key.vendorId,
          key.paymentId,
        ])
      : await db.query<PaymentRow>(`${ARCHIVED} and a.merchant_reference = $2 limit 1`, [
          key.vendorId,
          key.merchantReference,
        ]);
  return read.rows[0];
}

export async function listArchiveFiles(db: Queryable): Promise<ArchiveFile[]> {
  const read = await db.query<{
    archiveId: string;
    fileName: string;
    fileSha256: Buffer;
    byteCount: bigint;
    paymentCount: number;
  }>(
    `select archive_id as "archiveId", file_name as "fileName", file_sha256 as "fileSha256",
      byte_count as "byteCount", payment_count as "paymentCount"
     from archive_files order by archive_id`,
  );
  return read.rows.map((row) => ({
    archiveId: row.archiveId,
    fileName: row.fileName,
    sha256: row.fileSha256,
    byteCount: Number(row.byteCount),
    paymentCount: row.paymentCount,
  }));
}

/**
 * Compares lines of a file with the database's fields of their payments. Returns the ids that are
 * missing there, or whose content differs.
 */
export async function findUnlike(
  db: Queryable,
  archiveId: string,
  lines: readonly string[],
): Promise<string[]> {
  const read = await db.query<{ paymentId: string }>(
    `select l.line ->> 'payment_id' as "paymentId"
     from unnest($2::jsonb[]) as l (line) left join archived_payments t
       on t.bucket = bucket_of((l.line ->> 'vendor_id')::integer)
         and t.vendor_id = (l.line ->> 'vendor_id')::integer
         and t.payment_id = (l.line ->> 'payment_id')::uuid and t.archive_id = $1
     where (t.amount_cents, t.fee_cents, t.vat_cents, t.fee_price, t.operator_price, t.outcome, t.failure_code, t.biller_code, t.account, t.merchant_reference,
         t.biller_reference, t.settled_at)
       is distinct from ((l.line ->> 'amount_cents')::bigint, (l.line ->> 'fee_cents')::bigint,
         (l.line ->> 'vat_cents')::bigint, (l.line ->> 'fee_price')::integer,
         (l.line ->> 'operator_price')::integer,
         l.line ->> 'outcome', l.line ->> 'failure_code', l.line ->> 'biller_code', l.line ->> 'account',
         l.line ->> 'merchant_reference', l.line ->> 'biller_reference',
         (l.line ->> 'settled_at')::timestamptz)`,
    [archiveId, lines],
  );
  return read.rows.map((row) => row.paymentId);
}
