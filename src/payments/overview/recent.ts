import type { Queryable } from '../../platform/db/pool.ts';
import { readActivity } from './activity-store.ts';
import type { ActivityRow } from './activity-store.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
/** Counted again at every reading, by minute. */
const FRESH_MS = 60 * MINUTE_MS;
/** As far as it goes back; a day of the service’s zone may have 25 hours. */
const KEPT_MS = 25 * 60 * MINUTE_MS;

interface Quarter {
  readonly rows: readonly ActivityRow[];
  /** The number of the reading that counted them. */
  readonly reading: number;
}

/**
 * The payments of the last 25 hours, counted. Older quarter-hours are kept from one reading to the
 * next, because few of their payments still change; each reading counts the one that was counted the
 * longest ago again.
 */
export class RecentActivity {
  readonly #db: Queryable;
  readonly #vendorId: number | undefined;
  /** By their beginning. */
  readonly #quarters = new Map<number, Quarter>();

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
    const freshFrom = Math.floor((end - FRESH_MS) / QUARTER_MS) * QUARTER_MS;
    const oldest = Math.floor((end - KEPT_MS) / QUARTER_MS) * QUARTER_MS;
    for (const begin of this.#quarters.keys()) if (begin < oldest) this.#quarters.delete(begin);
    const missing: number[] = [];
    for (let begin = oldest; begin < freshFrom; begin += QUARTER_MS) {
      if (!this.#quarters.has(begin)) missing.push(begin);
    }
    const [first = this.#staleBefore(freshFrom)] = missing;
    if (first !== undefined) {
      await this.#count(first, (missing.at(-1) ?? first) + QUARTER_MS);
    }
    const fresh = await readActivity(this.#db, {
      from: new Date(freshFrom),
      // The clocks of other processes may be ahead.
      to: new Date(end + MINUTE_MS),
      minutes: 1,
      vendorId: this.#vendorId,
    });
    return [...this.#quarters].reduce(
      (rows, [begin, quarter]) => (begin < freshFrom ? rows.concat(quarter.rows) : rows),
      fresh,
    );
  }

  #staleBefore(limit: number): number | undefined {
    const known = [...this.#quarters].filter(([begin]) => begin < limit);
    return known.toSorted(([, one], [, other]) => one.reading - other.reading)[0]?.[0];
  }

  async #count(from: number, to: number): Promise<void> {
    const rows = await readActivity(this.#db, {
      from: new Date(from),
      to: new Date(to),
      minutes: QUARTER_MS / MINUTE_MS,
      vendorId: this.#vendorId,
    });
    const groups = Map.groupBy(rows, ({ begin }) => begin.getTime());
    for (let begin = from; begin < to; begin += QUARTER_MS) {
      this.#quarters.set(begin, { rows: groups.get(begin) ?? [], reading: this.#readings });
    }
  }
}
