import { isIPv6 } from 'node:net';
import { Refusal } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { createTokenBuckets } from '../base/token-buckets.ts';

/** Each throws `too_many_requests` with the seconds to wait. */
export interface RateLimits {
  /** For each signed request, once its signature held. */
  forSigner(signer: { readonly kind: string; readonly name: string }): void;
  /**
   * For requests without a valid signature: operations that have none, and invalid signatures. A
   * client whose signatures are valid is never refused because of other requests from its address.
   */
  forStranger(address: string): void;
}

/** Longest burst, in seconds at the limit. */
const BURST_SECONDS = 5;

/**
 * A limit for each of many names, in memory; the returned function counts one request, and throws
 * `too_many_requests`.
 * @param options.perSecond 0: no limit.
 * @param options.textFor the text for people; default: how long to wait.
 */
export function createLimit(options: {
  readonly perSecond: number;
  readonly burst: number;
  /** Default: the system's. In milliseconds. */
  readonly nowMs?: (() => number) | undefined;
  readonly textFor?: (waitSeconds: number) => string;
}): (name: string) => void {
  const { perSecond, burst, textFor = tooManyRequests, nowMs = () => performance.now() } = options;
  if (perSecond === 0) return () => undefined;
  const buckets = createTokenBuckets({ perSecond, burst, maxNames: LIMITS.limitedNames, nowMs });
  return (name) => {
    const waitSeconds = buckets.take(name);
    if (waitSeconds === 0) return;
    throw new Refusal('too_many_requests', {
      retryAfterSeconds: waitSeconds,
      text: textFor(waitSeconds),
    });
  };
}

function tooManyRequests(waitSeconds: number): string {
  return `Too many requests. Wait ${waitSeconds} ${waitSeconds === 1 ? 'second' : 'seconds'} before you repeat this one`;
}

/**
 * The limits of one process, in memory.
 * @param options requests per second; 0: no limit.
 */
export function createRateLimits(options: {
  readonly signerPerSecond: number;
  readonly strangerPerSecond: number;
  /** Default: the system's. In milliseconds. */
  readonly nowMs?: () => number;
}): RateLimits {
  const { nowMs } = options;
  const limit = (perSecond: number): ((name: string) => void) =>
    createLimit({ perSecond, burst: perSecond * BURST_SECONDS, nowMs });
  // For each kind its own: joining kind and name would make a new text for each request.
  const signers = new Map<string, (name: string) => void>();
  const limitOf = (kind: string): ((name: string) => void) => {
    const added = limit(options.signerPerSecond);
    signers.set(kind, added);
    return added;
  };
  const strangers = limit(options.strangerPerSecond);
  return {
    forSigner: ({ kind, name }) => (signers.get(kind) ?? limitOf(kind))(name),
    forStranger: (address) => strangers(networkOf(address)),
  };
}

/** An IPv6 subscriber has a whole /64 (RFC 6177), so the /64 is counted. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const first = head.split(':').filter((group) => group !== '');
  const last = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':').toLowerCase();
}
