import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { endOfTurn, inTurns, nextTurn } from '../../../../src/platform/base/turns.ts';

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
  const later = endOfTurn();
  expect(later).not.toBe(earlier);
  await later;
});

test('the next slice of long work begins after those who wait for the end of the turn', async () => {
  const events: string[] = [];
  const slice = nextTurn().then(() => events.push('slice'));
  await afterMicrotasks();
  const other = endOfTurn().then(() => events.push('other'));
  await Promise.all([slice, other]);
  expect(events).toEqual(['other', 'slice']);
});

test('many items are handled in slices, and others have their turn between them', async () => {
  const events: string[] = [];
  const other = async (): Promise<void> => {
    for (const name of ['one', 'two', 'three']) {
      await setImmediate();
      events.push(name);
    }
  };
  const others = other();
  for await (const slice of inTurns([1, 2, 3, 4, 5], 2)) events.push(slice.join(' '));
  await others;
  expect(events).toEqual(['1 2', 'one', '3 4', 'two', '5', 'three']);
});
