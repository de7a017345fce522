import { integerArray, smallintArray, textArray, uuidArray } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { PaymentKey } from '../create/payment.ts';
import type { PaymentRow } from '../create/store.ts';
import type { Claim } from './store.ts';

/** An instruction that was sent. */
export interface AttemptRow extends PaymentKey {
  readonly attemptNumber: number;
  readonly operatorHandle: string | null;
}

/** With the operator's version that it was sent to; null: not known, or no longer needed. */
export interface LastAttemptRow extends AttemptRow {
  readonly operatorVersion: number | null;
}

/**
 * Commits the handle that `prepare` returned, before the second step is sent. Returns false if the
 * claim is no longer ours: then another process may be asking about the payment, and nothing may be
 * sent.
 */
export async function saveHandle(
  db: Queryable,
  claim: Pick<Claim, 'vendorId' | 'paymentId' | 'billerCode' | 'claimNumber'>,
  operatorHandle: string,
): Promise<boolean> {
  const saved = await db.query({
    name: 'save_handle',
    text: `update dispatch_queue set operator_handle = $5
      where bucket = bucket_of($1) and vendor_id = $1 and biller_code = $2 and stage = 'verify' and payment_id = $3
        and claim_number = $4`,
    values: [claim.vendorId, claim.billerCode, claim.paymentId, claim.claimNumber, operatorHandle],
  });
  return saved.rowCount === 1;
}

/**
 * Makes the payment due at once, because a callback gave a hint. An active lease is not waited for,
 * because a query does no harm. Returns false if the operator has no instruction in progress for the
 * payment.
 */
export async function askNow(
  db: Queryable,
  payment: PaymentKey & { readonly billerCode: string; readonly operatorCode: string },
  operatorHandle: string | null,
): Promise<boolean> {
  const due = await db.query({
    name: 'ask_now',
    text: `update dispatch_queue
      set due_at = least(due_at, now()), operator_handle = coalesce($4, operator_handle)
      where bucket = bucket_of($1) and vendor_id = $1 and biller_code = $2 and stage = 'verify' and payment_id = $3
        and operator_code = $5`,
    values: [
      payment.vendorId,
      payment.billerCode,
      payment.paymentId,
      operatorHandle,
      payment.operatorCode,
    ],
  });
  return due.rowCount === 1;
}

/**
 * Makes the payment due in this time, because of a callback that anybody can send. Returns false if it
 * is due earlier, or if the operator has no instruction in progress for it.
 */
export async function askWithin(
  db: Queryable,
  payment: PaymentKey & { readonly billerCode: string; readonly operatorCode: string },
  seconds: number,
): Promise<boolean> {
  const due = await db.query({
    name: 'ask_within',
    text: `update dispatch_queue set due_at = now() + $5::integer * interval '1 second'
      where bucket = bucket_of($1) and vendor_id = $1 and biller_code = $2 and stage = 'verify' and payment_id = $3
        and operator_code = $4 and due_at > now() + $5::integer * interval '1 second'`,
    values: [
      payment.vendorId,
      payment.billerCode,
      payment.paymentId,
      payment.operatorCode,
      seconds,
    ],
  });
  return due.rowCount === 1;
}

/**
 * Makes the payment due at once, whatever operator has it. Returns which: null if a restore lost it,
 * undefined if no instruction is in progress.
 */
export async function askAtOnce(
  db: Queryable,
  payment: PaymentKey & { readonly billerCode: string },
): Promise<string | null | undefined> {
  const due = await db.query<{ operatorCode: string | null }>({
    name: 'ask_at_once',
    text: `update dispatch_queue set due_at = least(due_at, now())
      where bucket = bucket_of($1) and vendor_id = $1 and biller_code = $2 and stage = 'verify' and payment_id = $3
      returning operator_code as "operatorCode"`,
    values: [payment.vendorId, payment.billerCode, payment.paymentId],
  });
  return due.rows[0]?.operatorCode;
}

/**
 * True if the payment is open, and this operator has no instruction in progress for it. That stays so
 * until the caller's database transaction ends.
 */
export async function lockOpenElsewhere(
  db: Queryable,
  payment: PaymentKey & { readonly billerCode: string; readonly operatorCode: string },
): Promise<boolean> {
  const locked = await db.query<{ isElsewhere: boolean }>(
    `select stage = 'send' or operator_code is distinct from $4 as "isElsewhere" from dispatch_queue
     where bucket = bucket_of($1) and vendor_id = $1 and biller_code = $2 and stage in ('send', 'verify')
       and payment_id = $3
     for update`,
    [payment.vendorId, payment.billerCode, payment.paymentId, payment.operatorCode],
  );
  return locked.rows[0]?.isElsewhere === true;
}

/** The last attempt with the operator, settled or not; undefined if it was never instructed. */
export async function readLastAttempt(
  db: Queryable,
  payment: PaymentKey & { readonly billerCode: string; readonly operatorCode: string },
): Promise<LastAttemptRow | undefined> {
  const read = await db.query<LastAttemptRow>({
    name: 'read_last_attempt',
    text: `select vendor_id as "vendorId", payment_id as "paymentId",
        attempt_number::integer as "attemptNumber", operator_handle as "operatorHandle",
        operator_version as "operatorVersion"
      from attempts where bucket = bucket_of($1) and vendor_id = $1 and biller_code = $2 and payment_id = $3
        and (operator_code = $4 or operator_code is null)
      order by attempt_number desc limit 1`,
    values: [payment.vendorId, payment.billerCode, payment.paymentId, payment.operatorCode],
  });
  return read.rows[0];
}

/** An archived payment that the operator has paid. Its handle is in the archive's file only. */
export async function readArchivedAttempt(
  db: Queryable,
  payment: PaymentKey & { readonly operatorCode: string },
): Promise<
  (LastAttemptRow & Pick<PaymentRow, 'billerCode' | 'account' | 'amountCents'>) | undefined
> {
  const read = await db.query<
    LastAttemptRow & Pick<PaymentRow, 'billerCode' | 'account' | 'amountCents'>
  >(
    `select vendor_id as "vendorId", payment_id as "paymentId", biller_code as "billerCode", account,
       amount_cents as "amountCents", attempt_number::integer as "attemptNumber",
       null as "operatorHandle", null::integer as "operatorVersion"
     from archived_payments
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2 and operator_code = $3
       and outcome = 'success' and attempt_number is not null`,
    [payment.vendorId, payment.paymentId, payment.operatorCode],
  );
  return read.rows[0];
}

/** The operator's attempts in progress with a handle, at most two. */
export async function findAttemptsByHandle(
  db: Queryable,
  operatorHandle: string,
  operatorCode: string,
): Promise<AttemptRow[]> {
  const found = await db.query<AttemptRow>({
    name: 'find_attempts_by_handle',
    // Only rows of the stage verify have been sent.
    text: `select vendor_id as "vendorId", payment_id as "paymentId",
        attempt_number::integer as "attemptNumber", operator_handle as "operatorHandle"
      from dispatch_queue
      where operator_handle = $1 and sent_at is not null and operator_code = $2 limit 2`,
    values: [operatorHandle, operatorCode],
  });
  return found.rows;
}

/** A handle that an attempt had or has. */
export interface KeptHandle extends PaymentKey {
  readonly attemptNumber: number;
  readonly operatorCode: string;
  readonly operatorHandle: string;
}

/** Stores handles for callbacks that may come after their payments have ended. Idempotent. */
export async function insertHandles(db: Queryable, kept: readonly KeptHandle[]): Promise<void> {
  await db.query({
    name: 'insert_handles',
    text: `insert into operator_handles
        (vendor_id, payment_id, attempt_number, operator_code, operator_handle, noted_at)
      select u.*, now()
      from unnest($1::integer[], $2::uuid[], $3::smallint[], $4::text[], $5::text[]) u
      on conflict do nothing`,
    values: [
      integerArray(kept.map(({ vendorId }) => vendorId)),
      uuidArray(kept.map(({ paymentId }) => paymentId)),
      smallintArray(kept.map(({ attemptNumber }) => attemptNumber)),
      textArray(kept.map(({ operatorCode }) => operatorCode)),
      textArray(kept.map(({ operatorHandle }) => operatorHandle)),
    ],
  });
}

/** The operator's payments with a kept handle, at most two, each with the last attempt that had it. */
export async function findKeptHandles(
  db: Queryable,
  operatorHandle: string,
  operatorCode: string,
): Promise<readonly (PaymentKey & { readonly attemptNumber: number })[]> {
  const found = await db.query<PaymentKey & { readonly attemptNumber: number }>({
    name: 'find_kept_handles',
    text: `select vendor_id as "vendorId", payment_id as "paymentId",
        max(attempt_number)::integer as "attemptNumber"
      from operator_handles where operator_code = $1 and operator_handle = $2
      group by vendor_id, payment_id limit 2`,
    values: [operatorCode, operatorHandle],
  });
  return found.rows;
}

export async function deleteHandlesBefore(db: Queryable, before: Date): Promise<number> {
  const deleted = await db.query('delete from operator_handles where noted_at < $1', [before]);
  return deleted.rowCount ?? 0;
}
