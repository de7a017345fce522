import type { Ending } from '../platform/outbound/exchange.ts';
import type { TokenSource } from './bearer-token.ts';

/** The time limit of a call, and the signal that ends it early. */
export interface Limit {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/**
 * Makes a call with a token, and again with a new one if the operator refuses the first. Only a refusal
 * that proves that the request went no further counts.
 */
export async function withToken(
  tokens: TokenSource,
  limit: Limit,
  by: {
    readonly send: (token: string, limit: Limit) => Promise<Ending>;
    readonly refusesToken: (ending: Ending) => boolean | Promise<boolean>;
  },
): Promise<Ending> {
  const endsAtMs = performance.now() + limit.deadlineMs;
  const left = (): Limit => ({ ...limit, deadlineMs: Math.max(1, endsAtMs - performance.now()) });
  const once = async (): Promise<{ readonly ending: Ending; readonly isRefused: boolean }> => {
    const given = await tokens.get(left().deadlineMs);
    if (given.kind === 'no_token') {
      return { ending: { kind: 'nothing_written', reason: given.reason }, isRefused: false };
    }
    // The token was requested for a call with more time, or this process did not run meanwhile.
    if (performance.now() >= endsAtMs) {
      return { ending: { kind: 'nothing_written', reason: 'no token in time' }, isRefused: false };
    }
    const ending = await by.send(given.token, left());
    const isRefused = await by.refusesToken(ending);
    if (isRefused) tokens.refused(given.token);
    return { ending, isRefused };
  };
  const first = await once();
  if (!first.isRefused || performance.now() >= endsAtMs) return first.ending;
  const second = await once();
  // If the second request was never written, the refusal is the result.
  return second.ending.kind === 'nothing_written' ? first.ending : second.ending;
}
