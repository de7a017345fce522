/** When events are retried, when they are given up, and when a webhook is disabled. Times in milliseconds. */
export interface WebhookPolicy {
  /** Limit of one call, from the name lookup to the last byte of the answer. */
  readonly callTimeoutMs: number;
  /** Before the second attempt of an event; each further pause is four times as long. */
  readonly firstRetryMs: number;
  /** Longest pause between two attempts. */
  readonly maxRetryMs: number;
  /** An event is given up this long after its first attempt. */
  readonly giveUpAfterMs: number;
  /**
   * A webhook is disabled after this many consecutive failures, with none of its events delivered
   * ...
   */
  readonly disableAfterFailures: number;
  /** ... for at least this long. */
  readonly disableAfterMs: number;
  /**
   * A failing webhook pauses for this long after each failure, times the number of consecutive
   * failures.
   */
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
/**
 * Random variation of a pause, in either direction, so that events that failed together are not
 * retried together.
 */
const JITTER = 0.2;

/**
 * The pause before the next attempt of an event that failed; undefined: it is given up. The last
 * attempt is made at the end of its period.
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

/** The webhook's results since its last delivery, including the newest failure. */
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

/** Pause of a failing webhook, so that a dead one costs little. */
export function restMsOf(failureCount: number, policy: WebhookPolicy): number {
  return Math.min(failureCount * policy.restMs, policy.maxRestMs);
}
