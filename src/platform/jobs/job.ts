import { systemTimers } from '../base/timers.ts';
import type { Pool } from '../db/pool.ts';
import { endJob, renewJob } from './job-store.ts';
import type { Progress } from './job-store.ts';
import { startWakeLoop } from './wake-loop.ts';

/** Interval in which a job shows how far it has come, and that its process lives. */
const BEAT_MS = 2_000;
/** A process that showed nothing for this long is gone. */
export const LEASE_MS = 30_000;

class Interrupted extends Error {}

/** A job that this process works on. */
export class Job {
  readonly #pool: Pool;
  readonly #jobId: string;
  readonly #signal: AbortSignal;
  readonly #beat;
  #progress: Progress | null = null;
  #isLost = false;

  constructor(pool: Pool, jobId: string, signal: AbortSignal) {
    this.#pool = pool;
    this.#jobId = jobId;
    this.#signal = signal;
    this.#beat = startWakeLoop({
      firstMs: BEAT_MS,
      turn: async () => {
        const now = { jobId, progress: this.#progress, leaseMs: LEASE_MS };
        this.#isLost = !(await renewJob(pool, now));
        return BEAT_MS;
      },
      // Until the lease ends, nobody takes its place.
      onFailure: () => BEAT_MS,
      timers: systemTimers,
    });
  }

  /** The process stops, or another one has taken its place. */
  get isStopped(): boolean {
    return this.#isLost || this.#signal.aborted;
  }

  /** Throws if the job is to stop: work ends where it tells how far it has come. */
  report(now: Progress): void {
    if (this.isStopped) throw new Interrupted('the job was interrupted');
    this.#progress = now;
  }

  async end(how: Parameters<typeof endJob>[2]): Promise<void> {
    await this.#beat.stop();
    if (this.#progress !== null) {
      await renewJob(this.#pool, {
        jobId: this.#jobId,
        progress: this.#progress,
        leaseMs: LEASE_MS,
      });
    }
    await endJob(this.#pool, this.#jobId, how);
  }
}
