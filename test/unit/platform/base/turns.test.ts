import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { endOfTurn } from '../../../../src/platform/base/turns.ts';

const afterMicrotasks = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

test('all who wait in one turn go on together, step by step', async () => {
  const events: string[] = [];
  const goOn = async (name: string): Promise<void> => {
    await endOfTurn();
    events.push(`${name}, first step`);
    await Promise.resolve();
    events.push(`${name}, second step`);
  };
  const first = goOn('one');
  await afterMicrotasks();
  const second = goOn('other');
  await afterMicrotasks();
  expect(events).toEqual([]);
  await Promise.all([first, second]);
  expect(events).toEqual([
    ...['one, first step', 'other, first step'],
    ...['one, second step', 'other, second step'],
  ]);
});

test('each turn has an end of its own', async () => {
  const earlier = endOfTurn();
  await earlier;
  await setImmediate();
  expect(endOfTurn()).not.toBe(earlier);
});
