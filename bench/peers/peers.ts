import path from 'node:path';
import { installOnDemand } from '../../scripts/install-on-demand.ts';

/** What the bench uses of pg-boss; their own types are installed only when it runs. */
export interface PgBoss {
  on(event: 'error', listener: () => void): void;
  start(): Promise<unknown>;
  stop(options: { readonly graceful: boolean }): Promise<void>;
  createQueue(queue: string): Promise<void>;
  insert(queue: string, jobs: readonly { readonly data: object }[]): Promise<unknown>;
  fetch(queue: string, options: { readonly batchSize: number }): Promise<{ readonly id: string }[]>;
  complete(queue: string, ids: readonly string[], output: object): Promise<unknown>;
  work(
    queue: string,
    options: object,
    takeBatch: (
      jobs: readonly { readonly id: string; readonly data: never }[],
    ) => Promise<object[]>,
  ): Promise<unknown>;
  offWork(queue: string, options: { readonly wait: boolean }): Promise<void>;
}

/** What the bench uses of graphile-worker. */
interface WorkerUtils {
  migrate(): Promise<void>;
  addJobs(
    jobs: readonly { readonly identifier: string; readonly payload: object }[],
  ): Promise<unknown>;
  release(): Promise<void>;
}

interface Peers {
  readonly PgBoss: new (options: object) => PgBoss;
  readonly makeWorkerUtils: (options: {
    readonly connectionString: string;
  }) => Promise<WorkerUtils>;
  readonly run: (options: object) => Promise<{ stop(): Promise<void> }>;
}

export async function importPeers(): Promise<Peers> {
  await installOnDemand(import.meta.dirname);
  // By a computed name, because its types are there only after the installation.
  return (await import(path.join(import.meta.dirname, 'peers.mjs'))) as Peers;
}
