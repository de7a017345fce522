import { NO_ID } from '../platform/base/ids.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { listEventsAfter } from '../payments/events/read-events.ts';
import type { EventPosition } from '../payments/events/read-events.ts';
import type { EventState, EventType } from '../payments/events/event-types.ts';
import { readHorizon } from '../platform/cluster/horizon.ts';
import type { CursorOf } from '../platform/http/cursors.ts';
import { eventView } from './event-view.ts';
import type { SelfServiceDeps } from './resource.ts';
import { limitOf } from './schemas.ts';

type FollowDeps = Pick<SelfServiceDeps, 'pool' | 'cursors' | 'wireTime' | 'stopping'>;

interface Followed {
  readonly of: CursorOf & { readonly query: Readonly<Record<string, string | undefined>> };
  readonly vendorId: number;
  readonly since: Date;
  readonly type: EventType | undefined;
  readonly state: EventState | undefined;
  /** True: the client has disconnected. */
  readonly isClosed: () => boolean;
}

const LOOK_EVERY_MS = 500;
/** Others of the vendor are answered at once. */
const WAITING_OF_VENDOR = 2;

/**
 * Events in the order in which they happened, each exactly once: none is shown before all that
 * happened earlier are visible. While there are no events, a request may wait for the next one; it
 * holds no database connection meanwhile.
 */
export function createFollower({ pool, cursors, wireTime, stopping }: FollowDeps) {
  const waiting = new Map<number, number>();
  return async (asked: Followed) => {
    const { of, vendorId, since, type, state, isClosed } = asked;
    const { cursor, wait = '0' } = of.query;
    const limit = limitOf(of.query);
    const after =
      cursor === undefined
        ? { micros: `${since.getTime()}000`, eventId: NO_ID }
        : (cursors.read(of, cursor) as EventPosition);
    const read = async () => {
      const before = await readHorizon(pool);
      if (before === undefined) return [];
      return await listEventsAfter(pool, vendorId, { after, before, type, state, limit });
    };
    const others = waiting.get(vendorId) ?? 0;
    const waitMs = others < WAITING_OF_VENDOR ? Number(wait) * 1_000 : 0;
    const endMs = performance.now() + waitMs;
    waiting.set(vendorId, others + 1);
    let found;
    try {
      found = await read();
      while (found.length === 0 && performance.now() < endMs && !stopping.aborted && !isClosed()) {
        await delay(LOOK_EVERY_MS, undefined, { signal: stopping }).catch(() => undefined);
        found = await read();
      }
    } finally {
      const left = (waiting.get(vendorId) ?? 1) - 1;
      if (left === 0) waiting.delete(vendorId);
      else waiting.set(vendorId, left);
    }
    const last = found.at(-1);
    const position = last === undefined ? after : { micros: last.micros, eventId: last.eventId };
    return {
      items: found.map((row) => eventView(row, of.owner, wireTime)),
      next_cursor: cursors.write(of, position),
    };
  };
}
