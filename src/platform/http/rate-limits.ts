import { isIPv6 } from 'node:net';
import { Refusal } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { createTokenBuckets } from '../base/token-buckets.ts';

/** Each throws `too_many_requests` with the seconds to wait. */
export interface RateLimits {
  /**
   * Counts a request that only its signer can have sent. Whoever has seen a signature that can be
   * repeated (`hash`) must not use up the signer's budget, so such requests have one for each network
   * that they come from.
   */
  forSigner(signer: LimitedSigner): void;
  /** Throws as `forSigner` would, without counting the request, which may be a repeat. */
  requireRoom(signer: LimitedSigner): void;
  /**
   * Counts a request that anybody can send: operations without a signature, invalid signatures, and
   * signatures that are expired or used. A client whose signatures are valid is never refused because
   * of other requests from its address.
   */
  forStranger(address: string): void;
}

export interface LimitedSigner {
  readonly kind: string;
  readonly name: string;
  /** Set for a request that others can repeat. */
  readonly address?: string;
}

/** Longest burst, in seconds at the limit. */
const BURST_SECONDS = 5;

/** A limit for each of many names. Both throw `too_many_requests`. */
export interface Limit {
  /** Counts one request. */
  count(name: string): void;
  /** Counts nothing. */
  requireRoom(name: string): void;
}

/**
 * A limit for each of many names, in memory.
 * @param options.perSecond 0: no limit.
 * @param options.textFor the text for people; default: how long to wait.
 */
export function createLimit(options: {
  readonly perSecond: number;
  readonly burst: number;
  /** Default: the system's. In milliseconds. */
  readonly nowMs?: (() => number) | undefined;
  readonly textFor?: (waitSeconds: number) => string;
}): Limit {
  const { perSecond, burst, textFor = tooManyRequests, nowMs = () => performance.now() } = options;
  if (perSecond === 0) return { count: () => undefined, requireRoom: () => undefined };
  const buckets = createTokenBuckets({ perSecond, burst, maxNames: LIMITS.limitedNames, nowMs });
  const refuseFor = (waitSeconds: number): void => {
    if (waitSeconds === 0) return;
    throw new Refusal('too_many_requests', {
      retryAfterSeconds: waitSeconds,
      text: textFor(waitSeconds),
    });
  };
  return {
    count: (name) => refuseFor(buckets.take(name)),
    requireRoom: (name) => refuseFor(buckets.wait(name)),
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
  const limit = (perSecond: number): Limit =>
    createLimit({ perSecond, burst: perSecond * BURST_SECONDS, nowMs });
  // For each kind its own: joining kind and name would make a new text for each request.
  const signers = new Map<string, Limit>();
  const limitOf = ({ kind }: LimitedSigner): Limit => {
    const known = signers.get(kind);
    if (known !== undefined) return known;
    const added = limit(options.signerPerSecond);
    signers.set(kind, added);
    return added;
  };
  const strangers = limit(options.strangerPerSecond);
  return {
    forSigner: (signer) => limitOf(signer).count(nameOf(signer)),
    requireRoom: (signer) => limitOf(signer).requireRoom(nameOf(signer)),
    forStranger: (address) => strangers.count(networkOf(address)),
  };
}

function nameOf({ name, address }: LimitedSigner): string {
  return address === undefined ? name : `${name} ${networkOf(address)}`;
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
