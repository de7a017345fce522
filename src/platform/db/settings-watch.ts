import type { PoolClient } from 'pg';
import { withinTransaction } from './pool.ts';
import type { Pool, Queryable } from './pool.ts';

/** Settings that every process holds in memory and that commands edit. */
export type SettingsTopic = 'vendors' | 'billers' | 'scorecards';

const CHANNEL = 'malipo_settings';

/** Marks a topic as changed; call it in the database transaction that changes the rows. */
export async function markChanged(client: Queryable, topic: SettingsTopic): Promise<void> {
  await client.query('update settings_versions set version = version + 1 where topic = $1', [
    topic,
  ]);
  // Only a hint that makes updates prompt: the version is authoritative and is polled.
  await client.query('select pg_notify($1, $2)', [CHANNEL, topic]);
}

/** Makes other changes of the topic wait until the caller's database transaction ends. */
export async function lockTopic(client: Queryable, topic: SettingsTopic): Promise<void> {
  await client.query('select from settings_versions where topic = $1 for update', [topic]);
}

/**
 * Runs `work`, which changes a topic's rows, and marks the topic, in one database transaction. The
 * mark comes first: it is one row, so changes of a topic wait for each other, and none reads rows
 * that another is about to write. If `work` throws, nothing is changed or marked.
 * @param db a pool, or the database transaction that this is a part of.
 */
export async function changeSettings<Result>(
  db: Queryable,
  topic: SettingsTopic,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await withinTransaction(db, async (client) => {
    await markChanged(client, topic);
    return await work(client);
  });
}

export interface SettingsWatch {
  /** Reloads what has changed, now. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

interface WatchOptions {
  readonly pool: Pool;
  readonly pollMs: number;
  readonly reload: Readonly<Record<SettingsTopic, () => Promise<void>>>;
  readonly onError: (error: Error) => void;
}

/**
 * Keeps in-memory settings up to date across processes. Reloads a topic when its version has
 * changed, after a notification or at the next poll at the latest. Loads every topic once before it
 * returns.
 */
export async function watchSettings(options: WatchOptions): Promise<SettingsWatch> {
  const seen = new Map<string, bigint>();
  let running: Promise<void> | undefined;
  let again = false;

  const checkOnce = async (): Promise<void> => {
    const versions = await options.pool.query<{ topic: SettingsTopic; version: bigint }>(
      'select topic, version from settings_versions',
    );
    for (const { topic, version } of versions.rows) {
      if (seen.get(topic) === version) continue;
      await options.reload[topic]();
      seen.set(topic, version);
    }
  };
  const check = async (): Promise<void> => {
    // A call during a check means that something may have changed after the check read it, so check
    // again.
    if (running !== undefined) {
      again = true;
      return await running;
    }
    running = (async () => {
      do {
        again = false;
        await checkOnce();
      } while (again);
    })();
    try {
      await running;
    } finally {
      running = undefined;
    }
  };
  const checkSafely = (): void => {
    check().catch((error: unknown) => options.onError(error as Error));
  };

  await check();
  const listener = listen(options, checkSafely);
  const timer = setInterval(() => {
    listener.ensure();
    checkSafely();
  }, options.pollMs);
  return {
    check,
    stop: async () => {
      clearInterval(timer);
      await listener.stop();
      // Its caller receives the error.
      await running?.catch(() => undefined);
    },
  };
}

function listen(options: WatchOptions, onHint: () => void) {
  let client: PoolClient | undefined;
  let connecting: Promise<void> | undefined;
  const drop = (error?: Error): void => {
    const dropped = client;
    client = undefined;
    dropped?.release(error ?? true);
  };
  const connect = async (): Promise<void> => {
    try {
      client = await options.pool.connect();
      client.on('notification', onHint);
      client.on('error', drop);
      await client.query(`listen ${CHANNEL}`);
      // Notifications sent before this connection listened were missed.
      onHint();
    } catch (error) {
      // The poll uses the same database and reports its errors; then this is tried again.
      drop(error as Error);
    }
  };
  const ensure = (): void => {
    if (client !== undefined || connecting !== undefined) return;
    connecting = connect().finally(() => {
      connecting = undefined;
    });
  };
  ensure();
  return {
    ensure,
    stop: async (): Promise<void> => {
      await connecting;
      drop();
    },
  };
}
