import {
  bigintArray,
  integerArray,
  plainArray,
  textArray,
  uuidArray,
} from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { PaymentContent } from '../../connectors/operator-outcomes.ts';
import { NO_ID } from '../../platform/base/ids.ts';
import { groupByBucket, readReachable } from '../../parties/by-bucket-store.ts';

export type Stage = 'send' | 'verify';

/** A vendor's queue at one biller in one stage: the unit for finding and sharing out work. */
export interface QueueKey {
  /**
   * Stage `verify`: the operator that has the instructions; null if that is unknown since a restore.
   * Stage `send`: the operator to try next after a failover; null: not chosen.
   */
  readonly operatorCode?: string | null;
  readonly vendorId: number;
  readonly billerCode: string;
  readonly stage: Stage;
}

export interface QueueSummary extends QueueKey {
  /** Milliseconds until its first payment is due; 0 or less: now. */
  readonly dueInMs: number;
}

const listQueuesText = (where: string): string =>
  `select vendor_id as "vendorId", biller_code as "billerCode", stage,
    operator_code as "operatorCode",
    (extract(epoch from min(due_at) - now()) * 1000)::float8 as "dueInMs"
  from dispatch_queue ${where} group by vendor_id, biller_code, stage, operator_code
  order by min(due_at), vendor_id, biller_code, stage`;
const QUEUES = listQueuesText('');
const QUEUES_OF_BUCKET = listQueuesText('where bucket = $1');

/** Every queue that is not empty, longest due first. Reads the queue rows of all open payments. */
export async function listQueues(db: Queryable): Promise<readonly QueueSummary[]> {
  return await readReachable(
    db,
    () => db.query<QueueSummary>({ name: 'list_queues', text: QUEUES, values: [] }),
    (bucket) => db.query<QueueSummary>(QUEUES_OF_BUCKET, [bucket]),
  );
}

/** One payment claimed for sending or verification, until its lease expires. */
export interface Claim extends PaymentContent {
  readonly vendorId: number;
  readonly paymentId: string;
  readonly billerCode: string;
  readonly stage: Stage;
  /** Fences off workers whose lease has expired. */
  readonly claimNumber: number;
  /** The instruction that this claim sends, or the last one sent. */
  readonly attemptNumber: number;
  /** Status queries made since that instruction, with the one that this claim is for. */
  readonly verifyCount: number;
  /** By the database's clock. */
  readonly attemptAgeMs: number;
  readonly operatorHandle: string | null;
  /** The operator that this claim instructs or queries; null only in a ledger that was restored. */
  readonly operatorCode: string | null;
  /** The operator's version that has, or gets, the instruction; null: not known. */
  readonly operatorVersion: number | null;
  /** The position in the caller's list of what it was claimed for. */
  readonly wantedIndex: number;
}

const CLAIMED_COLUMNS = `queue_number as "queueNumber", payment_id as "paymentId",
  claim_number as "claimNumber", attempt_number as "attemptNumber",
  (content).account, (content).phone, (content).amount_cents as "amountCents"`;
const CLAIM_TO_SEND = `select ${CLAIMED_COLUMNS} from claim_to_send($1, $2::integer[], $3::text[],
  $4::text[], $5::integer[], $6::uuid[], $7::integer[], $8::text[], $9::text[], $10::integer[],
  $11::integer[], $12::bigint[], $13::bigint[], $14::integer[])`;
const CLAIM_TO_ASK = `select ${CLAIMED_COLUMNS}, verify_count as "verifyCount",
    operator_handle as "operatorHandle", attempt_age_ms as "attemptAgeMs",
    operator_version as "operatorVersion"
  from claim_to_ask($1, $2::integer[], $3::text[], $4::text[], $5::integer[], $6::uuid[],
    $7::integer[])`;

/** A claim to make: the queue, the operator and the number of payments. */
export interface Wanted extends QueueKey {
  readonly max: number;
  /** Payments with earlier ids are passed over. Default: none. */
  readonly firstId?: string;
  readonly leaseMs: number;
  /** Stage `send`: where these payments go. */
  readonly route?: ChosenRoute;
}

/** The operator that payments of some amounts go to now. */
export interface ChosenRoute {
  readonly operatorCode: string;
  /** Why this one, for people; null: the biller has no other. */
  readonly reason: string | null;
  /** The amounts that it is chosen for, inclusive. */
  readonly minimumCents: bigint;
  readonly maximumCents: bigint;
  /** The version of what the operator charges and gives us for them; null: nothing is known. */
  readonly operatorPrice: number | null;
  /** The version of the operator that is instructed. Absent: not known. */
  readonly operatorVersion?: number | null;
  /** Only payments that have been due for this long. */
  readonly waitMs: number;
}

/** Above every amount. */
export const NO_MAXIMUM = 1_000_000_000_000_000n;

type Indexed = Wanted & { readonly index: number };

type ClaimedRow = Pick<Claim, 'paymentId' | 'claimNumber' | 'attemptNumber'> &
  PaymentContent & { readonly queueNumber: number };

type Verification = Pick<
  Claim,
  'verifyCount' | 'operatorHandle' | 'attemptAgeMs' | 'operatorVersion'
>;

const NEVER_VERIFIED = { verifyCount: 0, operatorHandle: null, attemptAgeMs: 0 } as const;

async function claimToSend(
  db: Queryable,
  bucket: number,
  queues: readonly Indexed[],
): Promise<readonly Claim[]> {
  const priced = queues.some(({ route }) => (route?.operatorPrice ?? null) !== null);
  const claimed = await db.query<ClaimedRow>({
    name: 'claim_to_send',
    text: CLAIM_TO_SEND,
    values: [
      ...queueValues(bucket, queues),
      textArray(queues.map(({ route }) => route?.operatorCode ?? null)),
      textArray(queues.map(({ route }) => route?.reason ?? null)),
      priced ? integerArray(queues.map(({ route }) => route?.operatorPrice ?? null)) : null,
      integerArray(queues.map(({ route }) => route?.operatorVersion ?? null)),
      bigintArray(queues.map(({ route }) => route?.minimumCents ?? 0n)),
      bigintArray(queues.map(({ route }) => route?.maximumCents ?? NO_MAXIMUM)),
      integerArray(queues.map(({ route }) => route?.waitMs ?? 0)),
    ],
  });
  return claimed.rows.map((row) => {
    const queue = queueOf(row, queues);
    const { operatorCode = null, operatorVersion = null } = queue.route ?? {};
    return claimOf(row, queue, operatorCode, { ...NEVER_VERIFIED, operatorVersion });
  });
}

async function claimToAsk(
  db: Queryable,
  bucket: number,
  queues: readonly Indexed[],
): Promise<readonly Claim[]> {
  const claimed = await db.query<ClaimedRow & Verification>({
    name: 'claim_to_ask',
    text: CLAIM_TO_ASK,
    values: queueValues(bucket, queues),
  });
  return claimed.rows.map((row) => {
    const queue = queueOf(row, queues);
    return claimOf(row, queue, queue.operatorCode ?? null, row);
  });
}

const CLAIM_IN = { send: claimToSend, verify: claimToAsk };

function queueValues(bucket: number, queues: readonly Indexed[]): readonly unknown[] {
  return [
    bucket,
    integerArray(queues.map((queue) => queue.vendorId)),
    textArray(queues.map((queue) => queue.billerCode)),
    textArray(queues.map((queue) => queue.operatorCode ?? null)),
    integerArray(queues.map((queue) => queue.max)),
    uuidArray(queues.map((queue) => queue.firstId ?? NO_ID)),
    integerArray(queues.map((queue) => queue.leaseMs)),
  ];
}

function queueOf({ queueNumber }: ClaimedRow, queues: readonly Indexed[]): Indexed {
  const queue = queues[queueNumber - 1];
  if (queue === undefined) throw new Error(`a claim named queue ${queueNumber}`);
  return queue;
}

/** Each value by its name: rest and spread cost more than reading the row. */
function claimOf(
  row: ClaimedRow,
  { vendorId, billerCode, stage, index }: Indexed,
  operatorCode: string | null,
  { verifyCount, operatorHandle, attemptAgeMs, operatorVersion }: Verification,
): Claim {
  return {
    vendorId,
    paymentId: row.paymentId,
    billerCode,
    stage,
    claimNumber: row.claimNumber,
    attemptNumber: row.attemptNumber,
    verifyCount,
    attemptAgeMs,
    operatorHandle,
    account: row.account,
    phone: row.phone,
    amountCents: row.amountCents,
    operatorCode,
    operatorVersion,
    wantedIndex: index,
  };
}

export interface ClaimOptions {
  /** Called before each call. The time in which its claims may be sent begins then. */
  readonly beforeCall?: () => void;
  /** Called with what each call claimed, oldest first, so that nothing delays it once it is committed. */
  readonly onClaimed?: (claims: readonly Claim[]) => void;
  /** Called for each call that failed although another one claimed something. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Claims due payments of the given queues, oldest first, and records the attempt of each that is to
 * be sent. After this commit an instruction may exist, so from now on only the operator's final
 * report ends the payment, and only proof that nothing was executed allows another instruction. Two
 * claimers never get the same payment. One call for each stage and bucket, one after the other; if one
 * fails, the claims of others are returned: their instructions must be sent now.
 */
export async function claim(
  db: Queryable,
  wanted: readonly Wanted[],
  { beforeCall, onClaimed, onError }: ClaimOptions = {},
): Promise<Claim[]> {
  const claims: Claim[] = [];
  const errors: unknown[] = [];
  const groups = await groupByBucket(
    db,
    wanted.map((queue, index) => ({ ...queue, index })),
  );
  for (const stage of ['verify', 'send'] as const) {
    for (const { bucket, items } of groups) {
      const queues = items.filter((queue) => queue.stage === stage);
      if (queues.length === 0) continue;
      beforeCall?.();
      const claimed = await CLAIM_IN[stage](db, bucket, queues).catch((error: unknown) => {
        errors.push(error);
        return [];
      });
      onClaimed?.(claimed.toSorted(byPaymentId));
      claims.push(...claimed);
    }
  }
  if (claims.length === 0 && errors.length > 0) throw errors[0];
  for (const error of errors) onError?.(error);
  return claims.toSorted(byPaymentId);
}

function byPaymentId(one: Claim, other: Claim): number {
  return one.paymentId < other.paymentId ? -1 : 1;
}

/** The result of a call that is not final. */
export interface Progress {
  readonly claim: Pick<Claim, 'vendorId' | 'paymentId' | 'billerCode' | 'claimNumber'>;
  /** `send`: proven not executed, so it may be sent again. */
  readonly next: Stage;
  readonly delayMs: number;
  readonly note: string;
  readonly operatorHandle: string | null;
  /** With `send`: the operator to try next. Absent or null: not chosen yet. */
  readonly nextOperator?: string | null;
}

const PROGRESS = `select write_progress($1, $2::integer[], $3::text[], $4::uuid[], $5::integer[],
  $6::dispatch_stage[], $7::integer[], $8::text[], $9::text[], $10::text[]) as written`;

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
        integerArray(items.map((item) => item.claim.vendorId)),
        textArray(items.map((item) => item.claim.billerCode)),
        uuidArray(items.map((item) => item.claim.paymentId)),
        integerArray(items.map((item) => item.claim.claimNumber)),
        plainArray(items.map((item) => item.next)),
        integerArray(items.map((item) => Math.round(item.delayMs))),
        textArray(items.map((item) => item.note.slice(0, 500))),
        textArray(items.map((item) => item.operatorHandle)),
        textArray(items.map((item) => item.nextOperator ?? null)),
      ],
    });
    count += result.rows[0]?.written ?? 0;
  }
  return count;
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
