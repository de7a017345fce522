import type { Queryable } from '../../platform/db/pool.ts';
import { groupByBucket } from '../../parties/by-bucket-store.ts';

export type Stage = 'send' | 'verify';

/** A vendor's queue at one biller in one stage: the unit for finding and sharing out work. */
export interface QueueKey {
  readonly vendorId: number;
  readonly billerCode: string;
  readonly stage: Stage;
}

export interface QueueSummary extends QueueKey {
  /** Milliseconds until its first payment is due; 0 or less: now. */
  readonly dueInMs: number;
}

/** Every queue that is not empty, longest due first. Reads the queue rows of all open payments. */
export async function listQueues(db: Queryable): Promise<QueueSummary[]> {
  const listed = await db.query<QueueSummary>({
    name: 'list_queues',
    text: `select vendor_id as "vendorId", biller_code as "billerCode", stage,
        (extract(epoch from min(due_at) - now()) * 1000)::float8 as "dueInMs"
      from dispatch_queue group by vendor_id, biller_code, stage
      order by min(due_at), vendor_id, biller_code, stage`,
    values: [],
  });
  return listed.rows;
}

/** One payment claimed for sending or verification, until its lease expires. */
export interface Claim {
  readonly vendorId: number;
  readonly paymentId: string;
  readonly billerCode: string;
  readonly stage: Stage;
  /** Fences off workers whose lease has expired. */
  readonly claimNumber: number;
  /** The instruction that this claim sends, or the last one sent. */
  readonly attemptNumber: number;
  /** Status queries made since that instruction. */
  readonly verifyCount: number;
  /** By the database's clock. */
  readonly attemptAgeMs: number;
  readonly operatorHandle: string | null;
  readonly account: string;
  readonly phone: string | null;
  readonly amountCents: bigint;
}

const CLAIM = `select vendor_id as "vendorId", payment_id as "paymentId", biller_code as "billerCode",
    stage, claim_number as "claimNumber", attempt_number as "attemptNumber",
    verify_count as "verifyCount", operator_handle as "operatorHandle", account, phone,
    amount_cents as "amountCents", attempt_age_ms as "attemptAgeMs"
  from claim_payments($1, $2::integer[], $3::text[], $4::dispatch_stage[], $5::integer[],
    $6::integer[])`;

type WantedQueue = QueueKey & { readonly max: number; readonly leaseMs: number };

async function claimIn(
  db: Queryable,
  bucket: number,
  queues: readonly WantedQueue[],
): Promise<readonly Claim[]> {
  const claimed = await db.query<Claim>({
    name: 'claim_payments',
    text: CLAIM,
    values: [
      bucket,
      queues.map((queue) => queue.vendorId),
      queues.map((queue) => queue.billerCode),
      queues.map((queue) => queue.stage),
      queues.map((queue) => queue.max),
      queues.map((queue) => queue.leaseMs),
    ],
  });
  return claimed.rows;
}

/**
 * Claims due payments of the given queues, oldest first, and records the attempt of each that is to
 * be sent. After this commit an instruction may exist, so from now on only the operator's final
 * report ends the payment, and only proof that nothing was executed allows another instruction. Two
 * claimers never get the same payment. If the claim of one bucket fails, those of others are returned:
 * their instructions must be sent now.
 */
export async function claim(db: Queryable, wanted: readonly WantedQueue[]): Promise<Claim[]> {
  const claims: Claim[] = [];
  const errors: unknown[] = [];
  for (const { bucket, items } of await groupByBucket(db, wanted)) {
    try {
      claims.push(...(await claimIn(db, bucket, items)));
    } catch (error) {
      errors.push(error);
    }
  }
  if (claims.length === 0 && errors.length > 0) throw errors[0];
  return claims.toSorted((a, b) => (a.paymentId < b.paymentId ? -1 : 1));
}

/** The result of a call that is not final. */
export interface Progress {
  readonly claim: Pick<Claim, 'vendorId' | 'paymentId' | 'billerCode' | 'claimNumber'>;
  /** `send`: proven not executed, so it may be sent again. */
  readonly next: Stage;
  readonly delayMs: number;
  readonly note: string;
  readonly operatorHandle: string | null;
}

const PROGRESS = `select write_progress($1, $2::integer[], $3::text[], $4::uuid[], $5::integer[],
  $6::dispatch_stage[], $7::integer[], $8::text[], $9::text[]) as written`;

/**
 * Saves progress (functions/write_progress.sql), except where the claim is no longer ours. Returns how
 * many rows were written.
 */
export async function writeProgress(db: Queryable, batch: readonly Progress[]): Promise<number> {
  const groups = await groupByBucket(
    db,
    batch.map((item) => ({ ...item, vendorId: item.claim.vendorId })),
  );
  let count = 0;
  for (const { bucket, items } of groups) {
    const result = await db.query<{ written: number }>({
      name: 'write_progress',
      text: PROGRESS,
      values: [
        bucket,
        items.map((item) => item.claim.vendorId),
        items.map((item) => item.claim.billerCode),
        items.map((item) => item.claim.paymentId),
        items.map((item) => item.claim.claimNumber),
        items.map((item) => item.next),
        items.map((item) => Math.round(item.delayMs)),
        items.map((item) => item.note.slice(0, 500)),
        items.map((item) => item.operatorHandle),
      ],
    });
    count += result.rows[0]?.written ?? 0;
  }
  return count;
}

/** The number of the biller's payments that wait for its operator's result. */
export async function countInstructionsOut(db: Queryable, billerCode: string): Promise<number> {
  const counted = await db.query<{ count: number }>(
    `select count(*)::integer as count from dispatch_queue
     where biller_code = $1 and stage = 'verify'`,
    [billerCode],
  );
  return counted.rows[0]?.count ?? 0;
}

export interface UnmatchedCallback {
  readonly operatorCode: string;
  readonly callbackId: string;
  readonly reference: string;
  readonly report: unknown;
  readonly receivedAt: Date;
}

/** Stores a callback with a reference that no payment of the operator has. */
export async function insertUnmatchedCallback(
  db: Queryable,
  unmatched: UnmatchedCallback,
): Promise<void> {
  await db.query(
    `insert into unmatched_callbacks (operator_code, callback_id, reference, report, received_at)
     values ($1, $2, $3, $4, $5)`,
    [
      unmatched.operatorCode,
      unmatched.callbackId,
      unmatched.reference,
      JSON.stringify(unmatched.report),
      unmatched.receivedAt,
    ],
  );
}

/** Deletes the rows that archived payments leave here. */
export async function deleteUnexecutedAttempts(
  db: Queryable,
  vendorId: number,
  paymentIds: readonly string[],
): Promise<void> {
  await db.query(
    `delete from unexecuted_attempts
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = any ($2)`,
    [vendorId, paymentIds],
  );
}
