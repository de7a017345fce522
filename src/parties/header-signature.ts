import { createHash } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { LIMITS } from '../platform/base/limits.ts';
import { matchingKey } from './signature.ts';

/**
 * The second form of the signature, in a header of the request. It stands for one request at one
 * time at one place, so that who overhears it cannot send it again:
 *
 *     X-Signature: v2,t=<epoch seconds>,nonce=<16 to 64 of A-Za-z0-9_->,sig=<64 hex digits>
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

/** A request as it came, before anything was read from it. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query as they stand in the request line. */
  readonly target: string;
  readonly body: Buffer | undefined;
  /** SHA-256 in hex that the body has to have, for one that has not arrived. */
  readonly bodySha256?: string | undefined;
}

/** Undefined when the text is no v2 signature. */
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

/** Which of the signer's keys made the signature; undefined when none did, at the same cost. */
export function verifyHeaderSignature(
  signature: HeaderSignature,
  request: SignedRequest,
  keys: readonly KeyObject[],
): number | undefined {
  return matchingKey(headerSignatureText(request, signature), signature.sig, keys);
}

/** Whether it was signed about now, by the clock of a sender that is a little wrong. */
export function isFresh(signature: HeaderSignature, now: Date): boolean {
  const ageSeconds = now.getTime() / 1000 - signature.signedAtSeconds;
  return Math.abs(ageSeconds) <= LIMITS.signatureWindowSeconds;
}
