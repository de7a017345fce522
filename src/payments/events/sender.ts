import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import type { WireTime } from '../../platform/base/clock.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import { createTasks } from '../../platform/jobs/tasks.ts';
import type { Tasks } from '../../platform/jobs/tasks.ts';
import { startWakeLoop } from '../../platform/jobs/wake-loop.ts';
import type { WakeLoop } from '../../platform/jobs/wake-loop.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { openSecretsOf } from '../../parties/keys.ts';
import { restMsOf, retryDelayMs, shouldDisable } from './decide.ts';
import type { WebhookPolicy } from './decide.ts';
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

/** Beyond the call itself, for what is around it: an event is sent again when that is over. */
const LEASE_MARGIN_MS = 5_000;

interface SenderOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly wireTime: WireTime;
  readonly policy: WebhookPolicy;
  /** How often waiting events are looked for. */
  readonly pollMs: number;
  /** Default: the system's. */
  readonly timers?: Timers;
  readonly log: Logger;
}

export interface WebhookSender {
  /** Takes no more events, waits for calls under way, then cuts them off; those are sent again later. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Delivers events to vendors' webhooks: claim (commit), call (no transaction open), write what came
 * of it (commit). At least once: a process that dies in between leaves the event to be sent again,
 * under the same `webhook-id`, when its lease ends.
 */
export function startWebhookSender(options: SenderOptions): WebhookSender {
  return new RunningSender(options);
}

class RunningSender implements WebhookSender {
  readonly #options: SenderOptions;
  readonly #timers: Timers;
  readonly #deliverer: Deliverer;
  readonly #calls: Tasks;
  /** Calls under way, by vendor. */
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
        options.log.error({ err: error }, 'events could not be taken to be sent');
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

  /** Returns when there may be something to do again, in milliseconds. */
  async #takeWork(stopping: AbortSignal): Promise<number> {
    const { pool, policy, pollMs, log } = this.#options;
    let nextMs = pollMs;
    const due: WaitingWebhook[] = [];
    for (const webhook of await listWaitingWebhooks(pool)) {
      const waitMs = Math.max(webhook.dueInMs, this.#restMsOf(webhook));
      if (waitMs <= 0) due.push(webhook);
      else nextMs = Math.min(nextMs, waitMs);
    }
    // When places are short, those who have the fewest come first.
    due.sort((one, other) => this.#callCountOf(one) - this.#callCountOf(other));
    for (const webhook of due) {
      if (stopping.aborted) break;
      await this.#takeOf(webhook).catch((error: unknown) => {
        // Of this one alone, such as a secret that does not open: the others go on.
        log.error({ err: error, vid: webhook.vid }, 'events of a webhook could not be taken');
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
    // It was removed a moment ago; an event without a signature is worth nothing.
    if (secrets.length === 0) return;
    const leaseMs = policy.callTimeoutMs + LEASE_MARGIN_MS;
    for (const event of await claimEvents(pool, webhook.vendorId, { max, leaseMs })) {
      this.#start(event, webhook, secrets);
    }
  }

  /** How many more events of it may be sent at once; a failing one is tried with one. */
  #freeOf(webhook: WaitingWebhook): number {
    const max = webhook.failureCount > 0 ? 1 : LIMITS.webhookCallsPerVendor;
    return Math.min(max - this.#callCountOf(webhook), LIMITS.webhookCalls - this.#calls.size);
  }

  #start(event: ClaimedEvent, webhook: WaitingWebhook, secrets: readonly string[]): void {
    const { vendorId, vid } = webhook;
    this.#callCounts.set(vendorId, this.#callCountOf(webhook) + 1);
    const work = this.#send(event, webhook, secrets).catch((error: unknown) => {
      // Not written: its lease runs out, and it is sent again.
      this.#options.log.error({ err: error, vid }, 'an event could not be sent, or noted as sent');
    });
    this.#calls.add(work, () => {
      const left = this.#callCountOf(webhook) - 1;
      if (left > 0) this.#callCounts.set(vendorId, left);
      else this.#callCounts.delete(vendorId);
      this.#loop.wake();
    });
  }

  async #send(
    event: ClaimedEvent,
    webhook: WaitingWebhook,
    secrets: readonly string[],
  ): Promise<void> {
    const { pool, wireTime } = this.#options;
    const { cutOff } = this.#calls;
    crashPoint('webhook:before-send');
    const result = await this.#deliverer.deliver(
      {
        url: webhook.url,
        allowsPrivate: webhook.allowsPrivate,
        webhookId: webhookIdOf(event),
        body: eventBody(event, webhook.vid, wireTime),
        secrets,
      },
      cutOff,
    );
    // Whatever the receiver has seen of it: the process ends, and it is not its failure.
    if (cutOff.aborted && result.kind === 'failed') return;
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
    const { vendorId, vid } = webhook;
    const tried = { attemptCount: event.attempt_count, triedForMs: event.tried_for_ms };
    const retryInMs = retryDelayMs(tried, policy, Math.random());
    const failing = await writeFailure(pool, event, { result: result.text, retryInMs });
    if (failing === undefined) return;
    this.#rest(webhook, restMsOf(failing.failureCount, policy));
    const facts = { vid, failures: failing.failureCount, result: result.text };
    if (failing.failureCount === 1) log.warn(facts, 'a webhook fails');
    if (retryInMs === undefined) {
      log.error({ ...facts, webhookId: webhookIdOf(event) }, 'an event was given up');
    }
    const disable = result.kind === 'gone' || shouldDisable(failing, policy);
    if (disable && (await disableWebhook(pool, vendorId, result.text))) {
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
