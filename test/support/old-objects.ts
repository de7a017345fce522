import { setImmediate } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

function exposeCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

/**
 * How many bytes of garbage the work leaves that minor collections do not find, because old objects refer to it.
 * All objects that exist before are made old.
 */
export async function bytesKept(work: () => Promise<void> | void): Promise<number> {
  const collect = exposeCollector();
  collect({ type: 'major' });
  const before = oldBytes();
  await work();
  await setImmediate();
  // What is still referred to after two collections counts as old.
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return oldBytes() - before;
}

function oldBytes(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => /^(old|large)/.test(name));
  return old.reduce((sum, { space_used_size: size }) => sum + size, 0);
}
