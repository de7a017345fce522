import type { Queryable } from '../../platform/db/pool.ts';

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

// Times come from the database, because the clocks of processes differ. They pass through `picked`
// because Citus rejects now() in an UPDATE with other columns. Nothing is sent in quarantine, and
// an instruction counts as sent at the end of the missing period at the earliest, because it may
// have been repeated until then. The account and amount come from the payment itself. A row without
// its open payment is never claimed, and neither is a row to be sent that has an instruction in
// progress; `ledger check` reports both. Limit and offset make the planner look up both by index,
// for each row.
const CLAIM = `
  with picked as materialized (
    select q.*, w.stage, w.lease_ms, now() as at
    from unnest($1::integer[], $2::text[], $3::dispatch_stage[], $4::integer[], $5::integer[])
        as w (vendor_id, biller_code, stage, max, lease_ms)
      cross join lateral (
        select d.ctid as row_at, o.* from dispatch_queue d
          cross join lateral (
            select t.account, t.phone, t.amount_cents from payments t
            where t.vendor_id = d.vendor_id and t.payment_id = d.payment_id
              and t.biller_code = d.biller_code and t.outcome is null
            limit 1
          ) o
        where d.vendor_id = w.vendor_id and d.biller_code = w.biller_code and d.stage = w.stage
          and d.due_at <= now() and (w.stage <> 'send' or not exists (
              select from quarantines where released_at is null)
            and not exists (
              select from dispatch_queue v
              where v.vendor_id = d.vendor_id and v.biller_code = d.biller_code
                and v.stage = 'verify' and v.payment_id = d.payment_id
              offset 0))
        order by d.payment_id limit w.max for update of d skip locked
      ) q
  )
  update dispatch_queue d
  set stage = 'verify', sent_at = coalesce(d.sent_at, p.at),
    claim_number = d.claim_number + 1,
    attempt_number = d.attempt_number + case when p.stage = 'send' then 1 else 0 end,
    verify_count = case when p.stage = 'send' then 0 else d.verify_count + 1 end,
    due_at = p.at + p.lease_ms * interval '1 millisecond'
  from picked p
  where d.ctid = p.row_at
  returning d.vendor_id as "vendorId", d.payment_id as "paymentId", d.biller_code as "billerCode",
    p.stage, d.claim_number as "claimNumber", d.attempt_number as "attemptNumber",
    d.verify_count as "verifyCount", d.operator_handle as "operatorHandle", p.account, p.phone,
    p.amount_cents as "amountCents",
    (extract(epoch from p.at
      - greatest(d.sent_at, (select max(lost_until) from quarantines))) * 1000)::float8 as "attemptAgeMs"`;

/**
 * Claims due payments of the given queues, oldest first, and records the attempt of each that is to
 * be sent. After this commit an instruction may exist, so from now on only the operator's final
 * report ends the payment, and only proof that nothing was executed allows another instruction. Two
 * claimers never get the same payment.
 */
export async function claim(
  db: Queryable,
  wanted: readonly (QueueKey & { readonly max: number; readonly leaseMs: number })[],
): Promise<Claim[]> {
  const claimed = await db.query<Claim>({
    name: 'claim',
    text: CLAIM,
    values: [
      wanted.map((queue) => queue.vendorId),
      wanted.map((queue) => queue.billerCode),
      wanted.map((queue) => queue.stage),
      wanted.map((queue) => queue.max),
      wanted.map((queue) => queue.leaseMs),
    ],
  });
  return claimed.rows.toSorted((a, b) => (a.paymentId < b.paymentId ? -1 : 1));
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

const PROGRESS = `
  with learnt as materialized (
    select u.*, q.sent_at, q.attempt_number, q.known_handle, now() as at
    from unnest($1::integer[], $2::text[], $3::uuid[], $4::integer[], $5::dispatch_stage[], $6::integer[],
        $7::text[], $8::text[])
        as u (vendor_id, biller_code, payment_id, claim_number, next, delay_ms, note, handle)
      cross join lateral (
        -- Skip locked: the holder of the row is settling it, or has claimed it after us.
        select d.sent_at, d.attempt_number, d.operator_handle from dispatch_queue d
        where d.vendor_id = u.vendor_id and d.biller_code = u.biller_code and d.stage = 'verify'
          and d.payment_id = u.payment_id and d.claim_number = u.claim_number
          -- A second row of the payment, which no code creates, must not stop the batch.
          and (u.next <> 'send' or not exists (
            select from dispatch_queue s
            where s.vendor_id = u.vendor_id and s.biller_code = u.biller_code
              and s.stage = 'send' and s.payment_id = u.payment_id
            offset 0))
        for update of d skip locked
      ) q (sent_at, attempt_number, known_handle)
  ), moved as (
    update dispatch_queue d
    set stage = l.next, due_at = l.at + l.delay_ms * interval '1 millisecond',
      sent_at = case l.next when 'verify' then l.sent_at end,
      operator_handle = case l.next when 'verify' then coalesce(l.handle, l.known_handle) end,
      note = case l.next when 'verify' then l.note end
    from learnt l
    where d.vendor_id = l.vendor_id and d.biller_code = l.biller_code and d.stage = 'verify'
      and d.payment_id = l.payment_id
  ), spent as (
    insert into unexecuted_attempts (vendor_id, biller_code, payment_id, attempt_number, sent_at,
      ended_at, operator_handle, note)
    select vendor_id, biller_code, payment_id, attempt_number, sent_at, at,
      coalesce(handle, known_handle), note
    from learnt where next = 'send'
  )
  select count(*)::integer as written from learnt`;

/** Saves progress, except where the claim is no longer ours. Returns how many rows were written. */
export async function writeProgress(db: Queryable, batch: readonly Progress[]): Promise<number> {
  const written = await db.query<{ written: number }>({
    name: 'write_progress',
    text: PROGRESS,
    values: [
      batch.map((item) => item.claim.vendorId),
      batch.map((item) => item.claim.billerCode),
      batch.map((item) => item.claim.paymentId),
      batch.map((item) => item.claim.claimNumber),
      batch.map((item) => item.next),
      batch.map((item) => Math.round(item.delayMs)),
      batch.map((item) => item.note.slice(0, 500)),
      batch.map((item) => item.operatorHandle),
    ],
  });
  return written.rows[0]?.written ?? 0;
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
  await db.query('delete from unexecuted_attempts where vendor_id = $1 and payment_id = any ($2)', [
    vendorId,
    paymentIds,
  ]);
}
