import type { FailuresRow } from './failures-store.ts';

/** This many wrong passwords or codes in a row are answered without a wait. */
const FREE_FAILURES = 5;
const FIRST_WAIT_SECONDS = 5;
const MAX_WAIT_SECONDS = 900;

/**
 * Returns the wait before a sign-in with a name is checked, by the failures that came from the same
 * place: after the fifth in a row 5 seconds, then twice as long each time, at most 15 minutes.
 * @returns whole seconds; 0: now.
 */
export function secondsToWait({ failedCount, failedAt }: FailuresRow, now: Date): number {
  if (failedCount < FREE_FAILURES) return 0;
  const pause = Math.min(
    MAX_WAIT_SECONDS,
    FIRST_WAIT_SECONDS * 2 ** Math.min(failedCount - FREE_FAILURES, 30),
  );
  return secondsUntil(failedAt.getTime() + pause * 1000, now);
}

/** Wrong guesses at one login from all places together that are not known to be its owner's. */
const STRANGERS_FAILURES = 100;
/**
 * One of them is forgotten after this time: a hundred in a day. That is more often than one place is answered, so
 * nobody can use them up from a single one.
 */
const FORGOTTEN_AFTER_MS = (24 * 60 * 60 * 1000) / STRANGERS_FAILURES;

/** Returns the failures of all strangers that are not forgotten yet. */
export function remembered({ failedCount, failedAt }: FailuresRow, now: Date): FailuresRow {
  const passed = Math.floor((now.getTime() - failedAt.getTime()) / FORGOTTEN_AFTER_MS);
  if (passed <= 0) return { failedCount, failedAt };
  if (passed >= failedCount) return { failedCount: 0, failedAt: now };
  return {
    failedCount: failedCount - passed,
    failedAt: new Date(failedAt.getTime() + passed * FORGOTTEN_AFTER_MS),
  };
}

/** Returns the wait of a guess from an unknown place, by the failures from all such places. */
export function secondsToWaitAsStranger(failures: FailuresRow, now: Date): number {
  const { failedCount, failedAt } = remembered(failures, now);
  if (failedCount < STRANGERS_FAILURES) return 0;
  return secondsUntil(failedAt.getTime() + FORGOTTEN_AFTER_MS, now);
}

function secondsUntil(ms: number, now: Date): number {
  return Math.max(0, Math.ceil((ms - now.getTime()) / 1000));
}
