import { createSecretKey, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { DEMO_KEYS } from '../../parties/http/demo-signers.ts';
import { SIGNATURE_HEADER, headerSignatureText } from '../../parties/header-signature.ts';
import { sign } from '../../parties/signature.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { command, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';

export interface ApiOptions {
  readonly json?: boolean;
  readonly url?: URL;
  readonly vid: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The service's time; undefined: it does not say. */
  readonly at: Date | undefined;
  readonly retryAfterSeconds: number | undefined;
}

interface Asked {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** The API, used as a vendor's program does. */
export interface VendorApi {
  /** The vendor's key. */
  readonly key: KeyObject;
  /** Below the address of the billing operations. Rejects only if there is no answer. */
  call(method: string, path: string, asked?: Asked): Promise<ApiAnswer>;
  /** A control of the sandbox. Throws: `PlainError` with what was refused. */
  control(method: string, path: string, body?: Asked['body']): Promise<ApiAnswer['body']>;
}

const CALL_MS = 40_000;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Starts a command that calls the API. */
export function apiCommand(parent: Command, spec: string, summary: string): Command {
  return command(parent, spec, summary)
    .option('--vid <vid>', 'vendor ID', signerName, 'demo')
    .option(
      '--url <url>',
      'address of the billing operations (default: this machine’s service on PORT)',
      address,
    );
}

/**
 * The key is MALIPO_KEY; the sandbox's vendors on this machine need none, because their keys are public.
 * Throws: `PlainError` if there is no key.
 */
export function openApi(
  { surroundings }: Pick<Cli, 'surroundings'>,
  options: ApiOptions,
): VendorApi {
  const config = readConfig('sandbox', surroundings.environment);
  const url = options.url ?? new URL(`http://127.0.0.1:${config.port}${config.billingPath}`);
  const demo = new Map<string, string>(Object.entries(DEMO_KEYS)).get(options.vid);
  const text = config.vendorKey ?? (LOOPBACK.has(url.hostname) ? demo : undefined);
  if (text === undefined) {
    throw new PlainError(`Set MALIPO_KEY to the security key of ${options.vid}.`);
  }
  const key = createSecretKey(text, 'utf8');
  const send = createSend(options.vid, key);
  return {
    key,
    call: async (method, path, asked = {}) =>
      await send(method, new URL(`${url.href.replace(/\/$/, '')}${path}`), asked),
    control: async (method, path, body) => {
      const asked = body === undefined ? {} : { body };
      const answer = await send(method, new URL(`/sandbox${path}`, url), asked).catch(
        (error: unknown) => {
          throw new PlainError(`${url.origin} does not answer: ${reasonOf(error)}`);
        },
      );
      return requireSuccess(answer);
    },
  };
}

function createSend(vid: string, key: KeyObject) {
  return async (method: string, url: URL, asked: Asked): Promise<ApiAnswer> => {
    const { query = {}, signal } = asked;
    url.search = new URLSearchParams({ vid, ...query }).toString();
    const target = url.pathname + url.search;
    const body = asked.body === undefined ? undefined : Buffer.from(JSON.stringify(asked.body));
    const made = { signedAtSeconds: Math.floor(Date.now() / 1000), nonce: randomUUID() };
    const sig = sign(headerSignatureText({ method, target, body }, made), key);
    const header = `v2,t=${made.signedAtSeconds},nonce=${made.nonce},sig=${sig}`;
    const limit = AbortSignal.timeout(CALL_MS);
    const answer = await fetch(url, {
      method,
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      headers: {
        [SIGNATURE_HEADER]: header,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const date = answer.headers.get('date');
    return {
      status: answer.status,
      body: await objectIn(answer),
      at: date === null ? undefined : new Date(date),
      retryAfterSeconds: secondsIn(answer.headers.get('retry-after')),
    };
  };
}

/** A proxy may answer with a date; then the usual pause applies. */
function secondsIn(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

/**
 * The body of a response; empty for an error that is not in the service's form, such as a proxy's.
 * Rejects if the body of a success is cut off or not in JSON.
 */
async function objectIn(answer: Response): Promise<ApiAnswer['body']> {
  const value: unknown = await answer.json().catch((error: unknown) => {
    if (answer.ok) throw error;
  });
  return typeof value === 'object' && value !== null ? (value as ApiAnswer['body']) : {};
}

/** Throws: `PlainError` with what was refused. */
export function requireSuccess(answer: ApiAnswer): ApiAnswer['body'] {
  if (answer.status === 200) return answer.body;
  const { code, text } = refusalIn(answer);
  if (code === 'unknown_path') {
    throw new PlainError('This service has no controls: only the sandbox (npm start) has them.');
  }
  throw new PlainError(`${text} (${code})`);
}

/** The code and the text of an error, in both of the forms that errors have. */
function refusalIn({ status, body }: ApiAnswer): { readonly code: string; readonly text: string } {
  const [refusal] = [body['error']].flat() as ({ code?: unknown; text?: unknown } | undefined)[];
  const { code, text } = refusal ?? {};
  if (typeof code === 'string' && typeof text === 'string') return { code, text };
  return { code: `HTTP ${status}`, text: 'The service answers with an error' };
}

/** Describes the reason of a failed call for people. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

/** A URL with http or https. */
export function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError('It must be a URL that begins with http:// or https://.');
}
