import { expect, test } from 'vitest';
import { LIMITS } from '../../../../src/platform/base/limits.ts';
import { createLongReads } from '../../../../src/platform/base/long-reads.ts';
import type { LongReader } from '../../../../src/platform/base/long-reads.ts';
import { ReadingNames } from '../../../../src/platform/base/reading-names.ts';
import { manualTimers } from '../../../support/manual-timers.ts';

/** Reads that run until they are ended, by their names. */
function createReads(atOnce: number, reading = new ReadingNames()) {
  const reads = createLongReads(atOnce, { reading });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const asked = new Map<string, Promise<void>>();
  return {
    started,
    ask: (name: string, read: string, reader: Partial<LongReader> = {}): Promise<void> => {
      const result = reads({ name, isClosed: () => false, ...reader }, async () => {
        started.push(read);
        await new Promise<void>((end) => ends.set(read, end));
      });
      asked.set(read, result);
      return result;
    },
    end: async (read: string): Promise<void> => {
      ends.get(read)?.();
      await asked.get(read);
      await Promise.resolve();
    },
  };
}

test('long reads are limited, one of each name, and nobody waits for another’s queue', async () => {
  const { ask, end, started } = createReads(2);
  void ask('asha', 'a1');
  void ask('asha', 'a2');
  void ask('baraka', 'b1');
  void ask('chege', 'c1');
  await Promise.resolve();
  expect(started).toEqual(['a1', 'b1']);
  await end('b1');
  expect(started).toEqual(['a1', 'b1', 'c1']);
  await end('a1');
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
  await end('a2');
  await end('c1');
});

test('names take turns, however many reads one has', async () => {
  const { ask, end, started } = createReads(1);
  for (const read of ['a1', 'a2', 'a3', 'a4']) void ask('asha', read);
  void ask('baraka', 'b1');
  void ask('baraka', 'b2');
  void ask('chege', 'c1');
  await Promise.resolve();
  for (const read of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) {
    expect(started.at(-1)).toBe(read);
    await end(read);
  }
});

test('few reads of a name wait; more are refused, except those of an answer that has begun', async () => {
  const { ask, end, started } = createReads(1);
  void ask('asha', 'first');
  for (let count = 0; count < LIMITS.longReadsWaiting; count += 1) void ask('asha', `a${count}`);
  await expect(ask('asha', 'refused')).rejects.toMatchObject({
    code: 'too_many_requests',
    retryAfterSeconds: 1,
  });
  void ask('asha', 'continued', { isNeverRefused: true });
  void ask('baraka', 'b1');
  await end('first');
  await end('a0');
  expect(started).toEqual(['first', 'a0', 'b1']);
  await end('b1');
  for (let count = 1; count < LIMITS.longReadsWaiting; count += 1) await end(`a${count}`);
  expect(started.at(-1)).toBe('continued');
  await end('continued');
});

test('a read whose connection has ended is dropped, and takes nobody’s place', async () => {
  const { ask, end, started } = createReads(1);
  let isClosed = false;
  void ask('asha', 'a1');
  const names = ['baraka', ...Array.from({ length: LIMITS.longReadsWaiting }, () => 'asha')];
  const dropped = Promise.allSettled(
    names.map((name, index) => ask(name, `dropped ${index}`, { isClosed: () => isClosed })),
  );
  await Promise.resolve();
  isClosed = true;
  void ask('asha', 'a2');
  await end('a1');
  await end('a2');
  expect(started).toEqual(['a1', 'a2']);
  for (const result of await dropped) {
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'overloaded' } });
  }
});

test('failed reads make room for the next', async () => {
  const reads = createLongReads(1);
  const reader = { name: 'asha', isClosed: () => false };
  const failed = reads(reader, () => Promise.reject(new Error('away')));
  const next = reads(reader, async () => 'read');
  await expect(failed).rejects.toThrow('away');
  expect(await next).toBe('read');
});

test('a name reads in one of several places at a time, which take turns', async () => {
  const reading = new ReadingNames();
  const people = createReads(2, reading);
  const programs = createReads(2, reading);
  for (const read of ['a1', 'a2']) void people.ask('asha', read);
  void programs.ask('asha', 'a3');
  void programs.ask('baraka', 'b1');
  await Promise.resolve();
  expect([people.started, programs.started]).toEqual([['a1'], ['b1']]);
  await people.end('a1');
  expect([people.started, programs.started]).toEqual([['a1'], ['b1', 'a3']]);
  await programs.end('a3');
  expect(people.started).toEqual(['a1', 'a2']);
  await people.end('a2');
  await programs.end('b1');
});

test('a name that waits in three places reads in each of them, however much waits in the others', async () => {
  const reading = new ReadingNames();
  const [files, programs, people] = [1, 2, 3].map(() => createReads(2, reading));
  for (const read of ['f1', 'f2', 'f3']) void files?.ask('asha', read);
  for (const read of ['p1', 'p2', 'p3']) void programs?.ask('asha', read);
  void people?.ask('asha', 'a1');
  await Promise.resolve();
  await files?.end('f1');
  await programs?.end('p1');
  expect(people?.started).toEqual(['a1']);
  await people?.end('a1');
  for (const read of ['f2', 'f3']) {
    await files?.end(read);
    await programs?.end(read.replace('f', 'p'));
  }
  expect([files?.started, programs?.started]).toEqual([
    ['f1', 'f2', 'f3'],
    ['p1', 'p2', 'p3'],
  ]);
});

test('while payments are created, a name that has read for long reads a fifth of the time, and others do not wait', async () => {
  const timers = manualTimers();
  let creates = 0;
  const { ask, end, started } = createReads(1, new ReadingNames(() => creates, timers));
  const pass = async (ms: number): Promise<void> => {
    timers.pass(ms);
    await Promise.resolve();
  };
  const read = async (name: string, ms: number): Promise<void> => {
    creates += 1;
    await pass(ms);
    await end(name);
  };
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void ask('asha', name);
  // As many reads as a page has, without a rest.
  await read('a1', 50);
  await read('a2', 50);
  expect(started).toEqual(['a1', 'a2', 'a3']);
  await read('a3', 50);
  void ask('baraka', 'b1');
  await pass(0);
  expect(started.slice(3)).toEqual(['b1']);
  await end('b1');
  await pass(99);
  expect(started).toHaveLength(4);
  await pass(1);
  expect(started.slice(4)).toEqual(['a4']);
  // However long a read takes, its name rests for half a second at most.
  await read('a4', 60_000);
  await pass(499);
  expect(started).toHaveLength(5);
  await pass(1);
  expect(started.slice(5)).toEqual(['a5']);
  await end('a5');
});

test('what a name has read is forgotten after a while', async () => {
  const timers = manualTimers();
  let creates = 0;
  const { ask, end, started } = createReads(1, new ReadingNames(() => creates, timers));
  for (const name of ['a1', 'a2', 'a3']) {
    void ask('asha', name);
    await Promise.resolve();
    creates += 1;
    timers.pass(120);
    await end(name);
    timers.pass(1_000);
    await Promise.resolve();
  }
  expect(started).toEqual(['a1', 'a2', 'a3']);
  void ask('asha', 'a4');
  await Promise.resolve();
  expect(started).toHaveLength(4);
  await end('a4');
});

test('while nothing is created, no name rests', async () => {
  const timers = manualTimers();
  const { ask, end, started } = createReads(1, new ReadingNames(() => 7, timers));
  for (const read of ['a1', 'a2']) void ask('asha', read);
  await Promise.resolve();
  timers.pass(40);
  await end('a1');
  expect(started).toEqual(['a1', 'a2']);
  await end('a2');
});
