/**
 * The named moments at which tests kill the whole process. In production a crash point does
 * nothing. With `--conditions=crash-points` (see `imports` in package.json) the tests' own module
 * replaces this one, so no environment variable can kill a real service.
 *
 * `before-commit`: nothing is in the database yet. `after-commit`: everything is committed, and
 * nobody has been notified. `dispatch:after-send` is not called by our code: the HTTP client
 * reports when its bytes have left.
 */
export const CRASH_POINTS = [
  'create:before-commit',
  'create:after-commit',
  'bulk:before-commit',
  'bulk:after-commit',
  'dispatch:after-claim',
  'dispatch:before-send',
  'dispatch:after-send',
  'dispatch:before-result-commit',
  'dispatch:after-result-commit',
  'verify:after-claim',
  'verify:before-query',
  'verify:before-result-commit',
  'settle:before-commit',
  'settle:after-commit',
  'details:after-note',
  'details:after-claim',
  'progress:before-commit',
  'progress:after-commit',
  'breaker:before-commit',
  'callback:before-settle',
  'callback:after-settle',
  'collect:before-commit',
  'collect:after-commit',
  'receipt:after-claim',
  'receipt:after-credit',
  'fund:before-commit',
  'fund:after-commit',
  'enquiry:before-commit',
  'enquiry:after-commit',
  'chain:before-commit',
  'backup:before-manifest',
  'statement:before-commit',
  'statement:after-commit',
  'webhook:before-send',
  'webhook:before-result-commit',
  'migrate:before-commit',
  'cluster:before-commit',
  'cluster:after-commit',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** A point at which a test may kill the process. Here it does nothing. */
export function crashPoint(_point: CrashPoint): void {}
