import { bytesOf, randomHex } from './crypto.ts';
import type { Bytes } from './crypto.ts';
import { judge, unreadable, waitMs } from './decide.ts';
import type { Attempt, Body, Effect, Failure } from './decide.ts';
import { OutcomeUnknown, Refused, Unavailable } from './errors.ts';
import { hashOf, headerSignature, pairsOf } from './sign.ts';
import type { Parameters } from './sign.ts';

const USER_AGENT = 'malipo-client-typescript/0.1.0';
const FORM = 'application/x-www-form-urlencoded';

export interface TransportOptions {
  /** The security key. */
  readonly key: string;
  /**
   * How requests are signed. `header` (the default) signs the whole request and prevents replay.
   * `hash` signs the parameters only; it is for servers behind proxies that rewrite paths.
   */
  readonly signature?: 'header' | 'hash' | undefined;
  /** How long one attempt may take. Default: 15 s. */
  readonly timeoutMs?: number | undefined;
  /** For how long a request is repeated if the service is unavailable or silent. Default: 45 s; 0: never. */
  readonly retryForMs?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** One request of an operation. Each attempt sends the same content, signed again. */
export interface Call {
  readonly base: string;
  readonly path: string;
  readonly effect: Effect;
  readonly parameters: Parameters;
  /** The three operations that only show billers are not signed. */
  readonly unsigned?: true;
  /** Default: that of the options. */
  readonly retryForMs?: number | undefined;
  /** A file; the parameters then go into the query string. */
  readonly file?: { readonly bytes: Bytes; readonly contentType: string };
}

/**
 * Reads the body of a successful answer.
 * @param replayed true if the service had the same request before, and this is its first answer.
 */
export type Reader<Result> = (body: Body, replayed: boolean) => Result;

/** Signs, sends and repeats requests. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Throws: `Refused`, `Unavailable`, `OutcomeUnknown`. */
  async call<Result>(call: Call, read: Reader<Result>): Promise<Result> {
    const { retryForMs = this.#options.retryForMs ?? 45_000 } = call;
    const deadline = performance.now() + retryForMs;
    let maybeAccepted = false;
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await this.#attempt(call, read);
      if ('result' in outcome) return outcome.result;
      const { kind, details, retry } = outcome;
      if (kind === 'refused') {
        const refused = new Refused(details, attempts);
        // An earlier attempt may have been accepted, or may still arrive. Only this refusal says otherwise.
        if (!maybeAccepted || details.code === 'reference_reused') throw refused;
        throw new OutcomeUnknown(details, attempts, { cause: refused });
      }
      if (kind === 'unknown') maybeAccepted = true;
      const wait = waitMs(details, attempts, Math.random());
      if (!retry || performance.now() + wait > deadline) {
        if (maybeAccepted) throw new OutcomeUnknown(details, attempts);
        throw new Unavailable(details, attempts);
      }
      await sleep(wait);
    }
  }

  async #attempt<Result>(
    call: Call,
    read: Reader<Result>,
  ): Promise<{ readonly result: Result } | Failure> {
    const { attempt, replayed } = await this.#exchange(call);
    const verdict = judge(attempt, call.effect);
    if (verdict.kind !== 'success') return verdict;
    try {
      return { result: read(verdict.body, replayed) };
    } catch {
      return unreadable(call.effect);
    }
  }

  async #exchange(call: Call): Promise<{ attempt: Attempt; replayed: boolean }> {
    const { url, init } = await this.#request(call);
    const send = this.#options.fetch ?? fetch;
    try {
      const response = await send(url, init);
      const attempt = {
        kind: 'answer',
        status: response.status,
        text: await response.text(),
        retryAfter: response.headers.get('retry-after'),
      } as const;
      return { attempt, replayed: response.headers.get('idempotency-replayed') === 'true' };
    } catch (error) {
      return { attempt: failed(error), replayed: false };
    }
  }

  async #request(call: Call): Promise<{ url: string; init: RequestInit }> {
    const { key, signature = 'header', timeoutMs = 15_000 } = this.#options;
    const pairs = pairsOf(call.parameters);
    const signed = call.unsigned !== true;
    if (signed && signature === 'hash') pairs.push(['hash', await hashOf(call.parameters, key)]);
    const form = new URLSearchParams(pairs).toString();
    const url = new URL(`${call.base.replace(/\/$/, '')}${call.path}`);
    if (call.file !== undefined) url.search = form;
    const body = call.file?.bytes ?? bytesOf(form);
    const headers = new Headers({
      'content-type': call.file?.contentType ?? FORM,
      'user-agent': USER_AGENT,
    });
    if (signed && signature === 'header') {
      const target = `${url.pathname}${url.search}`;
      const seconds = Math.floor(Date.now() / 1000);
      const request = { method: 'POST', target, body, seconds, nonce: randomHex(32) };
      headers.set('x-signature', await headerSignature(request, key));
    }
    // A redirect is not followed: the signature is valid for one address.
    const signal = AbortSignal.timeout(timeoutMs);
    return {
      url: url.href,
      init: { method: 'POST', headers, body, redirect: 'manual', signal },
    };
  }
}

/** Before a connection exists nothing has been sent. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

function failed(error: unknown): Attempt {
  const { name, message, cause } = error as Error;
  const { code } = (cause ?? error) as { readonly code?: unknown };
  if (name === 'TimeoutError') return { kind: 'noAnswer', reason: 'No response in time' };
  const known = typeof code === 'string' ? code : undefined;
  const reason = `No response: ${known ?? message}`;
  return { kind: known !== undefined && NOT_SENT.has(known) ? 'notSent' : 'noAnswer', reason };
}

export async function sleep(forMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, forMs);
  });
}
