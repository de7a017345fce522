import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds } from './campaign.ts';
import { openSimulatedDatabase } from './database.ts';

/** What a worker is started with. */
export interface WorkerTask {
  readonly urls: readonly string[];
  readonly first: number;
  readonly count: number;
  /** The counter of seeds that all workers share. */
  readonly taken: SharedArrayBuffer;
}

// Runs in its own thread, so that a campaign uses all cores.
const { urls, first, count, taken } = workerData as WorkerTask;
const counter = new Int32Array(taken);
const databases = await Promise.all(urls.map(openSimulatedDatabase));
await runSeeds({
  databases,
  takeSeed: () => {
    const index = Atomics.add(counter, 0, 1);
    return index < count ? first + index : undefined;
  },
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  onRun: (run) => parentPort?.postMessage(run),
});
await Promise.all(databases.map((database) => database.close()));
