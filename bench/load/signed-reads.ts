import { createSecretKey, randomBytes } from 'node:crypto';
import { headerSignatureText } from '../../src/parties/header-signature.ts';
import { sign } from '../../src/parties/signature.ts';
import type { BenchVendor } from '../stage.ts';

/** Reads below `/v1`, signed by a vendor. Throws if the answer is not a success. */
export type SignedReads = (
  path: string,
  query: Readonly<Record<string, string>>,
) => Promise<Readonly<Record<string, unknown>>>;

export function signedReads(port: number, { vid, key }: BenchVendor): SignedReads {
  const secret = createSecretKey(key, 'utf8');
  return async (path, query) => {
    const target = `${path}?${new URLSearchParams({ vid, ...query }).toString()}`;
    const signedAtSeconds = Math.floor(Date.now() / 1000);
    const nonce = randomBytes(16).toString('hex');
    const request = { method: 'GET', target, body: undefined };
    const sig = sign(headerSignatureText(request, { signedAtSeconds, nonce }), secret);
    const headers = { 'x-signature': `v2,t=${signedAtSeconds},nonce=${nonce},sig=${sig}` };
    const response = await fetch(`http://127.0.0.1:${port}${target}`, { headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
}
