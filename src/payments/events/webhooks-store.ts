import type { Queryable } from '../../platform/db/pool.ts';
import type { EventState, EventType } from './event-types.ts';
import type { EventRow } from './event.ts';
import { EVENT_COLUMNS } from './store.ts';

export interface WebhookRow {
  readonly vendorId: number;
  readonly vid: string;
  readonly url: string;
  readonly allowsPrivate: boolean;
  readonly failureCount: number;
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledReason: string | null;
  /** The types of events that are not sent. */
  readonly offTypes: EventType[];
  readonly waiting: number;
  /** When the oldest waiting event happened. */
  readonly oldestWaitingAt: Date | null;
}

/** Every webhook, by vendor, with its waiting events. Reads all waiting events. */
export async function listWebhooks(db: Queryable): Promise<WebhookRow[]> {
  const listed = await db.query<WebhookRow>(
    `select w.vendor_id as "vendorId", v.vid, w.url, w.allows_private as "allowsPrivate",
      w.failure_count as "failureCount", w.failing_since as "failingSince",
       w.disabled_at as "disabledAt", w.disabled_reason as "disabledReason",
       w.off_types as "offTypes", e.waiting,
         e.oldest_waiting_at as "oldestWaitingAt"
     from webhooks w
       join vendors v on v.vendor_id = w.vendor_id
       cross join lateral (
         select count(*)::integer as waiting, min(occurred_at) as oldest_waiting_at
         from events e where e.bucket = w.bucket and e.vendor_id = w.vendor_id and e.due_at is not null
       ) e
     order by v.vid`,
  );
  return listed.rows;
}

export type FoundWebhook = Omit<WebhookRow, 'vendorId' | 'vid' | 'waiting' | 'oldestWaitingAt'>;

/** The vendor's webhook. */
export async function findWebhook(
  db: Queryable,
  vendorId: number,
): Promise<FoundWebhook | undefined> {
  const found = await db.query<FoundWebhook>(
    `select url, allows_private as "allowsPrivate", failure_count as "failureCount",
       failing_since as "failingSince", disabled_at as "disabledAt",
       disabled_reason as "disabledReason", off_types as "offTypes"
     from webhooks where bucket = bucket_of($1) and vendor_id = $1`,
    [vendorId],
  );
  return found.rows[0];
}

/** The vendor's events that wait for their delivery. */
export async function countWaiting(db: Queryable, vendorId: number): Promise<number> {
  const counted = await db.query<{ count: number }>(
    `select count(*)::integer as count from events
     where bucket = bucket_of($1) and vendor_id = $1 and due_at is not null`,
    [vendorId],
  );
  return counted.rows[0]?.count ?? 0;
}

/** Locks the webhook until the end of the database transaction; false if there is no webhook. */
export async function lockWebhook(db: Queryable, vendorId: number): Promise<boolean> {
  const locked = await db.query(
    'select 1 from webhooks where bucket = bucket_of($1) and vendor_id = $1 for update',
    [vendorId],
  );
  return locked.rowCount === 1;
}

/** Adds the vendor's webhook, or changes its URL, which also enables it and resets its failures. */
export async function putWebhook(
  db: Queryable,
  webhook: { readonly vendorId: number; readonly url: string; readonly allowsPrivate: boolean },
): Promise<void> {
  await db.query(
    `insert into webhooks (bucket, vendor_id, url, allows_private, changed_at)
     values (bucket_of($1), $1, $2, $3, now())
     on conflict (bucket, vendor_id) do update set url = excluded.url,
       allows_private = excluded.allows_private, changed_at = excluded.changed_at,
       failure_count = 0, failing_since = null, disabled_at = null, disabled_reason = null`,
    [webhook.vendorId, webhook.url, webhook.allowsPrivate],
  );
}

/** Resets the failures that disabled the webhook. */
export async function setEnabled(db: Queryable, vendorId: number): Promise<void> {
  await db.query(
    `update webhooks set failure_count = 0, failing_since = null, disabled_at = null,
       disabled_reason = null, changed_at = now()
     where bucket = bucket_of($1) and vendor_id = $1`,
    [vendorId],
  );
}

/** Sets the types of events that are not sent, and ends the waiting events of these types. */
export async function setOffTypes(
  db: Queryable,
  vendorId: number,
  types: readonly EventType[],
): Promise<void> {
  await db.query(
    `update webhooks set off_types = $2, changed_at = now()
     where bucket = bucket_of($1) and vendor_id = $1`,
    [vendorId, types],
  );
  await db.query(
    `update events set state = 'off', due_at = null, ended_at = now()
     where bucket = bucket_of($1) and vendor_id = $1 and due_at is not null and type = any ($2)`,
    [vendorId, types],
  );
}

/** Makes waiting events due at once, for a full retry period. Returns how many events. */
export async function retryWaiting(db: Queryable, vendorId: number): Promise<number> {
  const updated = await db.query(
    `update events set due_at = now(), first_attempt_at = null, attempt_count = 0
     where bucket = bucket_of($1) and vendor_id = $1 and due_at is not null`,
    [vendorId],
  );
  return updated.rowCount ?? 0;
}

/** Removes the webhook and gives up its waiting events. Returns how many events. */
export async function deleteWebhook(db: Queryable, vendorId: number): Promise<number> {
  await db.query('delete from webhooks where bucket = bucket_of($1) and vendor_id = $1', [
    vendorId,
  ]);
  const updated = await db.query(
    `update events set state = 'given_up', due_at = null, ended_at = now(),
       last_result = 'the webhook was removed'
     where bucket = bucket_of($1) and vendor_id = $1 and due_at is not null`,
    [vendorId],
  );
  return updated.rowCount ?? 0;
}

/** An event and its result. */
export interface ListedEvent extends EventRow {
  readonly state: EventState;
  readonly attemptCount: number;
  readonly dueAt: Date | null;
  readonly endedAt: Date | null;
  readonly lastResult: string | null;
}

/** The vendor's events, newest payments and corrections first. */
export async function listEvents(
  db: Queryable,
  vendorId: number,
  options: {
    readonly state: EventState | undefined;
    readonly type?: EventType | undefined;
    /** This one alone. */
    readonly eventId?: string | undefined;
    /** The last event of the page before. */
    readonly beforeId?: string | undefined;
    readonly limit: number;
  },
): Promise<ListedEvent[]> {
  const listed = await db.query<ListedEvent>(
    `select ${EVENT_COLUMNS}, e.state, e.attempt_count as "attemptCount", e.due_at as "dueAt",
       e.ended_at as "endedAt", e.last_result as "lastResult"
     from events e where bucket = bucket_of($1) and vendor_id = $1 and ($2::text is null or state = $2)
       and ($2::text is distinct from 'waiting' or due_at is not null)
       and ($3::text is null or type = $3) and ($4::uuid is null or event_id < $4)
       and ($6::uuid is null or event_id = $6)
     order by event_id desc limit $5`,
    [
      vendorId,
      options.state ?? null,
      options.type ?? null,
      options.beforeId ?? null,
      options.limit,
      options.eventId ?? null,
    ],
  );
  return listed.rows;
}

/** A position in the order in which events happened. */
export interface EventPosition {
  /** Microseconds since 1970, as text: a date has milliseconds only. */
  readonly micros: string;
  readonly eventId: string;
}

/** An event with its position. */
export interface FollowedEvent extends ListedEvent {
  readonly micros: string;
}

/** The vendor's events after a position, in the order in which they happened. */
export async function listEventsAfter(
  db: Queryable,
  vendorId: number,
  range: {
    readonly after: EventPosition;
    /** The horizon of the database: everything that happened earlier is visible (`readHorizon`). */
    readonly before: string;
    readonly type: EventType | undefined;
    readonly state: EventState | undefined;
    readonly limit: number;
  },
): Promise<FollowedEvent[]> {
  const listed = await db.query<FollowedEvent>(
    `select ${EVENT_COLUMNS}, e.state, e.attempt_count as "attemptCount", e.due_at as "dueAt",
       e.ended_at as "endedAt", e.last_result as "lastResult",
       (extract(epoch from e.occurred_at) * 1000000)::bigint::text as micros
     from events e
     where bucket = bucket_of($1) and vendor_id = $1
       and (occurred_at, event_id) > ('epoch'::timestamptz + $2::bigint * interval '1 microsecond', $3)
       and occurred_at < $4::timestamptz and ($5::text is null or type = $5) and ($6::text is null or state = $6)
     order by occurred_at, event_id limit $7`,
    [
      vendorId,
      range.after.micros,
      range.after.eventId,
      range.before,
      range.type ?? null,
      range.state ?? null,
      range.limit,
    ],
  );
  return listed.rows;
}

/** Selects the events to send again; absent conditions match everything. */
export interface ReplayFilter {
  readonly paymentId: string | undefined;
  readonly eventId?: string | undefined;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly state: EventState | undefined;
}

/**
 * Makes events due now, for a full retry period: the next ones after an id, in order of ids. Those of
 * types that are off stay as they are. Returns the ids.
 */
export async function replayAfter(
  db: Queryable,
  vendorId: number,
  filter: ReplayedEvents,
): Promise<string[]> {
  const updated = await db.query<{ eventId: string }>(
    `update events set state = 'waiting', due_at = now(), ended_at = null, first_attempt_at = null,
       attempt_count = 0
     where bucket = bucket_of($1) and vendor_id = $1 and event_id in (
       ${REPLAYABLE} order by event_id limit $7)
     returning event_id as "eventId"`,
    replayableValues(vendorId, filter),
  );
  return updated.rows.map((row) => row.eventId);
}

type ReplayedEvents = ReplayFilter & {
  readonly afterId: string;
  readonly limit: number;
  readonly offTypes: readonly EventType[];
};

const REPLAYABLE = `select event_id from events
  where bucket = bucket_of($1) and vendor_id = $1 and event_id > $2 and ($3::uuid is null or payment_id = $3)
    and ($4::timestamptz is null or occurred_at >= $4)
    and ($5::timestamptz is null or occurred_at < $5) and ($6::text is null or state = $6)
    and ($8::uuid is null or event_id = $8) and type <> all ($9)`;

function replayableValues(vendorId: number, filter: ReplayedEvents): unknown[] {
  return [
    vendorId,
    filter.afterId,
    filter.paymentId ?? null,
    filter.since ?? null,
    filter.until ?? null,
    filter.state ?? null,
    filter.limit,
    filter.eventId ?? null,
    filter.offTypes,
  ];
}

/** Counts events that can be sent again, up to the limit. */
export async function countReplayable(
  db: Queryable,
  vendorId: number,
  filter: ReplayedEvents,
): Promise<number> {
  const counted = await db.query<{ count: number }>(
    `select count(*)::int as count from (${REPLAYABLE} limit $7) as matching`,
    replayableValues(vendorId, filter),
  );
  return counted.rows[0]?.count ?? 0;
}

/** The number of webhooks in one state, and of their waiting events. */
export interface WebhookBacklog {
  readonly webhook: 'active' | 'disabled';
  readonly webhooks: number;
  readonly waiting: number;
  /** Age of the oldest waiting event. */
  readonly oldestSeconds: number;
}

export async function readBacklog(db: Queryable): Promise<WebhookBacklog[]> {
  const counted = await db.query<WebhookBacklog>(
    `select case when w.disabled_at is null then 'active' else 'disabled' end as webhook,
       count(*)::integer as webhooks, sum(e.waiting)::integer as waiting,
       coalesce(extract(epoch from now() - min(e.oldest_at)), 0)::float8 as "oldestSeconds"
     from webhooks w cross join lateral (
       select count(*) as waiting, min(occurred_at) as oldest_at from events
       where bucket = w.bucket and vendor_id = w.vendor_id and due_at is not null
     ) e group by 1`,
  );
  return counted.rows;
}
