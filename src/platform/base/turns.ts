import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, one caller per turn. Long work that awaits it between
 * slices delays others by one slice at most, however many callers there are.
 */
export async function nextTurn(): Promise<void> {
  const turn = last.then(async () => await setImmediate());
  last = turn;
  await turn;
}
