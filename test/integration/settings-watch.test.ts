import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Pool } from '../../src/platform/db/pool.ts';
import { changeSettings, watchSettings } from '../../src/platform/db/settings-watch.ts';
import type { SettingsTopic, SettingsWatch } from '../../src/platform/db/settings-watch.ts';
import { until } from '../support/dispatch-fixture.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';

// How a process learns that another one has changed settings that it holds in memory.

const NEVER_MS = 3_600_000;
const OFTEN_MS = 10;

const freshBooks = sharedBooks();
let books: Books;
let watches: SettingsWatch[] = [];
beforeEach(async () => {
  books = await freshBooks();
});
afterEach(async () => {
  await Promise.all(watches.map(async (watch) => await watch.stop()));
  watches = [];
  await books.close();
});

interface Watching {
  readonly watch: SettingsWatch;
  readonly reloads: Record<SettingsTopic, number>;
  readonly onError: ReturnType<typeof vi.fn<(error: Error) => void>>;
}

/** A process with its own pool, which counts its reloads. */
async function startWatch(
  pollMs: number,
  onReload: (topic: SettingsTopic) => Promise<void> = async () => undefined,
): Promise<Watching> {
  const reloads = { vendors: 0, billers: 0, scorecards: 0 };
  const onError = vi.fn<(error: Error) => void>();
  const reload = (topic: SettingsTopic) => async (): Promise<void> => {
    reloads[topic] += 1;
    await onReload(topic);
  };
  const watch = await watchSettings({
    pool: books.openPool({ max: 3, name: 'watching' }),
    pollMs,
    reload: {
      vendors: reload('vendors'),
      billers: reload('billers'),
      scorecards: reload('scorecards'),
    },
    onError,
  });
  watches.push(watch);
  return { watch, reloads, onError };
}

async function change(topic: SettingsTopic): Promise<void> {
  await changeSettings(books.pool, topic, async () => undefined);
}

/** Waits until this many processes listen for notifications. */
async function untilListening(count: number): Promise<void> {
  await until(async () => {
    const found = await books.pool.query(
      `select 1 from pg_stat_activity where datname = current_database()
       and application_name = 'malipo watching' and query like 'listen%'`,
    );
    expect(found.rowCount).toBe(count);
  });
}

describe('a change of settings', () => {
  test('every process sees a change of settings without waiting for a poll, and only its topic', async () => {
    const processes = [await startWatch(NEVER_MS), await startWatch(NEVER_MS)];
    for (const { reloads } of processes)
      expect(reloads).toEqual({ vendors: 1, billers: 1, scorecards: 1 });
    await untilListening(2);
    await change('billers');
    for (const { reloads } of processes) {
      await until(() => expect(reloads).toEqual({ vendors: 1, billers: 2, scorecards: 1 }));
    }
    await change('vendors');
    for (const { reloads } of processes) {
      await until(() => expect(reloads).toEqual({ vendors: 2, billers: 2, scorecards: 1 }));
    }
  });

  test('right after the start is also seen, before notifications reach the process', async () => {
    const gate = Promise.withResolvers<undefined>();
    const pool = books.openPool({ max: 3 });
    const slowToConnect = {
      query: pool.query.bind(pool),
      connect: async () => {
        await gate.promise;
        return await pool.connect();
      },
    };
    let reloads = 0;
    watches.push(
      await watchSettings({
        pool: slowToConnect as unknown as Pool,
        pollMs: NEVER_MS,
        reload: {
          vendors: async () => {
            reloads += 1;
          },
          billers: async () => undefined,
          scorecards: async () => undefined,
        },
        onError: () => undefined,
      }),
    );
    await change('vendors');
    gate.resolve(undefined);
    await until(() => expect(reloads).toBe(2));
  });

  test('the next poll finds a change when no notification comes', async () => {
    const { reloads } = await startWatch(OFTEN_MS);
    await untilListening(1);
    await books.pool.query(
      `update settings_versions set version = version + 1 where topic = 'vendors'`,
    );
    await until(() => expect(reloads).toEqual({ vendors: 2, billers: 1, scorecards: 1 }));
  });

  test('a change is noticed after the listening connection was lost, which is opened again', async () => {
    const { reloads } = await startWatch(OFTEN_MS);
    await untilListening(1);
    await books.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'malipo watching'
         and query like 'listen%'`,
    );
    await change('vendors');
    await until(() => expect(reloads.vendors).toBe(2));
    await untilListening(1);
  });

  test('a change during a reload is not lost', async () => {
    const gate = Promise.withResolvers<undefined>();
    const inside = Promise.withResolvers<undefined>();
    let calls = 0;
    const starting = startWatch(NEVER_MS, async (topic) => {
      if (topic !== 'vendors') return;
      calls += 1;
      if (calls !== 2) return;
      inside.resolve(undefined);
      await gate.promise;
    });
    const { watch, reloads } = await starting;
    await change('vendors');
    const checking = watch.check();
    await inside.promise;
    await change('vendors');
    const again = watch.check();
    gate.resolve(undefined);
    await Promise.all([checking, again]);
    expect(reloads.vendors).toBe(3);
  });

  test('a change that was rolled back has no effect', async () => {
    const { watch, reloads } = await startWatch(NEVER_MS);
    await expect(
      changeSettings(books.pool, 'vendors', async () => await Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    await watch.check();
    expect(reloads).toEqual({ vendors: 1, billers: 1, scorecards: 1 });
  });
});

describe('a reload that fails', () => {
  test('a failed reload is logged, and repeated by the next poll', async () => {
    let broken = false;
    const { reloads, onError } = await startWatch(OFTEN_MS, async () => {
      if (broken) throw new Error('not now');
    });
    broken = true;
    await change('vendors');
    await until(() => expect(onError.mock.calls.length).toBeGreaterThan(1));
    expect(onError.mock.calls[0]?.[0]?.message).toBe('not now');
    broken = false;
    const failed = reloads.vendors;
    await until(() => expect(reloads.vendors).toBeGreaterThan(failed));
    const total = reloads.vendors;
    await change('billers');
    await until(() => expect(reloads.billers).toBe(2));
    expect(reloads.vendors).toBe(total);
  });
});
