import { expect, test } from 'vitest';
import { createLongReads } from '../../../../src/platform/base/long-reads.ts';

test('long reads are limited, one of each person, and nobody waits for another’s queue', async () => {
  const reads = createLongReads(2);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (personId: string, name: string): Promise<void> =>
    reads(personId, async () => {
      started.push(name);
      await new Promise<void>((end) => ends.set(name, end));
    });
  const asked = [ask('asha', 'a1'), ask('asha', 'a2'), ask('baraka', 'b1'), ask('chege', 'c1')];
  const end = async (name: string, index: number): Promise<void> => {
    ends.get(name)?.();
    await asked[index];
  };
  await Promise.resolve();
  expect(started).toEqual(['a1', 'b1']);
  await end('b1', 2);
  await Promise.resolve();
  expect(started).toEqual(['a1', 'b1', 'c1']);
  await end('a1', 0);
  await Promise.resolve();
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
  await end('a2', 1);
  await end('c1', 3);
});

test('a read that fails makes room for the next', async () => {
  const reads = createLongReads(1);
  const failed = reads('asha', () => Promise.reject(new Error('away')));
  const next = reads('asha', async () => 'read');
  await expect(failed).rejects.toThrow('away');
  expect(await next).toBe('read');
});
