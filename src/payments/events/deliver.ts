import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Agent } from 'undici';
import { LIMITS } from '../../platform/base/limits.ts';
import { exchange } from '../../platform/outbound/exchange.ts';
import type { Ending } from '../../platform/outbound/exchange.ts';
import { createLookup, createTurns } from '../../platform/outbound/host-names.ts';
import type { Resolve } from '../../platform/outbound/host-names.ts';
import { createPublicLookup } from '../../platform/outbound/public-lookup.ts';
import { readWebhookUrl } from './address.ts';

/** One call of a webhook. */
export interface Delivery {
  /** Whose webhook it is. Each vendor has its own connections, and looks up one name at a time. */
  readonly vid: string;
  readonly url: string;
  readonly allowsPrivate: boolean;
  /** Stays the same when the event is sent again. */
  readonly webhookId: string;
  readonly body: string;
  /** Standard Webhooks secrets, newest first: two during a rotation. */
  readonly secrets: readonly string[];
}

/** The result of a call. `gone`: the receiver wants no more events. */
export interface DeliveryResult {
  readonly kind: 'delivered' | 'failed' | 'gone';
  /** A text for people. */
  readonly text: string;
  /** The body of the response, empty if it was cut off; undefined if there was no response. */
  readonly answer?: Buffer;
}

export interface Deliverer {
  /** Never rejects because of the receiver, and ends by the deadline. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult>;
  close(): Promise<void>;
}

const GONE = 410;

/** All deliverers of a process share it, so that tests of a webhook take turns with its events. */
const lookUpsOf = createTurns();

/** @param options.callTimeoutMs for everything: lookup, connecting, sending, the whole response. */
export function createDeliverer(options: {
  readonly callTimeoutMs: number;
  /** Looks names up. Default: the system's. */
  readonly resolve?: Resolve;
}): Deliverer {
  const turnsOf = options.resolve === undefined ? lookUpsOf : createTurns(options.resolve);
  const agents = new Map<string, Agent>();
  const agentOf = ({ vid, allowsPrivate }: Delivery): Agent => {
    const key = `${vid} ${allowsPrivate}`;
    const known = agents.get(key);
    if (known !== undefined) return known;
    const lookup = (allowsPrivate ? createLookup : createPublicLookup)(turnsOf(vid));
    const agent = openAgent(options.callTimeoutMs, lookup);
    agents.set(key, agent);
    return agent;
  };
  return {
    deliver: async (delivery, signal) => {
      const { url: address, allowsPrivate, webhookId, body, secrets } = delivery;
      const url = readAgain(address, allowsPrivate);
      if (typeof url === 'string') return { kind: 'failed', text: url };
      const ending = await exchange(agentOf(delivery), {
        origin: url.origin,
        path: url.pathname + url.search,
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Malipo-Webhooks',
          ...signedHeaders(secrets, webhookId, body),
        },
        deadlineMs: options.callTimeoutMs,
        answerBytes: LIMITS.webhookAnswerBytes,
        signal,
      });
      if (ending.kind === 'nothing_written') return { kind: 'failed', text: ending.reason };
      if (ending.kind === 'no_answer') return cutOff(ending);
      const text = `HTTP ${ending.httpStatus}`;
      const answer = ending.body;
      if (ending.httpStatus === GONE) return { kind: 'gone', text, answer };
      const isTaken = ending.httpStatus >= 200 && ending.httpStatus < 300;
      return { kind: isTaken ? 'delivered' : 'failed', text, answer };
    },
    close: async () => {
      await Promise.all([...agents.values()].map(async (agent) => await agent.destroy()));
    },
  };
}

function openAgent(callTimeoutMs: number, lookup: LookupFunction): Agent {
  return new Agent({
    connections: LIMITS.webhookCallsPerVendor,
    pipelining: 1,
    allowH2: false,
    // `exchange` enforces the only deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: callTimeoutMs, rejectUnauthorized: true, lookup },
  });
}

/** A receiver that has begun to respond is there, such as one with a long page about an error. */
function cutOff({
  reason,
  httpStatus,
}: Extract<Ending, { readonly kind: 'no_answer' }>): DeliveryResult {
  if (httpStatus === undefined) return { kind: 'failed', text: reason };
  return { kind: 'failed', text: `HTTP ${httpStatus}, but ${reason}`, answer: Buffer.alloc(0) };
}

/** The URL by today's rules, or why it is refused. */
function readAgain(address: string, allowsPrivate: boolean): URL | string {
  try {
    return readWebhookUrl(address, allowsPrivate);
  } catch (error) {
    return (error as Error).message;
  }
}

/** The headers of Standard Webhooks, signed with every secret that the receiver may have. */
function signedHeaders(
  secrets: readonly string[],
  webhookId: string,
  body: string,
): Record<string, string> {
  const now = new Date();
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(webhookId, now, body))
      .join(' '),
  };
}
