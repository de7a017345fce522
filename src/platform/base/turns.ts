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

let end: Promise<void> | undefined;

/**
 * Resolves when everything that had arrived in this turn of the event loop was read: for all callers of a turn
 * at once, so that they go on in succession (decision 41).
 */
export function endOfTurn(): Promise<void> {
  end ??= setImmediate().then(() => {
    end = undefined;
  });
  return end;
}
