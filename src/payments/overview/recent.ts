import type { Queryable } from '../../platform/db/pool.ts';
import { readActivity } from './read-activity.ts';
import type { ActivityRow } from './read-activity.ts';
import { addActivity } from './activity.ts';

const MINUTE_MS = 60_000;
/** As far as it goes back; a day of the service’s zone may have 25 hours. */
const KEPT_MS = 25 * 60 * MINUTE_MS;
/** Shown by minute. */
const BY_MINUTE_MS = 60 * MINUTE_MS;
/** A payment may be committed this long after it was created. A later one is found by a recount. */
const LATE_MS = 1_000;
/** After a recount there is a pause of this many times its duration, so that recounts take at most 2 % of the time. */
const PAUSE_FACTOR = 50;

/** Length of the pieces in which a part of the time is kept. Each piece is counted as a whole. */
interface Grain {
  readonly minutes: number;
  /** Pieces that a reading counts again. */
  readonly recounts: number;
}

const RECENT: Grain = { minutes: 1, recounts: 3 };
const OLDER: Grain = { minutes: 15, recounts: 1 };

interface Piece {
  readonly rows: readonly ActivityRow[];
  /** The number of the reading that counted it, or its first part. */
  readonly reading: number;
}

/** By their beginning. */
type Pieces = Map<number, Piece>;

/**
 * The payments of the last 25 hours, counted. A reading counts those created since the last one, and adds
 * them to what is kept, so that its cost follows from the time since the last reading. Kept pieces are
 * counted again in turns, because their payments are settled; the time that this takes is limited.
 */
export class RecentActivity {
  readonly #db: Queryable;
  readonly #vendorId: number | undefined;
  readonly #nowMs: () => number;
  readonly #recent: Pieces = new Map();
  readonly #older: Pieces = new Map();
  /** Payments created before are in the pieces. */
  #countedTo = 0;
  #readings = 0;
  #pauseEndsMs = -Infinity;

  /**
   * @param vendorId undefined: of all vendors.
   * @param nowMs a monotonic clock in milliseconds.
   */
  constructor(db: Queryable, vendorId: number | undefined, nowMs = () => performance.now()) {
    this.#db = db;
    this.#vendorId = vendorId;
    this.#nowMs = nowMs;
  }

  /** By minute in the last hour, before it by quarter-hour; in no particular order. */
  async read(now: Date): Promise<ActivityRow[]> {
    this.#readings += 1;
    const end = now.getTime();
    const recentFrom = beginOf(OLDER, end - BY_MINUTE_MS);
    const oldest = beginOf(OLDER, end - KEPT_MS);
    this.#age(oldest, recentFrom);
    await this.#countNew(Math.max(oldest, this.#countedTo), recentFrom, end - LATE_MS);
    await this.#countAgain();
    // The clocks of other processes may be ahead.
    const newest = await this.#count(RECENT, this.#countedTo, end + MINUTE_MS);
    return [...this.#older.values(), ...this.#recent.values()]
      .map(({ rows }) => rows)
      .concat([newest])
      .flat();
  }

  /** Minutes become parts of quarter-hours, which are dropped in the end. */
  #age(oldest: number, recentFrom: number): void {
    for (const [begin, piece] of this.#recent) {
      if (begin >= recentFrom) continue;
      this.#recent.delete(begin);
      addTo(this.#older, beginOf(OLDER, begin), piece);
    }
    for (const begin of this.#older.keys()) if (begin < oldest) this.#older.delete(begin);
  }

  async #countNew(from: number, recentFrom: number, to: number): Promise<void> {
    const parts = [
      { pieces: this.#older, grain: OLDER, begin: from, end: Math.min(recentFrom, to) },
      { pieces: this.#recent, grain: RECENT, begin: Math.max(from, recentFrom), end: to },
    ];
    for (const { pieces, grain, begin, end } of parts) {
      if (begin >= end) continue;
      const rows = await this.#count(grain, begin, end);
      const groups = Map.groupBy(rows, (row) => beginOf(grain, row.begin.getTime()));
      for (let at = beginOf(grain, begin); at < end; at += grain.minutes * MINUTE_MS) {
        addTo(pieces, at, { rows: groups.get(at) ?? [], reading: this.#readings });
      }
      this.#countedTo = end;
    }
  }

  async #countAgain(): Promise<void> {
    const startedMs = this.#nowMs();
    if (startedMs < this.#pauseEndsMs) return;
    // The payments of a young piece are settled soon, so it is counted more often.
    const ages = [...this.#recent.keys()].toSorted((one, other) => other - one);
    await this.#recount(this.#recent, RECENT, (begin) => ages.indexOf(begin) + 1);
    await this.#recount(this.#older, OLDER, () => 1);
    const endedMs = this.#nowMs();
    this.#pauseEndsMs = endedMs + PAUSE_FACTOR * (endedMs - startedMs);
  }

  /** Counts pieces again, beginning with those that waited for most readings in proportion to `every`. */
  async #recount(pieces: Pieces, grain: Grain, every: (begin: number) => number): Promise<void> {
    const waiting = [...pieces]
      .map(([begin, { reading }]) => ({ begin, turns: (this.#readings - reading) / every(begin) }))
      .filter(({ turns }) => turns > 0)
      .toSorted((one, other) => other.turns - one.turns);
    for (const { begin } of waiting.slice(0, grain.recounts)) {
      const end = Math.min(begin + grain.minutes * MINUTE_MS, this.#countedTo);
      const rows = await this.#count(grain, begin, end);
      pieces.set(begin, { rows, reading: this.#readings });
    }
  }

  async #count({ minutes }: Grain, from: number, to: number): Promise<ActivityRow[]> {
    const [vendorId, span] = [this.#vendorId, { from: new Date(from), to: new Date(to) }];
    return await readActivity(this.#db, { ...span, minutes, vendorId });
  }
}

/** The beginning of the piece that contains a time. */
function beginOf({ minutes }: Grain, time: number): number {
  const pieceMs = minutes * MINUTE_MS;
  return Math.floor(time / pieceMs) * pieceMs;
}

function addTo(pieces: Pieces, begin: number, { rows, reading }: Piece): void {
  const known = pieces.get(begin);
  pieces.set(begin, {
    rows: addActivity([...(known?.rows ?? []), ...rows], new Date(begin)),
    reading: known?.reading ?? reading,
  });
}
