import type { Timers } from '../../platform/base/timers.ts';
import type { BalanceAnswer, Connector } from '../../connectors/operator.ts';

/**
 * Queries our float with the operator. Also `unknown` if the connector does not return in time or throws,
 * so that it does not delay others.
 */
export async function callWithin(connector: Connector, timers: Timers): Promise<BalanceAnswer> {
  const deadline = new AbortController();
  const silence = Promise.withResolvers<BalanceAnswer>();
  const forget = timers.after(connector.payDeadlineMs, () => {
    deadline.abort();
    silence.resolve(unknown('no answer in time'));
  });
  try {
    const answer = connector
      .balance?.(deadline.signal)
      .catch(() => unknown('the connector failed'));
    return (await Promise.race([answer, silence.promise])) ?? unknown('it cannot be asked');
  } finally {
    forget();
  }
}

function unknown(reason: string): BalanceAnswer {
  return { kind: 'unknown', reason };
}
