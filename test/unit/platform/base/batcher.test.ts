import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createBatcher } from '../../../../src/platform/base/batcher.ts';
import type { Batcher, BatcherOptions, EndedBatch } from '../../../../src/platform/base/batcher.ts';

/** A batcher whose batches wait until the test releases them one by one, and their contents. */
function gated(given: Partial<BatcherOptions<number, number>> = {}): {
  batcher: Batcher<number, number>;
  batches: (readonly number[])[];
  release: () => void;
} {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const batcher = createBatcher<number, number>({
    name: 'test queue',
    maxBatch: 10,
    run: async (items) => {
      batches.push(items);
      await new Promise<void>((resolve) => gates.push(resolve));
      return items.map((item) => ({ value: item * 10 }));
    },
    ...given,
  });
  return { batcher, batches, release: () => gates.shift()?.() };
}

describe('a batcher', () => {
  test('starts at once, and takes what arrives meanwhile as the next batch', async () => {
    const { batcher, batches, release } = gated();
    const first = batcher.add(1);
    await vi.waitFor(() => expect(batches).toEqual([[1]]));
    const others = [batcher.add(2), batcher.add(3)];
    expect(batcher.waiting).toBe(2);
    release();
    expect(await first).toBe(10);
    await vi.waitFor(() => expect(batches).toEqual([[1], [2, 3]]));
    expect(batcher.waiting).toBe(0);
    release();
    expect(await Promise.all(others)).toEqual([20, 30]);
  });

  test('takes what is added in one turn of the event loop together', async () => {
    const { batcher, batches, release } = gated();
    const all = [1, 2, 3].map(async (item) => await batcher.add(item));
    await vi.waitFor(() => expect(batches).toEqual([[1, 2, 3]]));
    release();
    expect(await Promise.all(all)).toEqual([10, 20, 30]);
  });

  test('divides waiting items into batches of the maximum size, in order', async () => {
    const { batcher, batches, release } = gated({ maxBatch: 2 });
    const all = [1, 2, 3, 4, 5].map(async (item) => await batcher.add(item));
    for (const count of [1, 2, 3]) {
      await vi.waitFor(() => expect(batches).toHaveLength(count));
      release();
    }
    expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50]);
    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('gives each item its own result or error', async () => {
    const { batcher } = gated({
      run: async (items) =>
        items.map((item) => (item === 2 ? { error: new Error('not two') } : { value: item })),
    });
    const settled = await Promise.allSettled(
      [1, 2, 3].map(async (item) => await batcher.add(item)),
    );
    expect(settled).toMatchObject([{ value: 1 }, { reason: { message: 'not two' } }, { value: 3 }]);
  });

  test('fails the items of a batch that throws, or that has too few results', async () => {
    const throwing = gated({ run: async () => await Promise.reject(new Error('all of it')) });
    const failed = await Promise.allSettled([throwing.batcher.add(1), throwing.batcher.add(2)]);
    expect(failed).toMatchObject([
      { reason: { message: 'all of it' } },
      { reason: { message: 'all of it' } },
    ]);
    const forgetful = gated({ run: async () => [{ value: 1 }] });
    const answers = await Promise.allSettled([forgetful.batcher.add(1), forgetful.batcher.add(2)]);
    expect(answers).toMatchObject([
      { value: 1 },
      { reason: { message: 'test queue: no result for an item' } },
    ]);
  });

  test('continues after a failed batch', async () => {
    let calls = 0;
    const { batcher } = gated({
      run: async (items) => {
        calls += 1;
        if (calls === 1) throw new Error('the first');
        return items.map((value) => ({ value }));
      },
    });
    await expect(batcher.add(1)).rejects.toThrow('the first');
    expect(await batcher.add(2)).toBe(2);
  });

  test('a batcher is idle when no item waits or is in progress', async () => {
    const { batcher, batches, release } = gated();
    await batcher.idle();
    const answer = batcher.add(1);
    let idle = false;
    const becoming = batcher.idle().finally(() => {
      idle = true;
    });
    await vi.waitFor(() => expect(batches).toHaveLength(1));
    const second = batcher.add(2);
    release();
    await answer;
    await vi.waitFor(() => expect(batches).toHaveLength(2));
    expect(idle).toBe(false);
    release();
    await second;
    await becoming;
  });
});

test('what is postponed comes first in the next batch, in its order', async () => {
  const batches: (readonly number[])[] = [];
  const { batcher } = gated({
    maxBatch: 4,
    run: async (items) => {
      batches.push(items);
      await Promise.resolve();
      const isBusy = batches.length < 3;
      return items.map((item) =>
        isBusy && item % 2 === 0 ? { postponed: true } : { value: item * 10 },
      );
    },
  });
  const all = [1, 2, 3, 4, 5, 6].map(async (item) => await batcher.add(item));
  expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50, 60]);
  expect(batches).toEqual([
    [1, 2, 3, 4],
    [2, 4, 5, 6],
    [2, 4, 6],
  ]);
  expect(batcher.waiting).toBe(0);
  await batcher.idle();
});

describe('batches at once', () => {
  // Items are of the key that is their tens.
  const keyOf = (item: number): number => Math.floor(item / 10);

  test('begin when enough items of other keys wait, and pass over those whose key is in use', async () => {
    const atOnce = { maxRunning: 2, keyOf, minItems: 2, nowMs: () => 0 };
    const { batcher, batches, release } = gated({ atOnce });
    const all = [10, 11, 50].map(async (item) => await batcher.add(item));
    await vi.waitFor(() => expect(batches).toEqual([[10, 11, 50]]));
    for (const item of [12, 20, 13, 21, 30]) all.push(batcher.add(item));
    await vi.waitFor(() =>
      expect(batches).toEqual([
        [10, 11, 50],
        [20, 21, 30],
      ]),
    );
    expect(batcher.waiting).toBe(2);
    for (const item of [40, 22, 41]) all.push(batcher.add(item));
    await Promise.resolve();
    expect(batches).toHaveLength(2);
    release();
    await vi.waitFor(() => expect(batches.at(-1)).toEqual([12, 13, 40, 41]));
    release();
    await vi.waitFor(() => expect(batcher.waiting).toBe(1));
    // The next one waits until none is running, because it would have one item only.
    expect(batches).toHaveLength(3);
    release();
    await vi.waitFor(() => expect(batches.at(-1)).toEqual([22]));
    release();
    expect(await Promise.all(all)).toHaveLength(11);
    await batcher.idle();
  });

  test('divide keys among themselves if more waits than one can take', async () => {
    const atOnce = { maxRunning: 2, keyOf, minItems: 2, nowMs: () => 0 };
    const { batcher, batches, release } = gated({ atOnce, maxBatch: 4 });
    const all = [10, 20, 11, 21].map(async (item) => await batcher.add(item));
    await vi.waitFor(() => expect(batches).toEqual([[10, 20, 11, 21]]));
    for (const item of [12, 22, 13, 23, 14]) all.push(batcher.add(item));
    release();
    await vi.waitFor(() =>
      expect(batches.slice(1)).toEqual([
        [12, 13, 14],
        [22, 23],
      ]),
    );
    release();
    release();
    expect(await Promise.all(all)).toHaveLength(9);
  });

  test('begin with fewer items if the running ones are slow', async () => {
    let now = 0;
    const atOnce = { maxRunning: 2, keyOf, minItems: 10, nowMs: () => now };
    const { batcher, batches, release } = gated({ atOnce });
    const all = [batcher.add(10), batcher.add(50)];
    await vi.waitFor(() => expect(batches).toHaveLength(1));
    all.push(batcher.add(20));
    await Promise.resolve();
    expect(batches).toHaveLength(1);
    now = 1_000;
    all.push(batcher.add(11), batcher.add(30));
    await vi.waitFor(() =>
      expect(batches).toEqual([
        [10, 50],
        [20, 30],
      ]),
    );
    release();
    release();
    await vi.waitFor(() => expect(batches.at(-1)).toEqual([11]));
    release();
    expect(await Promise.all(all)).toEqual([100, 500, 200, 110, 300]);
  });

  test('begin at once beside items of a single key, which may be waiting for what others do not need', async () => {
    const atOnce = { maxRunning: 2, keyOf, minItems: 10, nowMs: () => 0 };
    const { batcher, batches, release } = gated({ atOnce });
    const all = [batcher.add(10), batcher.add(11)];
    await vi.waitFor(() => expect(batches).toEqual([[10, 11]]));
    all.push(batcher.add(12));
    await Promise.resolve();
    expect(batches).toHaveLength(1);
    all.push(batcher.add(20), batcher.add(30));
    await vi.waitFor(() => expect(batches.at(-1)).toEqual([20, 30]));
    all.push(batcher.add(40));
    await Promise.resolve();
    expect(batches).toHaveLength(2);
    release();
    release();
    await vi.waitFor(() => expect(batches.at(-1)).toEqual([12, 40]));
    release();
    expect(await Promise.all(all)).toHaveLength(6);
  });

  test('keep a key that has most of what waits apart from the others, whichever comes first', async () => {
    const atOnce = { maxRunning: 2, keyOf, minItems: 30, nowMs: () => 0 };
    const many = [10, 11, 12, 13, 14, 15, 16, 17];
    for (const first of [many[0], 20]) {
      const { batcher, batches, release } = gated({ atOnce, maxBatch: 20 });
      const items = [first ?? 0, ...[...many, 20, 30].filter((item) => item !== first)];
      const all = items.map(async (item) => await batcher.add(item));
      await vi.waitFor(() => expect(batches).toHaveLength(first === 20 ? 1 : 2));
      release();
      await vi.waitFor(() => expect(batches).toHaveLength(2));
      release();
      expect(await Promise.all(all)).toHaveLength(10);
      expect(batches.toSorted((one, other) => one.length - other.length)).toEqual([[20, 30], many]);
    }
  });

  test('have one key only if the first item was postponed too often, so that the others need not wait with it', async () => {
    const batches: (readonly number[])[] = [];
    const others: Promise<number>[] = [];
    const { batcher } = gated({
      atOnce: { maxRunning: 2, keyOf, minItems: 10, nowMs: () => 0 },
      run: async (items) => {
        batches.push(items);
        await Promise.resolve();
        const isAlone = items.every((item) => keyOf(item) === 1);
        // Somebody else always arrives, for as long as it matters.
        if (!isAlone && others.length < 50) others.push(batcher.add(20));
        return items.map((item) =>
          keyOf(item) === 1 && !isAlone ? { postponed: true } : { value: item },
        );
      },
    });
    others.push(batcher.add(20));
    const postponed = [10, 11].map(async (item) => await batcher.add(item));
    expect(await Promise.all(postponed)).toEqual([10, 11]);
    const before = others.length;
    await Promise.all(others);
    expect(before).toBeLessThan(20);
    expect(batches.filter((items) => items.includes(10)).slice(-2)).toEqual([
      [10, 11, 20],
      [10, 11],
    ]);
  });

  test('postpone items to their own place, so that the oldest is always in the next batch', async () => {
    const gates: (() => void)[] = [];
    const batches: (readonly number[])[] = [];
    const busy = new Set([20]);
    const { batcher } = gated({
      atOnce: { maxRunning: 2, keyOf, minItems: 1, nowMs: () => 0 },
      run: async (items) => {
        batches.push(items);
        await new Promise<void>((resolve) => gates.push(resolve));
        return items.map((item) => (busy.has(item) ? { postponed: true } : { value: item }));
      },
    });
    const all = [batcher.add(10)];
    await vi.waitFor(() => expect(batches).toEqual([[10]]));
    all.push(batcher.add(11), batcher.add(30), batcher.add(20));
    await vi.waitFor(() => expect(batches.at(-1)).toEqual([30, 20]));
    gates[1]?.();
    await all[2];
    busy.clear();
    await vi.waitFor(() => expect(batches.at(-1)).toEqual([20]));
    all.push(batcher.add(31));
    gates[0]?.();
    await vi.waitFor(() => expect(batches.at(-1)).toEqual([11, 31]));
    for (const open of gates) open();
    expect(await Promise.all(all)).toEqual([10, 11, 30, 20, 31]);
  });

  test('batches that run at once become idle together', async () => {
    const atOnce = { maxRunning: 2, keyOf, minItems: 1, nowMs: () => 0 };
    const { batcher, batches, release } = gated({ atOnce });
    const all = [batcher.add(10)];
    await vi.waitFor(() => expect(batches).toHaveLength(1));
    all.push(batcher.add(20));
    await vi.waitFor(() => expect(batches).toHaveLength(2));
    let idle = false;
    const becoming = batcher.idle().then(() => (idle = true));
    release();
    await all[0];
    expect(idle).toBe(false);
    release();
    await becoming;
    expect(await Promise.all(all)).toEqual([100, 200]);
  });

  test('never have a key twice, keep the order of each key, and lose nothing', async () => {
    const request = fc.record({ item: fc.integer({ min: 0, max: 49 }), after: fc.nat({ max: 3 }) });
    const limits = fc.record({
      maxRunning: fc.integer({ min: 1, max: 3 }),
      minItems: fc.integer({ min: 1, max: 4 }),
      maxBatch: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { maxLength: 60 }),
        limits,
        fc.scheduler(),
        async (requests, given, s) => {
          const running = new Set<readonly (readonly [number, number])[]>();
          const seen = new Map<number, number[]>();
          let postponements = 5;
          const batcher = createBatcher<readonly [number, number], number>({
            name: 'test queue',
            maxBatch: given.maxBatch,
            atOnce: { ...given, nowMs: () => 0, keyOf: ([item]) => keyOf(item) },
            run: async (items) => {
              const others = new Set([...running].flat().map(([item]) => keyOf(item)));
              expect(items.filter(([item]) => others.has(keyOf(item)))).toEqual([]);
              running.add(items);
              expect(running.size).toBeLessThanOrEqual(given.maxRunning);
              await s.schedule(Promise.resolve());
              running.delete(items);
              const first = keyOf(items[0]?.[0] ?? 0);
              const busy =
                postponements > 0
                  ? items.map(([item]) => keyOf(item)).find((key) => key !== first)
                  : undefined;
              postponements -= 1;
              return items.map(([item, turn]) => {
                if (keyOf(item) === busy) return { postponed: true };
                seen.set(keyOf(item), [...(seen.get(keyOf(item)) ?? []), turn]);
                return { value: turn };
              });
            },
          });
          const answers = s.scheduleSequence(
            requests.map(({ after }, turn) => async () => {
              for (let wait = 0; wait < after; wait += 1) await Promise.resolve();
              pending.push(batcher.add([requests[turn]?.item ?? 0, turn]));
            }),
          );
          const pending: Promise<number>[] = [];
          await s.waitIdle();
          await answers.task;
          expect(await Promise.all(pending)).toEqual(requests.map((_, turn) => turn));
          for (const turns of seen.values()) expect(turns).toEqual(turns.toSorted((a, b) => a - b));
          expect(batcher.waiting).toBe(0);
          await batcher.idle();
        },
      ),
    );
  });
});

test('a watched batcher tells how large each batch was, how long its oldest item waited, and what it took', async () => {
  let now = 0;
  const notes: EndedBatch[] = [];
  const watch = { nowMs: () => now, note: (batch: EndedBatch) => void notes.push(batch) };
  const { batcher, batches, release } = gated({ watch });
  const first = batcher.add(1);
  await vi.waitFor(() => expect(batches).toHaveLength(1));
  now = 10;
  const second = batcher.add(2);
  now = 15;
  const third = batcher.add(3);
  now = 40;
  release();
  await first;
  await vi.waitFor(() => expect(batches).toHaveLength(2));
  now = 100;
  release();
  await Promise.all([second, third]);
  await batcher.idle();
  expect(notes).toEqual([
    { rows: 1, waitedMs: 0, tookMs: 40 },
    { rows: 2, waitedMs: 30, tookMs: 60 },
  ]);
});
