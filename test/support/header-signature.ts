import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { WireRequest } from './vendor-client.ts';

export interface Signing {
  readonly key: string;
  /** Default: now. */
  readonly seconds?: number;
  /** Default: a new one. */
  readonly nonce?: string;
}

/** The documented text and header, implemented independently, so that a mistake in the service is found. */
export function headerOf(request: WireRequest, signing: Signing): string {
  const { key, nonce = randomBytes(16).toString('hex') } = signing;
  const seconds = signing.seconds ?? Math.floor(Date.now() / 1000);
  const digest = createHash('sha256')
    .update(request.body ?? '')
    .digest('hex');
  const text = `v2\n${request.method}\n${request.path}\n${digest}\n${seconds}\n${nonce}`;
  const sig = createHmac('sha256', key).update(text).digest('hex');
  return `v2,t=${seconds},nonce=${nonce},sig=${sig}`;
}

export function withHeader(request: WireRequest, header: string): WireRequest {
  return { ...request, headers: { ...request.headers, 'X-Signature': header } };
}
