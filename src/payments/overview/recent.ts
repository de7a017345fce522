import type { Queryable } from '../../platform/db/pool.ts';
import { readActivity } from './activity-store.ts';
import type { ActivityRow } from './activity-store.ts';

const MINUTE_MS = 60_000;
/** As far as it goes back; a day of the service’s zone may have 25 hours. */
const KEPT_MS = 25 * 60 * MINUTE_MS;
/** Shown by minute. */
const BY_MINUTE_MS = 60 * MINUTE_MS;

/** How a part of the time is kept: in pieces that are counted whole. */
interface Grain {
  readonly pieceMs: number;
  /** Of the intervals in a piece. */
  readonly minutes: number;
}

const RECENT: Grain = { pieceMs: 5 * MINUTE_MS, minutes: 1 };
/** Their length is a multiple of that of the recent ones. */
const OLDER: Grain = { pieceMs: 15 * MINUTE_MS, minutes: 15 };

interface Piece {
  readonly rows: readonly ActivityRow[];
  /** The number of the reading that counted it. */
  readonly reading: number;
}

/**
 * The payments of the last 25 hours, counted. Pieces are kept from one reading to the next, because few
 * of their payments still change. Each reading counts the newest ones again, and of the recent and of the
 * older ones that which was counted the longest ago.
 */
export class RecentActivity {
  readonly #db: Queryable;
  readonly #vendorId: number | undefined;
  /** By their beginning. */
  readonly #recent = new Map<number, Piece>();
  readonly #older = new Map<number, Piece>();

  #readings = 0;

  /** @param vendorId undefined: of all vendors. */
  constructor(db: Queryable, vendorId: number | undefined) {
    this.#db = db;
    this.#vendorId = vendorId;
  }

  /** By minute in the last hour, before it by quarter-hour; in no particular order. */
  async read(now: Date): Promise<ActivityRow[]> {
    this.#readings += 1;
    const end = now.getTime();
    const recentFrom = Math.floor((end - BY_MINUTE_MS) / OLDER.pieceMs) * OLDER.pieceMs;
    const oldest = Math.floor((end - KEPT_MS) / OLDER.pieceMs) * OLDER.pieceMs;
    // Its payments have just been created. The clocks of other processes may be ahead.
    const newestFrom = Math.floor((end - MINUTE_MS) / RECENT.pieceMs) * RECENT.pieceMs;
    await this.#renew(this.#older, OLDER, oldest, recentFrom);
    await this.#renew(this.#recent, RECENT, recentFrom, newestFrom);
    const newest = await this.#count(RECENT, newestFrom, end + MINUTE_MS);
    return [...this.#older.values(), ...this.#recent.values()]
      .map(({ rows }) => rows)
      .concat([newest])
      .flat();
  }

  /** Makes the pieces complete, from the first to before the last, or counts one of them again. */
  async #renew(
    pieces: Map<number, Piece>,
    grain: Grain,
    first: number,
    last: number,
  ): Promise<void> {
    for (const begin of pieces.keys()) if (begin < first || begin >= last) pieces.delete(begin);
    const wanted = Array.from(
      { length: (last - first) / grain.pieceMs },
      (_, index) => first + index * grain.pieceMs,
    );
    const missing = wanted.filter((begin) => !pieces.has(begin));
    const from = missing[0] ?? leastRecent(pieces);
    if (from === undefined) return;
    const to = (missing.at(-1) ?? from) + grain.pieceMs;
    const rows = await this.#count(grain, from, to);
    const groups = Map.groupBy(
      rows,
      ({ begin }) => Math.floor(begin.getTime() / grain.pieceMs) * grain.pieceMs,
    );
    for (let begin = from; begin < to; begin += grain.pieceMs) {
      pieces.set(begin, { rows: groups.get(begin) ?? [], reading: this.#readings });
    }
  }

  async #count({ minutes }: Grain, from: number, to: number): Promise<ActivityRow[]> {
    const [vendorId, span] = [this.#vendorId, { from: new Date(from), to: new Date(to) }];
    return await readActivity(this.#db, { ...span, minutes, vendorId });
  }
}

/** The beginning of the piece that was counted the longest ago. */
function leastRecent(pieces: ReadonlyMap<number, Piece>): number | undefined {
  return [...pieces].toSorted(([, one], [, other]) => one.reading - other.reading)[0]?.[0];
}
