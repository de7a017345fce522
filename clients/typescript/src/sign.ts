import { bytesOf, hexOf, hmac, hmacKey, sha256 } from './crypto.ts';
import type { Bytes } from './crypto.ts';

/** Parameters of a request. Undefined and null are left out; an empty text is sent and signed. */
export type Parameters = Readonly<Record<string, string | null | undefined>>;

/** The parameters that are sent, in ASCII order of their names, without `hash`. */
export function pairsOf(parameters: Parameters): [name: string, value: string][] {
  const pairs = Object.entries(parameters).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[0] !== 'hash',
  );
  // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted
  return pairs.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The text that `hash` signs: `name=value` joined by `&`, not URL-encoded. */
export function signedText(parameters: Parameters): string {
  return pairsOf(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** The parameter `hash`. */
export async function hashOf(parameters: Parameters, key: string): Promise<string> {
  return await hexHmac(key, signedText(parameters));
}

/** The header `X-Signature`, which signs one request as a whole. Every attempt needs its own. */
export async function headerSignature(
  request: {
    readonly method: string;
    /** Path and query as in the request line. */
    readonly target: string;
    readonly body: Bytes;
    readonly seconds: number;
    readonly nonce: string;
  },
  key: string,
): Promise<string> {
  const { method, target, seconds, nonce } = request;
  const digest = await sha256(request.body);
  const text = ['v2', method, target, digest, seconds, nonce].join('\n');
  return `v2,t=${seconds},nonce=${nonce},sig=${await hexHmac(key, text)}`;
}

async function hexHmac(key: string, text: string): Promise<string> {
  return hexOf(await hmac(await hmacKey(bytesOf(key)), bytesOf(text)));
}
