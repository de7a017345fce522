import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, for one caller in each turn: long work that awaits it
 * between slices holds others up for one slice at most, however much of such work is under way.
 */
export async function nextTurn(): Promise<void> {
  const turn = last.then(async () => await setImmediate());
  last = turn;
  await turn;
}
