import { readReachable } from '../../parties/by-bucket-store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { FailingWebhook } from './webhook-policy.ts';
import type { EventRow } from './event.ts';
import type { EventType } from './event-types.ts';

/** A webhook with events to send. */
export interface WaitingWebhook {
  readonly vendorId: number;
  readonly vid: string;
  readonly url: string;
  readonly allowsPrivate: boolean;
  /** Consecutive failures. */
  readonly failureCount: number;
  /** Milliseconds until the first event is due; 0 or less: now. */
  readonly dueInMs: number;
}

const listWaitingText = (and: string): string =>
  `select w.vendor_id as "vendorId", v.vid, w.url, w.allows_private as "allowsPrivate",
      w.failure_count as "failureCount",
        (extract(epoch from d.due_at - now()) * 1000)::float8 as "dueInMs"
      from webhooks w
        join vendors v on v.vendor_id = w.vendor_id
        cross join lateral (
          select min(e.due_at) as due_at from events e
          where e.bucket = w.bucket and e.vendor_id = w.vendor_id and e.due_at is not null
        ) d
      where w.disabled_at is null and d.due_at is not null ${and}
        and not exists (select from quarantines where released_at is null)
      order by d.due_at, w.vendor_id`;
const WAITING = listWaitingText('');
const WAITING_OF_BUCKET = listWaitingText('and w.bucket = $1');

/**
 * Every enabled webhook with waiting events, longest due first. None while a quarantine is open
 * after a restore: the events may be copies of those of a running service.
 */
export async function listWaitingWebhooks(db: Queryable): Promise<readonly WaitingWebhook[]> {
  return await readReachable(
    db,
    () => db.query<WaitingWebhook>({ name: 'list_waiting_webhooks', text: WAITING, values: [] }),
    (bucket) => db.query<WaitingWebhook>(WAITING_OF_BUCKET, [bucket]),
  );
}

/** The columns of an `EventRow`, for `events e`. */
export const EVENT_COLUMNS = `e.vendor_id as "vendorId", e.event_id as "eventId", e.type,
  e.occurred_at as "occurredAt", e.payment_id as "paymentId", e.created_at as "createdAt",
  e.biller_response_time as "billerResponseTime", e.outcome, e.biller_code as "billerCode",
  e.account, e.amount_cents as "amountCents", e.merchant_reference as "merchantReference",
  e.biller_reference as "billerReference", e.message, e.failure_code as "failureCode", e.details`;

/** An event claimed for sending, until its lease expires. */
export interface ClaimedEvent extends EventRow {
  /** Including this attempt; fences off a sender whose lease has expired. */
  readonly attemptCount: number;
  /** Since the first attempt. */
  readonly triedForMs: number;
}

/** Claims due events of one vendor, longest due first. Two claimers never get the same event. */
export async function claimEvents(
  db: Queryable,
  vendorId: number,
  options: { readonly max: number; readonly leaseMs: number },
): Promise<ClaimedEvent[]> {
  const claimed = await db.query<ClaimedEvent>({
    name: 'claim_events',
    // Times are computed where the rows are picked: Citus rejects it in an UPDATE with columns.
    text: `with picked as materialized (
        select e.event_id, now() as at, now() + $3 * interval '1 millisecond' as lease_ends_at
        from events e
        where e.bucket = bucket_of($1) and e.vendor_id = $1 and e.due_at <= now()
        order by e.due_at limit $2 for update skip locked
      )
      update events e
      set due_at = p.lease_ends_at, attempt_count = e.attempt_count + 1,
        first_attempt_at = coalesce(e.first_attempt_at, p.at)
      from (select at, lease_ends_at from picked limit 1) p
      where e.bucket = bucket_of($1) and e.vendor_id = $1
        and e.event_id = any (array(select event_id from picked))
      returning ${EVENT_COLUMNS}, e.attempt_count as "attemptCount",
        (extract(epoch from p.at - e.first_attempt_at) * 1000)::float8 as "triedForMs"`,
    values: [vendorId, options.max, options.leaseMs],
  });
  return claimed.rows;
}

/** The event is delivered, whichever sender delivered it, and the webhook's failures are reset. */
export async function writeDelivered(
  db: Queryable,
  event: Pick<EventRow, 'vendorId' | 'eventId'>,
  result: string,
): Promise<void> {
  await db.query({
    name: 'write_delivered',
    text: `update events set state = 'delivered', due_at = null, ended_at = now(), last_result = $3
      where bucket = bucket_of($1) and vendor_id = $1 and event_id = $2 and state <> 'delivered'`,
    values: [event.vendorId, event.eventId, result],
  });
  // A separate statement: code that changes a webhook locks the webhook first and then its events.
  await db.query({
    name: 'write_webhook_well',
    text: `update webhooks set failure_count = 0, failing_since = null
      where bucket = bucket_of($1) and vendor_id = $1 and failure_count > 0`,
    values: [event.vendorId],
  });
}

/**
 * Postpones the event, or gives it up, unless our lease has expired and another sender has it.
 * Counts the failure. Returns the state of the webhook; undefined if it was removed, or has another
 * URL by now: then its events are due again, and the former URL says nothing about it.
 * @param next.retryInMs undefined: it is given up.
 * @param next.url where it was sent.
 */
export async function writeFailure(
  db: Queryable,
  event: Pick<ClaimedEvent, 'vendorId' | 'eventId' | 'attemptCount'>,
  next: {
    readonly result: string;
    readonly retryInMs: number | undefined;
    readonly url: string;
  },
): Promise<FailingWebhook | undefined> {
  const written = await db.query<{ failureCount: number; failingForMs: number }>({
    name: 'write_failure',
    // The webhook is locked before its event. Times come from a row, as above.
    text: `with clock as materialized (
        select now() as at, now() + $5::float8 * interval '1 millisecond' as retry_at
        from webhooks where bucket = bucket_of($1) and vendor_id = $1 and url = $6 for update
      ), tried as (
        update events e
        set last_result = $4,
          state = case when $5::float8 is null then 'given_up' else 'waiting' end,
          due_at = c.retry_at,
          ended_at = case when $5::float8 is null then c.at end
        from clock c
        where e.bucket = bucket_of($1) and e.vendor_id = $1 and e.event_id = $2 and e.attempt_count = $3 and e.state = 'waiting'
      )
      update webhooks w
      set failure_count = w.failure_count + 1, failing_since = coalesce(w.failing_since, c.at)
      from clock c
      where w.bucket = bucket_of($1) and w.vendor_id = $1
      returning w.failure_count as "failureCount",
        (extract(epoch from c.at - w.failing_since) * 1000)::float8 as "failingForMs"`,
    values: [
      event.vendorId,
      event.eventId,
      event.attemptCount,
      next.result,
      next.retryInMs ?? null,
      next.url,
    ],
  });
  const [row] = written.rows;
  return row && { failureCount: row.failureCount, failingForMs: row.failingForMs };
}

/**
 * Returns false if it was already disabled, or removed.
 * @param url disables it only if it still has this URL. Default: any.
 */
export async function disableWebhook(
  db: Queryable,
  vendorId: number,
  reason: string,
  url?: string,
): Promise<boolean> {
  const updated = await db.query(
    `update webhooks set disabled_at = now(), disabled_reason = $2
     where bucket = bucket_of($1) and vendor_id = $1 and disabled_at is null
       and ($3::text is null or url = $3)`,
    [vendorId, reason, url ?? null],
  );
  return updated.rowCount === 1;
}

/**
 * Inserts the event of a corrected payment, with its new outcome, if its vendor has a webhook. Runs
 * in the database transaction of the correction, whose id makes the event unique.
 */
export async function announceCorrection(
  db: Queryable,
  corrected: {
    readonly vendorId: number;
    readonly paymentId: string;
    readonly correctionId: string;
    readonly postedAt: Date;
  },
): Promise<void> {
  await db.query(
    `insert into events (bucket, vendor_id, event_id, payment_id, type, outcome, occurred_at, state,
       due_at, ended_at, created_at, biller_response_time, amount_cents, biller_code, account,
       merchant_reference, biller_reference, message, failure_code, details)
     select t.bucket, t.vendor_id, $3, t.payment_id, 'transaction.corrected', t.outcome, $4,
       case when w.is_off then 'off' else 'waiting' end,
       case when not w.is_off then $4::timestamptz end, case when w.is_off then $4::timestamptz end,
       t.created_at, t.biller_response_time, t.amount_cents, t.biller_code, t.account,
       t.merchant_reference, t.biller_reference, t.message, t.failure_code, t.details
     from payments t join (
         select bucket, vendor_id, 'transaction.corrected' = any (off_types) as is_off from webhooks
       ) w on w.bucket = t.bucket and w.vendor_id = t.vendor_id
     where t.bucket = bucket_of($1) and t.vendor_id = $1 and t.payment_id = $2`,
    [corrected.vendorId, corrected.paymentId, corrected.correctionId, corrected.postedAt],
  );
}

/**
 * Announces an event that is not about a payment to the vendor's webhook, if it has one. It happens at the database's time: readers that
 * follow events skip one that is older than its database transaction.
 */
export async function announceEvent(
  db: Queryable,
  event: {
    readonly vendorId: number;
    readonly eventId: string;
    readonly type: Exclude<EventType, `transaction.${string}`>;
    readonly details: object;
  },
): Promise<void> {
  await db.query('select announce_event(bucket_of($1), $1, $2, $3, now(), $4)', [
    event.vendorId,
    event.eventId,
    event.type,
    JSON.stringify(event.details),
  ]);
}

/** Rows deleted in one commit. */
const BATCH_ROWS = 1_000;

/**
 * Deletes events that happened before an instant, delivered or not, in small commits. Returns how
 * many.
 * @param firstIdAfter the first id of that instant: ids of older events are smaller.
 */
export async function deleteEventsBefore(
  db: Queryable,
  { before, firstIdAfter }: { readonly before: Date; readonly firstIdAfter: string },
  signal: AbortSignal,
): Promise<number> {
  const vendors = await db.query<{ vendorId: number }>(
    'select vendor_id as "vendorId" from vendors order by vendor_id',
  );
  let deleted = 0;
  for (const { vendorId } of vendors.rows) {
    // Ends, because every round but the last removes a full batch.
    while (!signal.aborted) {
      const removed = await db.query<{ removed: number }>(
        'select delete_old_events(bucket_of($1), $1, $2, $3, $4)::integer as removed',
        [vendorId, before, firstIdAfter, BATCH_ROWS],
      );
      const count = removed.rows[0]?.removed ?? 0;
      deleted += count;
      if (count < BATCH_ROWS) break;
    }
  }
  return deleted;
}
