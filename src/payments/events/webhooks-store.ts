import type { Queryable } from '../../platform/db/pool.ts';
import type { EventState, EventType } from './event-types.ts';

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
