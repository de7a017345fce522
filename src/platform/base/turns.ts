import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();
let end: Promise<void> | undefined;

/**
 * Resolves in a later turn of the event loop, one caller per turn. Long work that awaits it between
 * slices delays others by one slice at most, however many callers there are.
 */
export async function nextTurn(): Promise<void> {
  const turn = last.then(async () => {
    await setImmediate();
    // Whoever waits for the end of this turn goes first; otherwise it would be delayed by two slices.
    await end;
  });
  last = turn;
  await turn;
}

/**
 * Resolves when what arrived in this turn of the event loop has been read: for all callers of a turn at once,
 * so that they go on in succession (decision 41).
 */
export function endOfTurn(): Promise<void> {
  end ??= setImmediate().then(() => {
    end = undefined;
  });
  return end;
}
