import { setImmediate } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

function exposeCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

const TRIES = 3;

/**
 * How many bytes of garbage the work leaves that minor collections do not find, because old objects refer to it.
 * All objects that exist before are made old. The least of three tries, because V8 also moves objects for
 * reasons of its own.
 */
export async function bytesKept(work: () => Promise<void> | void): Promise<number> {
  const collect = exposeCollector();
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < TRIES; tried += 1) {
    collect({ type: 'major' });
    const before = oldBytes();
    await work();
    await setImmediate();
    // What is still referred to after two collections counts as old.
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    least = Math.min(least, oldBytes() - before);
  }
  return least;
}

function oldBytes(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => /^(old|large)/.test(name));
  return old.reduce((sum, { space_used_size: size }) => sum + size, 0);
}
