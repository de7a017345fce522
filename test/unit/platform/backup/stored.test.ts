import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inParallel } from '../../../../src/platform/backup/stored.ts';

test('after a failure nothing more is begun, and what is under way ends first', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const items = Array.from({ length: 100 }, (_, index) => index);
  const work = async (item: number): Promise<void> => {
    begun.push(item);
    await setImmediate();
    if (item === 2) throw new Error('refused');
    await setImmediate();
    ended.push(item);
  };
  await expect(inParallel(items, work)).rejects.toThrow('refused');
  expect(ended).toEqual(begun.filter((item) => item !== 2));
  await setImmediate();
  expect(begun.length).toBeLessThan(10);
});
