import { base64Of, bytesOf, fromBase64, hmac, hmacKey, isHmac } from './crypto.ts';
import type { Bytes } from './crypto.ts';
import * as decode from './decode.ts';
import { WebhookInvalid } from './errors.ts';
import type { Payment } from './types.ts';

/** An event of the service. Process each `id` once: the same event may be sent again. */
export interface WebhookEvent {
  readonly id: string;
  /** Such as `transaction.succeeded`. Ignore types that you do not know. */
  readonly type: string;
  readonly timestamp: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** The payment, if the event is about one. */
  readonly payment: Payment | null;
}

/** As Node, `fetch` and frameworks have them. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** Tolerated difference between the event's time and the clock. Default: 300 s. */
  readonly toleranceSeconds?: number;
  /** Set in tests. Default: the clock. */
  readonly now?: () => Date;
}

/** Verifies events (Standard Webhooks). */
export class WebhookVerifier {
  readonly #keys: readonly Bytes[];
  readonly #options: WebhookOptions;

  /** @param secrets the secret `whsec_…`, or several while you change it. Throws a RangeError. */
  constructor(secrets: string | readonly string[], options: WebhookOptions = {}) {
    this.#keys = (typeof secrets === 'string' ? [secrets] : secrets).map(secretOf);
    this.#options = options;
  }

  /**
   * @param body exactly as received, before it is parsed.
   * Throws: `WebhookInvalid`.
   */
  async verify(body: string | Uint8Array, headers: WebhookHeaders): Promise<WebhookEvent> {
    const raw = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const id = headerOf(headers, 'webhook-id');
    const time = headerOf(headers, 'webhook-timestamp');
    const now = this.#options.now?.() ?? new Date();
    const away = Math.abs(now.getTime() / 1000 - Number(time));
    if (!/^\d{1,12}$/.test(time) || away > (this.#options.toleranceSeconds ?? 300)) {
      throw new WebhookInvalid('The event is too old, or its time is in the future');
    }
    const message = bytesOf(`${id}.${time}.${raw}`);
    if (!(await this.#isSigned(message, headerOf(headers, 'webhook-signature')))) {
      throw new WebhookInvalid('The signature is not valid');
    }
    return eventOf(id, raw);
  }

  async #isSigned(message: Bytes, signatures: string): Promise<boolean> {
    for (const signature of signatures.split(' ')) {
      const mac = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined;
      if (mac === undefined) continue;
      for (const key of this.#keys) {
        if (await isHmac(await hmacKey(key), mac, message)) return true;
      }
    }
    return false;
  }
}

/** Signs an event for your own tests, with the headers that the service would send. */
export async function signTestEvent(
  secret: string,
  event: {
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly id?: string;
    readonly timestamp?: Date;
  },
): Promise<{ readonly body: string; readonly headers: Readonly<Record<string, string>> }> {
  const { type, data, id = 'evt_test', timestamp = new Date() } = event;
  const body = JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
  const seconds = Math.floor(timestamp.getTime() / 1000);
  const key = await hmacKey(secretOf(secret));
  const mac = base64Of(await hmac(key, bytesOf(`${id}.${seconds}.${body}`)));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${mac}`,
    },
  };
}

function secretOf(secret: string): Bytes {
  const key = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : undefined;
  if (key === undefined || key.length === 0) {
    throw new RangeError('A webhook secret is whsec_ followed by base64');
  }
  return key;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : (value?.join(',') ?? '');
}

function eventOf(id: string, raw: string): WebhookEvent {
  try {
    const event = JSON.parse(raw) as {
      type: string;
      timestamp: string;
      data: WebhookEvent['data'];
    };
    const { type, timestamp, data } = event;
    const isPayment = 'transaction_status' in data;
    return {
      id,
      type,
      timestamp: new Date(timestamp),
      data,
      payment: isPayment ? decode.payment(data) : null,
    };
  } catch (error) {
    throw new WebhookInvalid('The body is not an event', { cause: error });
  }
}
