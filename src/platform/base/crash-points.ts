/**
 * The moments at which tests kill the whole process, by name. In the program as it is run a crash
 * point does nothing; `--conditions=crash-points` (see `imports` in package.json) puts the tests'
 * own module in this one's place, so that no variable of a real environment can end a real service.
 *
 * `before-commit`: nothing is in the database yet. `after-commit`: all is, and nobody was told.
 * `dispatch:after-send` has no line of ours: the HTTP client tells when its bytes have left.
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
  'progress:before-commit',
  'progress:after-commit',
  'breaker:before-commit',
  'callback:before-settle',
  'callback:after-settle',
  'collect:before-commit',
  'collect:after-commit',
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
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Where a test may end the process; here it goes on. */
export function crashPoint(_point: CrashPoint): void {}
