import type { Queryable } from '../../platform/db/pool.ts';
import type { EventType } from './event-types.ts';

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
