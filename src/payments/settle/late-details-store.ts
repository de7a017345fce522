import { newId } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { readReachable } from '../../parties/by-bucket-store.ts';
import type { FinalReport, PaymentKey } from '../create/payment.ts';
import { OWED } from './read-late-details.ts';
import type { OwedDetails } from './read-late-details.ts';

/** The first question comes after this time. Before it, a callback or the operator’s next answer may bring them. */
const FIRST_QUESTION_MS = 2_000;

/**
 * Notes that the operator owes details of an open payment, in a commit before the one that settles it. Idempotent:
 * what another operator owed before it was proved not to have paid counts no more.
 */
export async function noteOwed(db: Queryable, report: FinalReport): Promise<void> {
  await db.query(
    `insert into late_details (bucket, vendor_id, payment_id, biller_code, operator_code, paid_cents,
       operator_handle, attempt_number, operator_version, since, due_at)
     select q.bucket, q.vendor_id, q.payment_id, q.biller_code, $4, $5, coalesce($6, q.operator_handle),
       q.attempt_number, q.operator_version, now(), now() + $7 * interval '1 millisecond'
     from dispatch_queue q
     where q.bucket = bucket_of($1) and q.vendor_id = $1 and q.biller_code = $2 and q.payment_id = $3
       and q.attempt_number > 0 and coalesce(q.operator_code, $4) = $4
     on conflict (bucket, vendor_id, payment_id) do update
     set operator_code = excluded.operator_code, paid_cents = excluded.paid_cents,
       operator_handle = excluded.operator_handle, attempt_number = excluded.attempt_number,
       operator_version = excluded.operator_version, since = excluded.since, due_at = excluded.due_at`,
    [
      report.vendorId,
      report.billerCode,
      report.paymentId,
      report.operatorCode,
      report.paidCents,
      report.detailsFollow?.operatorHandle ?? null,
      FIRST_QUESTION_MS,
    ],
  );
}

/** A report's effect on the details of a paid payment: see functions/take_details.sql. */
type Taken = 'taken' | 'contradicted' | 'known' | 'no_payment';

/** Adds the details of a repeated report to those that are known, or opens a case. One commit. Idempotent. */
export async function takeDetails(db: Queryable, report: FinalReport): Promise<Taken> {
  const taken = await db.query<{ result: Taken }>(
    `select take_details(bucket_of($1), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as result`,
    [
      report.vendorId,
      report.paymentId,
      report.operatorCode,
      report.source,
      report.paidCents,
      report.billerReference,
      JSON.stringify(report.details ?? {}),
      report.detailsFollow !== undefined,
      newId(),
      newId(),
    ],
  );
  return taken.rows[0]?.result ?? 'no_payment';
}

const IS_DUE = 'd.ended_at is null and d.due_at <= now()';
const OWING = `select distinct d.operator_code as "operatorCode" from late_details d where ${IS_DUE}`;
const OF_OPERATOR = 'd.due_at <= now() and d.operator_code = $1';
const ORDER = `order by d.due_at limit ${LIMITS.detailsQuestions}`;
const DUE = `${OWED(OF_OPERATOR)} ${ORDER}`;
const DUE_IN_BUCKET = `${OWED(`${OF_OPERATOR} and d.bucket = $2`)} ${ORDER}`;

/**
 * Payments about whose details their operators are to be asked now, by operator, longest due first: of each a few, so that
 * one that owes many takes no other one's place.
 */
export async function listDueDetails(
  db: Queryable,
): Promise<ReadonlyMap<string, readonly OwedDetails[]>> {
  const owing = await readReachable(
    db,
    () => db.query<{ operatorCode: string }>(OWING),
    (bucket) => db.query<{ operatorCode: string }>(`${OWING} and d.bucket = $1`, [bucket]),
  );
  const due = new Map<string, readonly OwedDetails[]>();
  for (const code of new Set(owing.map(({ operatorCode }) => operatorCode))) {
    const rows = await readReachable(
      db,
      () => db.query<OwedDetails>(DUE, [code]),
      (bucket) => db.query<OwedDetails>(DUE_IN_BUCKET, [code, bucket]),
    );
    if (rows.length > 0) due.set(code, rows);
  }
  return due;
}

/**
 * Claims a question for this process: the next one is due after the pause, whatever becomes of this one. Returns
 * false if another process asks, or nothing is owed any more.
 * @param pauseMs null: this is the last question.
 */
export async function claimQuestion(
  db: Queryable,
  { vendorId, paymentId, asked }: OwedDetails,
  pauseMs: number | null,
): Promise<boolean> {
  const claimed = await db.query(
    `update late_details set asked = asked + 1, due_at = now() + $4 * interval '1 millisecond'
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2 and asked = $3 and ended_at is null
       and due_at <= now()`,
    [vendorId, paymentId, asked, pauseMs],
  );
  return claimed.rowCount === 1;
}

/** Stores for people why a question brought no details. */
export async function noteAnswer(
  db: Queryable,
  { vendorId, paymentId }: PaymentKey,
  note: string,
): Promise<void> {
  await db.query(
    `update late_details set note = $3
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2 and ended_at is null`,
    [vendorId, paymentId, note.slice(0, 500)],
  );
}

/** Makes the next question due in this time, if it is not due earlier. Returns false if no details are owed. */
export async function askDetailsWithin(
  db: Queryable,
  { vendorId, paymentId }: PaymentKey,
  { operatorCode, seconds }: { readonly operatorCode?: string; readonly seconds: number },
): Promise<boolean> {
  const due = await db.query(
    `update late_details d set due_at = least(due_at, now() + $3 * interval '1 second')
     from payments t
     where d.bucket = bucket_of($1) and d.vendor_id = $1 and d.payment_id = $2 and d.ended_at is null
       and d.operator_code = coalesce($4, d.operator_code)
       and t.bucket = d.bucket and t.vendor_id = d.vendor_id and t.payment_id = d.payment_id
       and t.outcome = 'success'`,
    [vendorId, paymentId, seconds, operatorCode ?? null],
  );
  return due.rowCount === 1;
}

/** Deletes what archived payments leave here. */
export async function deleteLateDetails(
  db: Queryable,
  vendorId: number,
  paymentIds: readonly string[],
): Promise<void> {
  await db.query(
    `delete from late_details where bucket = bucket_of($1) and vendor_id = $1 and payment_id = any ($2)`,
    [vendorId, paymentIds],
  );
}
