import { setTimeout as delay } from 'node:timers/promises';
import { WEBHOOK_POLICY } from '../../payments/events/webhook-policy.ts';
import { createDeliverer } from '../../payments/events/deliver.ts';
import type { DeliveryResult } from '../../payments/events/deliver.ts';
import type { ListedEvent } from './follow.ts';

export interface Forwarded {
  readonly event: ListedEvent;
  readonly result: DeliveryResult;
  readonly durationMs: number;
  /** When it is sent again, because there was no answer; undefined: it is not. */
  readonly retryInMs: number | undefined;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/** Posts an event until something answers, with the body and the headers of a webhook. */
export async function* forward(
  event: ListedEvent,
  to: { readonly url: string; readonly secret: string; readonly signal: AbortSignal },
): AsyncGenerator<Forwarded> {
  const { url, secret, signal } = to;
  const deliverer = createDeliverer(WEBHOOK_POLICY);
  const body = JSON.stringify(event.payload);
  const delivery = {
    // The events are of the one vendor whose key the command has.
    ...{ vid: '', url, body, allowsPrivate: true },
    ...{ webhookId: event.webhook_id, secrets: [secret] },
  };
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const startedMs = performance.now();
      const result = await deliverer.deliver(delivery, signal);
      if (signal.aborted && result.answer === undefined) return;
      const durationMs = Math.round(performance.now() - startedMs);
      const retryInMs = result.answer === undefined ? pauseMs : undefined;
      yield { event, result, durationMs, retryInMs };
      if (retryInMs === undefined) return;
      await delay(retryInMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await deliverer.close();
  }
}
