import { bytesOf, randomHex } from './crypto.ts';
import type { Bytes } from './crypto.ts';
import { judge, unreadable, waitMs } from './decide.ts';
import type { Attempt, Body, Effect, Failure } from './decide.ts';
import { OutcomeUnknown, Refused, Unavailable, detailsOf } from './errors.ts';
import { Patience } from './patience.ts';
import { hashOf, headerSignature, pairsOf } from './sign.ts';
import type { Parameters } from './sign.ts';

const USER_AGENT = 'malipo-client-typescript/0.1.0';
const FORM = 'application/x-www-form-urlencoded';

export interface TransportOptions {
  /** The security key. */
  readonly key: string;
  /**
   * The signature of requests. `header` (the default) signs the whole request and prevents replay.
   * `hash` signs the parameters only; it is for servers behind proxies that rewrite paths. Operations
   * below `/v1` are always signed with the header.
   */
  readonly signature?: 'header' | 'hash' | undefined;
  /** Time limit of one attempt. Default: 15 s. */
  readonly timeoutMs?: number | undefined;
  /** A request is repeated for this long if the service is unavailable or silent. Default: 45 s; 0: never. */
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
  readonly file?: { readonly bytes: Bytes; readonly contentType: string } | undefined;
  /** Set for an operation below `/v1`: its parameters go into the query string. */
  readonly method?: Method | undefined;
  /** The body of an operation below `/v1`. */
  readonly json?: object | undefined;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

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
    return await this.#repeat(call, async () => await this.#attempt(call, read));
  }

  /**
   * The chunks of a file. Throws as `call` does before the first one; later `Unavailable`, because a file
   * that is cut off cannot be continued.
   */
  async *download(call: Call): AsyncGenerator<Uint8Array, void> {
    const { reader, patience } = await this.#repeat(call, async () => await this.#open(call));
    try {
      for (;;) {
        patience.renew();
        const { done, value } = await reader.read().catch((error: unknown) => {
          const { reason } = failed(error);
          throw new Unavailable(detailsOf({ code: 'no_answer', text: reason }), 1);
        });
        // The program may take its time with it.
        patience.end();
        if (done) return;
        yield value;
      }
    } finally {
      patience.end();
      await reader.cancel().catch(() => undefined);
    }
  }

  async #repeat<Result>(
    call: Call,
    attempt: () => Promise<{ readonly result: Result } | Failure>,
  ): Promise<Result> {
    const { retryForMs = this.#options.retryForMs ?? 45_000 } = call;
    const deadline = performance.now() + retryForMs;
    let maybeAccepted = false;
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await attempt();
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
    const verdict = judge(attempt, call.effect, formOf(call));
    if (verdict.kind !== 'success') return verdict;
    try {
      return { result: read(verdict.body, replayed) };
    } catch {
      return unreadable(call.effect);
    }
  }

  async #exchange(call: Call): Promise<{ attempt: Attempt; replayed: boolean }> {
    // Not within `try`: a request that cannot be made is a mistake of the program.
    const request = await this.#request(call);
    const patience = new Patience(this.#timeoutMs);
    try {
      const response = await this.#send(request, patience);
      const replayed = response.headers.get('idempotency-replayed') === 'true';
      return { attempt: await attemptOf(response), replayed };
    } catch (error) {
      return { attempt: failed(error), replayed: false };
    } finally {
      patience.end();
    }
  }

  /** A file whose chunks are read one by one: each one has the time of an attempt. */
  async #open(call: Call): Promise<{ readonly result: OpenFile } | Failure> {
    const request = await this.#request(call);
    const patience = new Patience(this.#timeoutMs);
    let attempt: Attempt;
    try {
      const response = await this.#send(request, patience);
      const type = response.headers.get('content-type') ?? '';
      const isFile = type.startsWith('text/csv') || type.startsWith('application/pdf');
      if (response.status === 200 && isFile && response.body !== null) {
        return { result: { reader: response.body.getReader(), patience } };
      }
      attempt = await attemptOf(response);
    } catch (error) {
      attempt = failed(error);
    }
    patience.end();
    const verdict = judge(attempt, call.effect, 'resource');
    return verdict.kind === 'success' ? unreadable(call.effect) : verdict;
  }

  async #send({ url, init }: SignedRequest, { signal }: Patience): Promise<Response> {
    const { fetch: ownFetch } = this.#options;
    if (ownFetch !== undefined) return await ownFetch(url, { ...init, signal });
    return await fetch(url, { ...init, ...FOR_DENO, signal });
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? 15_000;
  }

  /** Throws a TypeError if the address is not valid. */
  async #request(call: Call): Promise<SignedRequest> {
    const { key, signature = 'header' } = this.#options;
    const { method = 'POST', file, json } = call;
    const isResource = formOf(call) === 'resource';
    const byHeader = isResource || signature === 'header';
    const signed = call.unsigned !== true;
    const pairs = pairsOf(call.parameters);
    if (signed && !byHeader) pairs.push(['hash', await hashOf(call.parameters, key)]);
    const form = new URLSearchParams(pairs).toString();
    const url = new URL(`${call.base.replace(/\/$/, '')}${call.path}`);
    if (!/^https?:$/.test(url.protocol)) throw new TypeError(`Not an address: ${call.base}`);
    if (isResource || file !== undefined) url.search = form;
    const headers = new Headers({ 'user-agent': USER_AGENT });
    const content = contentOf({ file, json: isResource ? (json ?? null) : undefined, form });
    if (content !== undefined) headers.set('content-type', content.contentType);
    if (signed && byHeader) {
      const target = `${url.pathname}${url.search}`;
      const seconds = Math.floor(Date.now() / 1000);
      const body = content?.bytes ?? bytesOf('');
      const request = { method, target, body, seconds, nonce: randomHex(32) };
      headers.set('x-signature', await headerSignature(request, key));
    }
    // A redirect is not followed: the signature is valid for one address.
    const init = { method, headers, body: content?.bytes ?? null, redirect: 'manual' } as const;
    return { url: url.href, init };
  }
}

interface SignedRequest {
  readonly url: string;
  readonly init: RequestInit;
}

interface OpenFile {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly patience: Patience;
}

/**
 * Deno's `fetch` sends a request again by itself if a connection that was open from before is closed, and
 * its copy may be refused although the first one was accepted. So in Deno each request has its own.
 */
function optionsForDeno(): object {
  const { Deno } = globalThis as { Deno?: { createHttpClient?: (options: object) => unknown } };
  if (Deno?.createHttpClient === undefined) return {};
  return { client: Deno.createHttpClient({ poolMaxIdlePerHost: 0 }) };
}

const FOR_DENO = optionsForDeno();

function formOf({ method }: Pick<Call, 'method'>): 'operation' | 'resource' {
  return method === undefined ? 'operation' : 'resource';
}

/** @param of.json null: nothing is sent; undefined: a form. */
function contentOf(of: {
  readonly file: Call['file'];
  readonly json: object | null | undefined;
  readonly form: string;
}): { readonly bytes: Bytes; readonly contentType: string } | undefined {
  if (of.file !== undefined) return of.file;
  if (of.json === null) return undefined;
  return of.json === undefined
    ? { bytes: bytesOf(of.form), contentType: FORM }
    : { bytes: bytesOf(JSON.stringify(of.json)), contentType: 'application/json' };
}

async function attemptOf(response: Response): Promise<Attempt> {
  return {
    kind: 'answer',
    status: response.status,
    text: await response.text(),
    retryAfter: response.headers.get('retry-after'),
  };
}

/** Before a connection exists nothing has been sent. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** Its errors have no code. */
const NOT_SENT_BY_DENO = 'client error (Connect)';

function failed(error: unknown): Extract<Attempt, { readonly reason: string }> {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return { kind: 'noAnswer', reason: 'No response in time' };
  const { code, message: told = message } = (cause ?? error) as {
    readonly code?: unknown;
    readonly message?: string;
  };
  const isNotSent = typeof code === 'string' ? NOT_SENT.has(code) : told.includes(NOT_SENT_BY_DENO);
  const reason = `No response: ${typeof code === 'string' ? code : told}`;
  return { kind: isNotSent ? 'notSent' : 'noAnswer', reason };
}

export async function sleep(forMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, forMs);
  });
}
