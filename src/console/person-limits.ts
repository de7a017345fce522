import { createLimit } from '../platform/http/rate-limits.ts';

/**
 * How many requests one person may send, whatever they ask for, in all sessions together. Each throws
 * `too_many_requests` with the seconds to wait. Streams of events do not count: they ask for nothing.
 */
export interface PersonLimits {
  forReading(personId: string): void;
  /** Actions and exports, also those that are refused. */
  forChange(personId: string): void;
}

/** A page that is opened reads several answers; open pages repeat that every few seconds. */
const READS_BURST_SECONDS = 10;
/** A table is worked through quickly, and then nothing happens for a while. */
const CHANGES_BURST_SECONDS = 30;

/**
 * The limits of one process, in memory.
 * @param options 0: no limit.
 */
export function createPersonLimits(options: {
  readonly readsPerSecond: number;
  readonly changesPerSecond: number;
  /** Default: the system's. In milliseconds. */
  readonly nowMs?: () => number;
}): PersonLimits {
  const { readsPerSecond, changesPerSecond, nowMs } = options;
  return {
    forReading: createLimit({
      perSecond: readsPerSecond,
      burst: readsPerSecond * READS_BURST_SECONDS,
      nowMs,
      textFor: textFor('requests'),
    }),
    forChange: createLimit({
      perSecond: changesPerSecond,
      burst: changesPerSecond * CHANGES_BURST_SECONDS,
      nowMs,
      textFor: textFor('changes and exports'),
    }),
  };
}

const textFor =
  (what: string) =>
  (waitSeconds: number): string =>
    `You have sent too many ${what} in a short time. Wait ${waitSeconds === 1 ? 'a second' : `${waitSeconds} seconds`}.`;
