import { expect, test } from 'vitest';
import { endServerProcess } from '../../../../src/platform/db/lost-call.ts';
import type { Queryable } from '../../../../src/platform/db/pool.ts';

function answering(answer: () => { readonly ended: boolean }[]): Queryable {
  const query = async () => await Promise.resolve({ rows: answer() });
  return { query } as unknown as Queryable;
}

test('a process that has not ended yet is not taken for ended', async () => {
  expect(
    await endServerProcess(
      answering(() => [{ ended: false }]),
      7,
    ),
  ).toBe(false);
  expect(
    await endServerProcess(
      answering(() => [{ ended: true }]),
      7,
    ),
  ).toBe(true);
});

test('a process that is not there, or that the role may not end, is not waited for', async () => {
  expect(
    await endServerProcess(
      answering(() => []),
      7,
    ),
  ).toBe(true);
  const refused = Object.assign(new Error('permission denied'), { code: '42501' });
  const db = answering(() => {
    throw refused;
  });
  expect(await endServerProcess(db, 7)).toBe(true);
});

test('another error is the caller’s', async () => {
  const db = answering(() => {
    throw new Error('Connection terminated');
  });
  await expect(endServerProcess(db, 7)).rejects.toThrow('Connection terminated');
});
