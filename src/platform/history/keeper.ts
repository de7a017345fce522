import type { Logger } from 'pino';
import type { Pool, Queryable } from '../db/pool.ts';
import { startPeriodicJob } from '../jobs/periodic-job.ts';
import type { PeriodicJob } from '../jobs/periodic-job.ts';
import type { Storage } from '../storage/storage.ts';
import { findChange } from './decide.ts';
import type { Beat, HistoryChange } from './decide.ts';
import { beat, beginEpoch, beginHistory, isStandby, readHistory, readServer } from './store.ts';
import type { Server, StoredHistory } from './store.ts';
import { readWitness, writeWitness } from './witness.ts';

const BEAT_EVERY_MS = 10_000;

/**
 * Acts on a change, in one commit with `begin`, which makes the server the known one. If `begin`
 * returns false, another process has acted on it.
 */
export type OnChange = (
  change: HistoryChange,
  begin: (client: Queryable) => Promise<boolean>,
) => Promise<void>;

export interface KeeperOptions {
  /** Places outside the database, which a restore of it does not take back. */
  readonly witnesses: readonly Storage[];
  readonly onChange: OnChange;
  readonly log: Logger;
}

/** Watches over the history of the database that a process uses. */
export interface Keeper {
  /** Compares, acts on a change, and records that the database is in use. */
  check(pool: Pool): Promise<void>;
  /**
   * For every new connection, before anybody uses it: refuses the connection while a change has not
   * been acted on. A restored or promoted server is met by new connections only.
   */
  readonly verify: (client: Queryable) => Promise<void>;
  /** Checks every ten seconds. */
  start(pool: Pool): void;
  stop(): Promise<void>;
}

export function createKeeper({ witnesses, onChange, log }: KeeperOptions): Keeper {
  const memory = new Memory(new Witnesses(witnesses, log), onChange, log);
  let job: PeriodicJob | undefined;
  let poolInUse: Pool | undefined;
  return {
    check: async (pool) => await memory.check(pool),
    verify: async (client) => {
      if (await memory.isKnown(client)) return;
      job?.hurry();
      throw unusable('the database was restored or replaced');
    },
    start: (pool) => {
      poolInUse = pool;
      job = startPeriodicJob({
        everyMs: BEAT_EVERY_MS,
        work: async () => await memory.check(pool),
        failureText: 'the history of the database was not checked',
        log,
      });
    },
    stop: async () => {
      await job?.stop();
      // What was done until now is known to have been done.
      if (poolInUse !== undefined) await memory.check(poolInUse).catch(() => undefined);
      await memory.close();
    },
  };
}

/** What this process knows about the history of its database. */
class Memory {
  readonly #witnesses: Witnesses;
  readonly #onChange: OnChange;
  readonly #log: Logger;
  #installationId: string | undefined;
  #last: Beat | undefined;

  constructor(witnesses: Witnesses, onChange: OnChange, log: Logger) {
    this.#witnesses = witnesses;
    this.#onChange = onChange;
    this.#log = log;
  }

  async check(pool: Pool): Promise<void> {
    // Again if another process began an epoch meanwhile.
    for (let tries = 0; tries < 5; tries += 1) if (await this.#checkOnce(pool)) return;
    throw new Error('the history of the database changes all the time');
  }

  /** True if the connection leads to the database as this process knows it. */
  async isKnown(client: Queryable): Promise<boolean> {
    if (this.#last === undefined) return true;
    if (await isStandby(client)) throw unusable('the database server is a standby');
    const server = await readServer(client);
    const record = await readHistory(client);
    if (record === undefined) throw unusable('the database lacks its history');
    this.#requireSame(record);
    return findChange(record, server, [this.#last]) === undefined;
  }

  async close(): Promise<void> {
    await this.#witnesses.close();
  }

  async #checkOnce(pool: Pool): Promise<boolean> {
    const server = await readServer(pool);
    const record = await readOrBegin(pool, server);
    this.#requireSame(record);
    await this.#witnesses.read(record.installationId);
    const known = [...this.#witnesses.found, ...(this.#last === undefined ? [] : [this.#last])];
    const change = findChange(record, server, known);
    if (change !== undefined) {
      this.#log.error({ what: change.what }, 'the database was restored or replaced');
      let begun = false;
      await this.#onChange(change, async (client) => {
        begun = await beginEpoch(client, record, server, change);
        return begun;
      });
      // Another process has acted on it, and may not know of everything that this one had seen.
      if (!begun) return false;
      this.#last = undefined;
      this.#witnesses.forget();
    }
    const { epoch } = change ?? record;
    const counted = await beat(pool, epoch, server);
    if (counted === undefined) return false;
    this.#last = { epoch, ...counted };
    this.#witnesses.forget();
    await this.#witnesses.write(record.installationId, this.#last);
    return true;
  }

  #requireSame(record: StoredHistory): void {
    this.#installationId ??= record.installationId;
    if (this.#installationId === record.installationId) return;
    throw unusable('the database is that of another installation; restart the service');
  }
}

/** Acts on a change that the database itself shows, and records nothing else. */
export async function inspectHistory(pool: Pool, onChange: OnChange): Promise<void> {
  const record = await readHistory(pool);
  if (record === undefined) return;
  const server = await readServer(pool);
  const change = findChange(record, server, []);
  if (change === undefined) return;
  await onChange(change, async (client) => await beginEpoch(client, record, server, change));
}

async function readOrBegin(pool: Pool, server: Server): Promise<StoredHistory> {
  const record = await readHistory(pool);
  if (record !== undefined) return record;
  await beginHistory(pool, server);
  const begun = await readHistory(pool);
  if (begun === undefined) throw new Error('the history of the database did not begin');
  return begun;
}

/** Callers treat it like a server that accepts no connections at present. */
function unusable(problem: string): Error {
  return Object.assign(new Error(problem), { code: '57P03' });
}

/** A place that cannot be reached is tried again, and never overwritten before it was read. */
class Witnesses {
  readonly #unread: Set<Storage>;
  readonly #failing = new Set<Storage>();
  readonly #log: Logger;
  readonly #places: readonly Storage[];
  #found: Beat[] = [];

  constructor(places: readonly Storage[], log: Logger) {
    this.#places = places;
    this.#unread = new Set(places);
    this.#log = log;
  }

  get found(): readonly Beat[] {
    return this.#found;
  }

  async read(installationId: string): Promise<void> {
    for (const storage of this.#unread) {
      await this.#try(storage, async () => {
        const found = await readWitness(storage, installationId);
        if (found !== undefined) this.#found.push(found);
        this.#unread.delete(storage);
      });
    }
  }

  async write(installationId: string, last: Beat): Promise<void> {
    for (const storage of this.#places) {
      if (this.#unread.has(storage)) continue;
      await this.#try(storage, async () => await writeWitness(storage, installationId, last));
    }
  }

  forget(): void {
    this.#found = [];
  }

  async close(): Promise<void> {
    await Promise.all(this.#places.map(async (storage) => await storage.close()));
  }

  async #try(storage: Storage, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing.delete(storage);
    } catch (error) {
      if (this.#failing.has(storage)) return;
      this.#failing.add(storage);
      const where = { err: error, place: storage.place };
      this.#log.warn(where, 'the position of the database cannot be kept here');
    }
  }
}
