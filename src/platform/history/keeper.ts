import type { Logger } from 'pino';
import { newId } from '../base/ids.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import { startPeriodicJob } from '../jobs/periodic-job.ts';
import type { PeriodicJob } from '../jobs/periodic-job.ts';
import type { Storage } from '../storage/storage.ts';
import { findChange, lostAfter, mayBeComplete, wasReplaced } from './compare-history.ts';
import type { Beat, HistoryChange, ServerIdentity } from './compare-history.ts';
import { listAbsent, listConfirmed, removeProcess } from './processes-store.ts';
import { beat, beginEpoch, beginHistory, isStandby, readHistory, readServer } from './store.ts';
import type { ProcessKey, Server, StoredHistory } from './store.ts';
import { readWitness, writeWitness } from './witness.ts';

const BEAT_EVERY_MS = 10_000;

/** After a change, connections may lead to the former primary for a while, and commit there. */
const WARY_CHECKS = 6;

/**
 * Acts on a change, in one commit with `begin`, which makes the server the known one. If `begin`
 * returns false, another process has acted on it.
 */
export type OnChange = (
  change: HistoryChange,
  begin: (client: Queryable) => Promise<boolean>,
) => Promise<void>;

/**
 * Acts on the confirmation that a change lost nothing. In its commit it asks `whoConfirmed`: the names
 * of the processes that have confirmed it, or undefined if that is not enough.
 */
export type OnConfirmed = (
  whoConfirmed: (client: Queryable) => Promise<readonly string[] | undefined>,
) => Promise<void>;

/** Work that this process committed and then acknowledged to others, or sent. */
export interface Acknowledged {
  /** Everything noted so far and not forgotten. */
  until(): {
    /** Resolves to true if the database lacks any of this work. */
    areMissing(db: Queryable): Promise<boolean>;
    /** A later commit is known to be there, so all of this is. */
    forget(): void;
  };
}

export interface KeeperOptions {
  /** Names this process for people. */
  readonly processName: string;
  readonly acknowledged: Acknowledged;
  /** Places outside the database, which a restore of it does not take back. */
  readonly witnesses: readonly Storage[];
  readonly onChange: OnChange;
  readonly onConfirmed: OnConfirmed;
  readonly log: Logger;
}

/**
 * The restores and replacements of the database that this process has found by what it remembers. Each
 * one is logged as an error.
 */
export interface Restores {
  count(): number;
  /** Looks for one now. */
  check(): Promise<void>;
}

/** Watches over the history of the database that a process uses. */
export interface Keeper {
  /** Compares, acts on a change, and records that the database is in use. */
  check(pool: Pool): Promise<void>;
  /**
   * Called with every new connection before anybody uses it: refuses the connection while a change has
   * not been acted on. A restored or promoted server is met by new connections only.
   */
  readonly verify: (client: Queryable) => Promise<void>;
  /** Checks every ten seconds. */
  start(pool: Pool): void;
  readonly restores: Restores;
  /** When the state was last recorded outside the database, by `performance.now()`; undefined: never. */
  recordedAtMs(): number | undefined;
  stop(): Promise<void>;
}

export function createKeeper(options: KeeperOptions): Keeper {
  const { log } = options;
  const memory = new Memory(options);
  let job: PeriodicJob | undefined;
  let poolInUse: Pool | undefined;
  return {
    check: async (pool) => await memory.check(pool),
    verify: async (client) => {
      const found = await memory.compare(client);
      if (found !== 'same') job?.hurry();
      if (found === 'changed') throw unusable('the database was restored or replaced');
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
    restores: {
      count: () => memory.restores,
      check: async () => {
        if (poolInUse !== undefined) await memory.check(poolInUse);
      },
    },
    recordedAtMs: () => memory.recordedAtMs,
    stop: async () => {
      await job?.stop();
      // What was done until now is known to have been done.
      if (poolInUse !== undefined) await memory.leave(poolInUse).catch(() => undefined);
      await memory.close();
    },
  };
}

/** The last state of the database's history that this process saw. */
class Memory {
  readonly #options: KeeperOptions;
  readonly #process: ProcessKey;
  readonly #witnesses: Witnesses;
  #installationId: string | undefined;
  #last: (Beat & ServerIdentity) | undefined;
  #restores = 0;
  /** One check at a time. */
  #checking: Promise<void> = Promise.resolve();
  /** The last epoch about whose beginning nothing is open, and the last one that the log mentions. */
  #confirmedEpoch = -1;
  #toldEpoch = -1;
  /** Number of further checks that verify the work which this process acknowledged. */
  #wary = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#process = { processId: newId(), name: options.processName };
    this.#witnesses = new Witnesses(options.witnesses, options.log);
  }

  get restores(): number {
    return this.#restores;
  }

  get recordedAtMs(): number | undefined {
    return this.#witnesses.recordedAtMs;
  }

  async check(pool: Pool): Promise<void> {
    const checking = this.#checking.then(async () => await this.#checkUntilDone(pool));
    this.#checking = checking.catch(() => undefined);
    await checking;
  }

  async #checkUntilDone(pool: Pool): Promise<void> {
    // Again if another process began an epoch meanwhile.
    for (let tries = 0; tries < 5; tries += 1) if (await this.#checkOnce(pool)) return;
    throw new Error('the history of the database changes all the time');
  }

  /**
   * Compares the connection's database with the one that this process knows. `ahead`: another process
   * has acted on a change.
   */
  async compare(client: Queryable): Promise<'same' | 'ahead' | 'changed'> {
    // Before the record, which a check at the same time moves on.
    const last = this.#last;
    if (last === undefined) return 'same';
    if (await isStandby(client)) throw unusable('the database server is a standby');
    const server = await readServer(client);
    const record = await readHistory(client);
    if (record === undefined) throw unusable('the database lacks its history');
    this.#requireSame(record);
    if (findChange(record, server, [last]) !== undefined) return 'changed';
    return record.epoch === last.epoch ? 'same' : 'ahead';
  }

  /** Checks a last time and leaves the list, so that no other process waits for this one. */
  async leave(pool: Pool): Promise<void> {
    await this.check(pool);
    await removeProcess(pool, this.#process.processId);
  }

  async close(): Promise<void> {
    await this.#witnesses.close();
  }

  async #checkOnce(pool: Pool): Promise<boolean> {
    // In this order. Other processes go on meanwhile, and write to the database before the witnesses:
    // what is read later may know of more, but not of less.
    await this.#witnesses.read((await this.#readRecord(pool)).installationId);
    const record = await this.#readRecord(pool);
    const server = await readServer(pool);
    const noted = this.#options.acknowledged.until();
    const change = await this.#findChange(pool, { server, record, noted });
    if (change !== undefined && !(await this.#act(change, record, server))) return false;
    const { epoch } = change ?? record;
    const counted = await beat(pool, epoch, server, this.#process);
    if (counted === undefined) return false;
    this.#noteRestore(change, record, server);
    const { systemIdentifier, timeline } = server;
    this.#last = { epoch, ...counted, systemIdentifier, timeline };
    noted.forget();
    this.#wary -= 1;
    this.#witnesses.forget();
    await this.#witnesses.write(record.installationId, this.#last);
    if (change?.seemsComplete ?? record.seemedComplete) await this.#confirm(pool, epoch);
    return true;
  }

  async #findChange(
    pool: Pool,
    by: {
      readonly server: Server;
      readonly record: StoredHistory;
      readonly noted: Pick<ReturnType<Acknowledged['until']>, 'areMissing'>;
    },
  ): Promise<HistoryChange | undefined> {
    const { server, record, noted } = by;
    const last = this.#last;
    const known = [...this.#witnesses.found];
    if (last !== undefined) {
      known.push(last);
      const isNew = last.epoch !== record.epoch || findChange(record, server, known) !== undefined;
      if (isNew) this.#wary = WARY_CHECKS;
      if (this.#wary > 0 && (await noted.areMissing(pool))) known.push(lostAfter(last));
    }
    const change = findChange(record, server, known);
    return change && { ...change, seemsComplete: change.seemsComplete && (await areAllHere(pool)) };
  }

  /** Counts it, if this process had used the database before. */
  #noteRestore(change: HistoryChange | undefined, record: StoredHistory, server: Server): void {
    const last = this.#last;
    if (last === undefined) return;
    const isFound = change !== undefined;
    if (!isFound && !wasReplaced(last, record, server)) return;
    this.#restores += 1;
    if (isFound) return;
    this.#options.log.error(
      { epoch: record.epoch },
      'the database was restored or replaced, as another process has noticed',
    );
  }

  /** False if another process has acted on it, which may not know of everything that this one had seen. */
  async #act(change: HistoryChange, record: StoredHistory, server: Server): Promise<boolean> {
    const { onChange, log } = this.#options;
    log.error({ what: change.what }, 'the database was restored or replaced');
    let begun = false;
    await onChange(change, async (client) => {
      begun = await beginEpoch(client, record, server, change);
      return begun;
    });
    return begun;
  }

  /** Nothing seemed to be lost when the epoch began. It is certain when every process says so. */
  async #confirm(pool: Pool, epoch: number): Promise<void> {
    if (this.#confirmedEpoch === epoch) return;
    const { onConfirmed, log } = this.#options;
    const absent = await listAbsent(pool);
    if (absent.length === 0) {
      await onConfirmed(whoConfirmed);
      this.#confirmedEpoch = epoch;
    } else if (this.#toldEpoch !== epoch) {
      this.#toldEpoch = epoch;
      const names = absent.map(({ name }) => name);
      log.warn({ processes: names }, 'processes have not confirmed that the database is complete');
    }
  }

  async #readRecord(pool: Pool): Promise<StoredHistory> {
    const record = await readOrBegin(pool);
    this.#requireSame(record);
    return record;
  }

  #requireSame(record: StoredHistory): void {
    this.#installationId ??= record.installationId;
    if (this.#installationId === record.installationId) return;
    throw unusable('the database is that of another installation; restart the service');
  }
}

/** A second change, before all processes have confirmed the first one, hides what that one lost. */
async function areAllHere(db: Queryable): Promise<boolean> {
  return (await listAbsent(db)).length === 0;
}

/** At least one process must have lived through the change, and none of them may be absent. */
async function whoConfirmed(client: Queryable): Promise<readonly string[] | undefined> {
  if (!(await areAllHere(client))) return undefined;
  const confirmed = await listConfirmed(client);
  return confirmed.length === 0 ? undefined : confirmed.map(({ name }) => name);
}

/**
 * Acts on a change that the database itself shows, and records nothing else. A promotion that may have
 * lost nothing is left to the service, whose processes know more.
 */
export async function inspectHistory(pool: Pool, onChange: OnChange): Promise<void> {
  const record = await readHistory(pool);
  if (record === undefined) return;
  const server = await readServer(pool);
  const change = findChange(record, server, []);
  if (change === undefined || mayBeComplete(record, server)) return;
  await onChange(change, async (client) => await beginEpoch(client, record, server, change));
}

async function readOrBegin(pool: Pool): Promise<StoredHistory> {
  const record = await readHistory(pool);
  if (record !== undefined) return record;
  await beginHistory(pool, await readServer(pool));
  const begun = await readHistory(pool);
  if (begun === undefined) throw new Error('the history of the database did not begin');
  return begun;
}

/** Callers treat it like a server that accepts no connections at present. */
function unusable(problem: string): Error {
  return Object.assign(new Error(problem), { code: '57P03' });
}

/** A witness that cannot be reached is tried again, and never overwritten before it was read. */
class Witnesses {
  readonly #unread: Set<Storage>;
  readonly #failing = new Set<Storage>();
  readonly #log: Logger;
  readonly #places: readonly Storage[];
  #found: Beat[] = [];
  #recordedAtMs: number | undefined;

  constructor(places: readonly Storage[], log: Logger) {
    this.#places = places;
    this.#unread = new Set(places);
    this.#log = log;
  }

  get recordedAtMs(): number | undefined {
    return this.#recordedAtMs;
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
      await this.#try(storage, async () => {
        await writeWitness(storage, installationId, last);
        this.#recordedAtMs = performance.now();
      });
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
      this.#log.warn(where, 'the state of the database cannot be recorded here');
    }
  }
}
