import type { Queryable } from '../../platform/db/pool.ts';
import type { EventState, EventType } from './event-types.ts';
import type { EventRow } from './event.ts';
import { EVENT_COLUMNS } from './store.ts';

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
