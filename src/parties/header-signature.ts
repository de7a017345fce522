import { createHash } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { LIMITS } from '../platform/base/limits.ts';
import { matchingKey } from './signature.ts';

/**
 * The second form of the signature, in a request header. It is valid for one request, once, at one
 * time and one path, so that someone who intercepts it cannot send it again:
 *
 * X-Signature: v2,t=<epoch seconds>,nonce=<16 to 64 of A-Za-z0-9_->,sig=<64 hex digits>
 */
export const SIGNATURE_HEADER = 'X-Signature';

const HEADER_PATTERN = /^v2,t=(\d{1,12}),nonce=([A-Za-z0-9_-]{16,64}),sig=([0-9a-fA-F]{64})$/;

export interface HeaderSignature {
  /** When it was signed, in seconds since 1970. */
  readonly signedAtSeconds: number;
  readonly nonce: string;
  /** 64 hexadecimal digits. */
  readonly sig: string;
}

/** A request as it arrived, before anything was parsed. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query as they stand in the request line. */
  readonly target: string;
  readonly body: Buffer | undefined;
  /** The SHA-256 in hex that a body which has not arrived must have. */
  readonly bodySha256?: string | undefined;
}

/** Undefined if the text is not a v2 signature. */
export function readHeaderSignature(header: string): HeaderSignature | undefined {
  const [, time = '', nonce = '', sig = ''] = HEADER_PATTERN.exec(header) ?? [];
  return sig === '' ? undefined : { signedAtSeconds: Number(time), nonce, sig };
}

/**
 * The text that is signed: six lines, joined by line feeds, without one at the end. No line can
 * hold a line feed, so no two requests share a text.
 */
export function headerSignatureText(
  request: SignedRequest,
  { signedAtSeconds, nonce }: Pick<HeaderSignature, 'signedAtSeconds' | 'nonce'>,
): string {
  const bodyDigest =
    request.bodySha256 ??
    createHash('sha256')
      .update(request.body ?? '')
      .digest('hex');
  return ['v2', request.method, request.target, bodyDigest, signedAtSeconds, nonce].join('\n');
}

/** The signer's key that made the signature; undefined, at the same cost, if none did. */
export function verifyHeaderSignature(
  signature: HeaderSignature,
  request: SignedRequest,
  keys: readonly KeyObject[],
): KeyObject | undefined {
  return matchingKey(headerSignatureText(request, signature), signature.sig, keys);
}

/** True if it was signed about now, allowing for a sender's inaccurate clock. */
export function isFresh(signature: HeaderSignature, now: Date): boolean {
  const ageSeconds = now.getTime() / 1000 - signature.signedAtSeconds;
  return Math.abs(ageSeconds) <= LIMITS.signatureWindowSeconds;
}
