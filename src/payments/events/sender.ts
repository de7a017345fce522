import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import type { WireTime } from '../../platform/base/clock.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { systemTimers } from '../../platform/base/timers.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { openSecretsOf } from '../../parties/keys.ts';
import { restMsOf, retryDelayMs, shouldDisable } from './decide.ts';
import type { WebhookPolicy } from './decide.ts';
import { createDeliverer } from './deliver.ts';
import type { DeliveryResult } from './deliver.ts';
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
  const { pool, policy, log, timers = systemTimers } = options;
  const deliverer = createDeliverer(policy);
  const stopping = new AbortController();
  const cutOff = new AbortController();
  const underWay = new Set<Promise<void>>();
  /** Calls under way, by vendor. */
  const calls = new Map<number, number>();
  /** When a failing webhook may be tried again, by vendor. */
  const restUntilMs = new Map<number, number>();
  let wake: (() => void) | undefined;
  let woken = false;

  const wakeUp = (): void => {
    woken = true;
    wake?.();
  };
  const callsOf = ({ vendorId }: Pick<WaitingWebhook, 'vendorId'>): number =>
    calls.get(vendorId) ?? 0;

  /** How many more events of it may be sent at once; a failing one is tried with one. */
  const freeOf = (webhook: WaitingWebhook): number => {
    const max = webhook.failureCount > 0 ? 1 : LIMITS.webhookCallsPerVendor;
    return Math.min(max - callsOf(webhook), LIMITS.webhookCalls - underWay.size);
  };

  const takeOf = async (webhook: WaitingWebhook): Promise<void> => {
    const max = freeOf(webhook);
    if (max <= 0) return;
    const holder = { holderKind: 'webhook', holder: webhook.vid } as const;
    const secrets = await openSecretsOf(pool, holder, options.masterKeys);
    // It was removed a moment ago; an event without a signature is worth nothing.
    if (secrets.length === 0) return;
    const leaseMs = policy.callTimeoutMs + LEASE_MARGIN_MS;
    for (const event of await claimEvents(pool, webhook.vendorId, { max, leaseMs })) {
      start(event, webhook, secrets);
    }
  };

  const start = (
    event: ClaimedEvent,
    webhook: WaitingWebhook,
    secrets: readonly string[],
  ): void => {
    calls.set(webhook.vendorId, callsOf(webhook) + 1);
    const work = send(event, webhook, secrets)
      .catch((error: unknown) => {
        // Not written: its lease runs out, and it is sent again.
        log.error({ err: error, vid: webhook.vid }, 'an event could not be sent, or noted as sent');
      })
      .finally(() => {
        const left = callsOf(webhook) - 1;
        if (left > 0) calls.set(webhook.vendorId, left);
        else calls.delete(webhook.vendorId);
        underWay.delete(work);
        wakeUp();
      });
    underWay.add(work);
  };

  const send = async (
    event: ClaimedEvent,
    webhook: WaitingWebhook,
    secrets: readonly string[],
  ): Promise<void> => {
    crashPoint('webhook:before-send');
    const result = await deliverer.deliver(
      {
        url: webhook.url,
        allowsPrivate: webhook.allowsPrivate,
        webhookId: webhookIdOf(event),
        body: eventBody(event, webhook.vid, options.wireTime),
        secrets,
      },
      cutOff.signal,
    );
    // Whatever the receiver has seen of it: the process ends, and it is not its failure.
    if (cutOff.signal.aborted && result.kind === 'failed') return;
    crashPoint('webhook:before-result-commit');
    if (result.kind === 'delivered') {
      await writeDelivered(pool, event, result.text);
      restUntilMs.delete(webhook.vendorId);
    } else {
      await noteFailure(event, webhook, result);
    }
  };

  const noteFailure = async (
    event: ClaimedEvent,
    { vendorId, vid }: WaitingWebhook,
    result: DeliveryResult,
  ): Promise<void> => {
    const tried = { attemptCount: event.attempt_count, triedForMs: event.tried_for_ms };
    const retryInMs = retryDelayMs(tried, policy, Math.random());
    const failing = await writeFailure(pool, event, { result: result.text, retryInMs });
    if (failing === undefined) return;
    restUntilMs.set(vendorId, timers.nowMs() + restMsOf(failing.failureCount, policy));
    const facts = { vid, failures: failing.failureCount, result: result.text };
    if (failing.failureCount === 1) log.warn(facts, 'a webhook fails');
    if (retryInMs === undefined) {
      log.error({ ...facts, webhookId: webhookIdOf(event) }, 'an event was given up');
    }
    const disable = result.kind === 'gone' || shouldDisable(failing, policy);
    if (disable && (await disableWebhook(pool, vendorId, result.text))) {
      log.error(facts, 'a webhook was disabled: its events wait until it is enabled again');
    }
  };

  /** Returns when there may be something to do again, in milliseconds. */
  const takeWork = async (): Promise<number> => {
    let nextMs = options.pollMs;
    const due: WaitingWebhook[] = [];
    for (const webhook of await listWaitingWebhooks(pool)) {
      const restMs = (restUntilMs.get(webhook.vendorId) ?? 0) - timers.nowMs();
      const waitMs = Math.max(webhook.dueInMs, restMs);
      if (waitMs <= 0) due.push(webhook);
      else nextMs = Math.min(nextMs, waitMs);
    }
    // When places are short, those who have the fewest come first.
    for (const webhook of due.toSorted((one, other) => callsOf(one) - callsOf(other))) {
      if (stopping.signal.aborted) break;
      await takeOf(webhook).catch((error: unknown) => {
        // Of this one alone, such as a secret that does not open: the others go on.
        log.error({ err: error, vid: webhook.vid }, 'events of a webhook could not be taken');
        restUntilMs.set(webhook.vendorId, timers.nowMs() + policy.maxRestMs);
      });
    }
    return nextMs;
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      woken = false;
      let nextMs = options.pollMs;
      try {
        nextMs = await takeWork();
      } catch (error) {
        log.error({ err: error }, 'events could not be taken to be sent');
      }
      if (woken || stopping.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const forget = timers.after(Math.max(1, nextMs), resolve);
        wake = () => {
          forget();
          resolve();
        };
      });
      wake = undefined;
    }
  };
  const running = loop();

  return {
    stop: async (graceMs) => {
      stopping.abort();
      wakeUp();
      await running;
      const forgetCutOff = timers.after(graceMs, () => cutOff.abort());
      await Promise.allSettled(underWay);
      forgetCutOff();
      await deliverer.close();
    },
  };
}
