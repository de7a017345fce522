import type { Timers } from '../../platform/base/timers.ts';
import type { CallEnd } from './worker.ts';

export interface CallClock {
  tookMs(): number;
  /** The part of that time in which the process did not run. */
  sleptMs(): number;
}

export function startCallClock(timers: Timers, awake: Timers): CallClock {
  const [startedMs, awakeFromMs] = [timers.nowMs(), awake.nowMs()];
  const tookMs = (): number => timers.nowMs() - startedMs;
  return { tookMs, sleptMs: () => tookMs() - (awake.nowMs() - awakeFromMs) };
}

/**
 * A process that slept for this share of the deadline excuses the operator. A shorter pause changes
 * nothing, because deadlines are on the clock that stands still meanwhile; if it excused the operator, a
 * process that often pauses would never notice that one is dead.
 */
const SLEPT_SHARE = 0.5;

/**
 * True if a call has no answer because this process did not run: connections break meanwhile, which
 * says nothing about the operator.
 */
export function isOurSilence(end: CallEnd | null, sleptMs: number, deadlineMs: number): boolean {
  return end !== null && !end.answered && sleptMs >= SLEPT_SHARE * deadlineMs;
}
