import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import type { WireTime } from '../../platform/base/clock.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import { traced } from '../../platform/base/tracing.ts';
import { createTasks } from '../../platform/jobs/tasks.ts';
import type { Tasks } from '../../platform/jobs/tasks.ts';
import { startWakeLoop } from '../../platform/jobs/wake-loop.ts';
import type { WakeLoop } from '../../platform/jobs/wake-loop.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { openSecretsOf } from '../../parties/keys.ts';
import { restMsOf, retryDelayMs, shouldDisable } from './webhook-policy.ts';
import type { WebhookPolicy } from './webhook-policy.ts';
import { createDeliverer } from './deliver.ts';
import type { Deliverer, DeliveryResult } from './deliver.ts';
import { eventBody, webhookIdOf } from './event.ts';
import {
  claimEvents,
  disableWebhook,
  listWaitingWebhooks,
  writeDelivered,
  writeFailure,
} from './store.ts';
import type { ClaimedEvent, WaitingWebhook } from './store.ts';

/** Beyond the call itself, for saving its result: after this, the event is sent again. */
const LEASE_MARGIN_MS = 5_000;

interface SenderOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly wireTime: WireTime;
  readonly policy: WebhookPolicy;
  /** Interval of the search for waiting events. */
  readonly pollMs: number;
  /** Default: the system's timers. */
  readonly timers?: Timers;
  readonly log: Logger;
}

export interface WebhookSender {
  /**
   * Claims no more events, waits for calls in progress, then aborts them; those are sent again
   * later.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Delivers events to vendors' webhooks: claim (commit), call (no database transaction open), record
 * the result (commit). At least once: if a process dies in between, the event is sent again, under
 * the same `webhook-id`, when its lease expires.
 */
export function startWebhookSender(options: SenderOptions): WebhookSender {
  return new RunningSender(options);
}

class RunningSender implements WebhookSender {
  readonly #options: SenderOptions;
  readonly #timers: Timers;
  readonly #deliverer: Deliverer;
  readonly #calls: Tasks;
  /** Calls in progress, by vendor. */
  readonly #callCounts = new Map<number, number>();
  /** When a failing webhook may be tried again, by vendor. */
  readonly #restUntilMs = new Map<number, number>();
  readonly #loop: WakeLoop;

  constructor(options: SenderOptions) {
    const { timers = systemTimers } = options;
    this.#options = options;
    this.#timers = timers;
    this.#deliverer = createDeliverer(options.policy);
    this.#calls = createTasks(timers);
    this.#loop = startWakeLoop({
      turn: async (stopping) => await this.#takeWork(stopping),
      onFailure: (error) => {
        options.log.error({ err: error }, 'could not claim events');
        return options.pollMs;
      },
      timers,
    });
  }

  async stop(graceMs: number): Promise<void> {
    await this.#loop.stop();
    await this.#calls.finish(graceMs);
    await this.#deliverer.close();
  }

  /** Returns the milliseconds until there may be something to do again. */
  async #takeWork(stopping: AbortSignal): Promise<number> {
    const { pool, policy, pollMs, log } = this.#options;
    let nextMs = pollMs;
    const due: WaitingWebhook[] = [];
    for (const webhook of await listWaitingWebhooks(pool)) {
      const waitMs = Math.max(webhook.dueInMs, this.#restMsOf(webhook));
      if (waitMs <= 0) due.push(webhook);
      else nextMs = Math.min(nextMs, waitMs);
    }
    // If slots are scarce, vendors with the fewest calls come first.
    due.sort((one, other) => this.#callCountOf(one) - this.#callCountOf(other));
    for (const webhook of due) {
      if (stopping.aborted) break;
      await this.#takeOf(webhook).catch((error: unknown) => {
        // A problem of this webhook only, such as a secret that cannot be decrypted: the others
        // continue.
        log.error({ err: error, vid: webhook.vid }, 'could not claim the events of a webhook');
        this.#rest(webhook, policy.maxRestMs);
      });
    }
    return nextMs;
  }

  async #takeOf(webhook: WaitingWebhook): Promise<void> {
    const { pool, masterKeys, policy } = this.#options;
    const max = this.#freeOf(webhook);
    if (max <= 0) return;
    const holder = { holderKind: 'webhook', holder: webhook.vid } as const;
    const secrets = await openSecretsOf(pool, holder, masterKeys);
    // It was removed a moment ago; an event without a signature is worthless.
    if (secrets.length === 0) return;
    const leaseMs = policy.callTimeoutMs + LEASE_MARGIN_MS;
    for (const event of await claimEvents(pool, webhook.vendorId, { max, leaseMs })) {
      this.#start(event, webhook, secrets);
    }
  }

  /** Number of further events that may be sent to the webhook at once. A failing webhook gets one. */
  #freeOf(webhook: WaitingWebhook): number {
    const max = webhook.failureCount > 0 ? 1 : LIMITS.webhookCallsPerVendor;
    return Math.min(max - this.#callCountOf(webhook), LIMITS.webhookCalls - this.#calls.size);
  }

  #start(event: ClaimedEvent, webhook: WaitingWebhook, secrets: readonly string[]): void {
    const { vendorId, vid } = webhook;
    this.#callCounts.set(vendorId, this.#callCountOf(webhook) + 1);
    const work = async (signal: AbortSignal): Promise<void> => {
      try {
        await this.#send(event, { webhook, secrets, signal });
      } catch (error) {
        // Nothing was saved: the lease expires, and the event is sent again.
        this.#options.log.error(
          { err: error, vid },
          'could not send an event, or record that it was sent',
        );
      }
    };
    this.#calls.start(work, () => {
      const left = this.#callCountOf(webhook) - 1;
      if (left > 0) this.#callCounts.set(vendorId, left);
      else this.#callCounts.delete(vendorId);
      this.#loop.wake();
    });
  }

  async #send(
    event: ClaimedEvent,
    to: {
      readonly webhook: WaitingWebhook;
      readonly secrets: readonly string[];
      /** Aborted when a stop waits no longer. */
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { pool, wireTime } = this.#options;
    const { webhook, secrets, signal } = to;
    crashPoint('webhook:before-send');
    const delivery = {
      vid: webhook.vid,
      url: webhook.url,
      allowsPrivate: webhook.allowsPrivate,
      webhookId: webhookIdOf(event),
      body: eventBody(event, webhook.vid, wireTime),
      secrets,
    };
    const about = {
      aboutId: event.paymentId,
      attributes: { 'malipo.vid': webhook.vid, 'malipo.event': event.type },
      isOutbound: true,
    };
    const result = await traced('webhook', about, async (span) => {
      const ending = await this.#deliverer.deliver(delivery, signal);
      span?.setAttribute('malipo.result', ending.kind);
      return ending;
    });
    // Whatever the receiver has seen: the process is stopping, and that is not the receiver's
    // failure.
    if (signal.aborted && result.kind === 'failed') return;
    crashPoint('webhook:before-result-commit');
    if (result.kind === 'delivered') {
      await writeDelivered(pool, event, result.text);
      this.#restUntilMs.delete(webhook.vendorId);
    } else {
      await this.#noteFailure(event, webhook, result);
    }
  }

  async #noteFailure(
    event: ClaimedEvent,
    webhook: WaitingWebhook,
    result: DeliveryResult,
  ): Promise<void> {
    const { pool, policy, log } = this.#options;
    const { vendorId, vid, url } = webhook;
    const tried = { attemptCount: event.attemptCount, triedForMs: event.triedForMs };
    const retryInMs = retryDelayMs(tried, policy, Math.random());
    const failing = await writeFailure(pool, event, { result: result.text, retryInMs, url });
    if (failing === undefined) return;
    this.#rest(webhook, restMsOf(failing.failureCount, policy));
    const facts = { vid, failures: failing.failureCount, result: result.text };
    if (failing.failureCount === 1) log.warn(facts, 'a webhook fails');
    if (retryInMs === undefined) {
      log.error({ ...facts, webhookId: webhookIdOf(event) }, 'an event was given up');
    }
    const disable = result.kind === 'gone' || shouldDisable(failing, policy);
    if (disable && (await disableWebhook(pool, vendorId, result.text, url))) {
      log.error(facts, 'a webhook was disabled: its events wait until it is enabled again');
    }
  }

  #callCountOf({ vendorId }: WaitingWebhook): number {
    return this.#callCounts.get(vendorId) ?? 0;
  }

  #rest({ vendorId }: WaitingWebhook, forMs: number): void {
    this.#restUntilMs.set(vendorId, this.#timers.nowMs() + forMs);
  }

  #restMsOf({ vendorId }: WaitingWebhook): number {
    return (this.#restUntilMs.get(vendorId) ?? 0) - this.#timers.nowMs();
  }
}
