import { createSecretKey, randomBytes } from 'node:crypto';
import { headerSignatureText } from '../../src/parties/header-signature.ts';
import { sign } from '../../src/parties/signature.ts';
import type { BenchVendor } from '../stage.ts';

/** A request below `/v1`. */
interface Asked {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly signal?: AbortSignal;
}

/** Sends requests that are signed by a vendor, with the header signature. */
export type SignedCalls = (asked: Asked) => Promise<Response>;

export function signedCalls(port: number, { vid, key }: BenchVendor): SignedCalls {
  const secret = createSecretKey(key, 'utf8');
  return async ({ method, path, query = {}, json, signal = null }) => {
    const target = `${path}?${new URLSearchParams({ vid, ...query }).toString()}`;
    const signedAtSeconds = Math.floor(Date.now() / 1000);
    const nonce = randomBytes(16).toString('hex');
    const body = json === undefined ? undefined : JSON.stringify(json);
    const request = { method, target, body: body === undefined ? undefined : Buffer.from(body) };
    const sig = sign(headerSignatureText(request, { signedAtSeconds, nonce }), secret);
    const headers = {
      'x-signature': `v2,t=${signedAtSeconds},nonce=${nonce},sig=${sig}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return await fetch(`http://127.0.0.1:${port}${target}`, {
      ...{ method, headers, signal },
      ...(body === undefined ? {} : { body }),
    });
  };
}

/** Reads below `/v1`, signed by a vendor. Throws if the answer is not a success. */
export type SignedReads = (
  path: string,
  query: Readonly<Record<string, string>>,
) => Promise<Readonly<Record<string, unknown>>>;

export function signedReads(port: number, vendor: BenchVendor): SignedReads {
  const call = signedCalls(port, vendor);
  return async (path, query) => {
    const response = await call({ method: 'GET', path, query });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
}
