/** When a webhook is tried again, and when no more. Times in milliseconds. */
export interface WebhookPolicy {
  /** For one call, from looking up the name to the last byte of the answer. */
  readonly callTimeoutMs: number;
  /** Before the second attempt of an event; each further pause is four times as long. */
  readonly firstRetryMs: number;
  /** Longest pause between two attempts. */
  readonly maxRetryMs: number;
  /** How long after its first attempt an event is given up. */
  readonly giveUpAfterMs: number;
  /** A webhook is disabled after so many failures in a row, none of its events delivered ... */
  readonly disableAfterFailures: number;
  /** ... for at least so long. */
  readonly disableAfterMs: number;
  /** A failing webhook is left alone for so long after each failure, times the failures in a row. */
  readonly restMs: number;
  readonly maxRestMs: number;
}

const HOUR_MS = 3_600_000;

export const WEBHOOK_POLICY: WebhookPolicy = {
  callTimeoutMs: 10_000,
  firstRetryMs: 5_000,
  maxRetryMs: 6 * HOUR_MS,
  giveUpAfterMs: 72 * HOUR_MS,
  disableAfterFailures: 20,
  disableAfterMs: 24 * HOUR_MS,
  restMs: 1_000,
  maxRestMs: 60_000,
};

const GROWTH = 4;
/** Of a pause, either way, so that what failed together is not tried together again. */
const JITTER = 0.2;

/**
 * The pause before the next attempt of an event that failed; undefined: it is given up. The last
 * attempt is made when its time ends.
 * @param attemptCount attempts made so far, at least 1.
 * @param triedForMs since the first of them.
 * @param random from 0 up to 1.
 */
export function retryDelayMs(
  { attemptCount, triedForMs }: { readonly attemptCount: number; readonly triedForMs: number },
  policy: WebhookPolicy,
  random: number,
): number | undefined {
  const leftMs = policy.giveUpAfterMs - triedForMs;
  if (leftMs <= 0) return undefined;
  const pauseMs = Math.min(policy.firstRetryMs * GROWTH ** (attemptCount - 1), policy.maxRetryMs);
  return Math.min(pauseMs * (1 - JITTER + 2 * JITTER * random), leftMs);
}

/** How a webhook has fared since its last delivery, the newest failure included. */
export interface FailingWebhook {
  readonly failureCount: number;
  readonly failingForMs: number;
}

export function shouldDisable(
  { failureCount, failingForMs }: FailingWebhook,
  policy: WebhookPolicy,
): boolean {
  return failureCount >= policy.disableAfterFailures && failingForMs >= policy.disableAfterMs;
}

/** How long a failing webhook is left alone, so that a dead one costs little. */
export function restMsOf(failureCount: number, policy: WebhookPolicy): number {
  return Math.min(failureCount * policy.restMs, policy.maxRestMs);
}
