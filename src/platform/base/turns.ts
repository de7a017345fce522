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
    // Callers of `endOfTurn` continue first. Otherwise they would wait for two slices.
    await end;
  });
  last = turn;
  await turn;
}

/** The items some at a time, each slice but the first in a later turn of the event loop. */
export async function* inTurns<Item>(
  items: readonly Item[],
  size: number,
): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await nextTurn();
    yield items.slice(from, from + size);
  }
}

/**
 * The same items, the first of which has been read: what may be refused is refused before an answer begins.
 * Throws: what reading the first one throws.
 */
export async function begun<Item>(items: AsyncIterable<Item>): Promise<AsyncGenerator<Item>> {
  const rest = items[Symbol.asyncIterator]();
  const first = await rest.next();
  return (async function* () {
    try {
      for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
    } finally {
      await rest.return?.();
    }
  })();
}

/**
 * Resolves at the end of this turn of the event loop, when what arrived in it has been read. All callers of a
 * turn continue one after another (decision 41).
 */
export function endOfTurn(): Promise<void> {
  end ??= setImmediate().then(() => {
    end = undefined;
  });
  return end;
}
