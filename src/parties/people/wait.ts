/** This many wrong passwords or codes in a row are answered without a wait. */
const FREE_FAILURES = 5;
const FIRST_WAIT_SECONDS = 5;
const MAX_WAIT_SECONDS = 900;

/**
 * How long a sign-in with a name has to wait before it is checked: after the fifth failure in a row
 * 5 seconds, then twice as long each time, at most 15 minutes.
 * @returns whole seconds; 0: now.
 */
export function secondsToWait(
  failures: { readonly failedCount: number; readonly failedAt: Date },
  now: Date,
): number {
  const { failedCount, failedAt } = failures;
  if (failedCount < FREE_FAILURES) return 0;
  const pause = Math.min(
    MAX_WAIT_SECONDS,
    FIRST_WAIT_SECONDS * 2 ** Math.min(failedCount - FREE_FAILURES, 30),
  );
  const leftMs = failedAt.getTime() + pause * 1000 - now.getTime();
  return Math.max(0, Math.ceil(leftMs / 1000));
}
