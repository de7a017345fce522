import type { Timers } from '../../platform/base/timers.ts';
import type { BalanceAnswer, Connector } from './connector.ts';

/**
 * Queries our float with the operator. Returns null if the connector does not return in time or throws, so that
 * it does not delay others.
 */
export async function callWithin(
  connector: Connector,
  timers: Timers,
): Promise<BalanceAnswer | null> {
  const deadline = new AbortController();
  const silence = Promise.withResolvers<null>();
  const forget = timers.after(connector.payDeadlineMs, () => {
    deadline.abort();
    silence.resolve(null);
  });
  try {
    const answer = connector.balance?.(deadline.signal).catch(() => null);
    return (await Promise.race([answer, silence.promise])) ?? null;
  } finally {
    forget();
  }
}
