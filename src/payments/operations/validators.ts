import type { Biller } from '../billers/biller.ts';
import type { AccountAnswer, AccountQuery, Connector } from '../../connectors/operator.ts';

export type ConnectorOf = (operatorCode: string) => Connector | undefined;

/** An operator that can validate accounts of a biller. */
export interface Validator {
  readonly operatorCode: string;
  readonly connector: Connector & { readonly validate: NonNullable<Connector['validate']> };
  /** False while people have taken the route offline, or its circuit breaker is open. */
  readonly isUsable: boolean;
}

/**
 * The operators that can validate accounts of the biller, in the order in which they are asked: those
 * of its routes by position, then the biller's own, if it has no route.
 */
export function validatorsOf(biller: Biller, connectorOf: ConnectorOf): Validator[] {
  if (!biller.validatesAccounts) return [];
  const routed = biller.routes.map((route) => ({
    operatorCode: route.operatorCode,
    isUsable: route.obstacle !== 'offline' && route.obstacle !== 'breaker',
  }));
  const isRouted = routed.some(({ operatorCode }) => operatorCode === biller.operatorCode);
  const own = isRouted ? [] : [{ operatorCode: biller.operatorCode, isUsable: true }];
  return [...routed, ...own].flatMap((operator) => {
    const connector = connectorOf(operator.operatorCode);
    return connector !== undefined && canValidate(connector) ? [{ ...operator, connector }] : [];
  });
}

function canValidate(connector: Connector): connector is Validator['connector'] {
  return connector.validate !== null;
}

/**
 * Asks one operator after the other until one knows whether the account exists. All of them together
 * have as long as the slowest of them alone; each has an equal part of what is left.
 * @param begin takes a place at an operator; undefined: it has none left for this vendor.
 */
export async function askValidators(
  validators: readonly Validator[],
  query: AccountQuery,
  begin: (operatorCode: string) => (() => void) | undefined,
): Promise<AccountAnswer | { readonly kind: 'overloaded' }> {
  const usable = validators.filter(({ isUsable }) => isUsable);
  const endsAtMs =
    performance.now() + Math.max(0, ...usable.map(({ connector }) => connector.payDeadlineMs));
  let answer: AccountAnswer | { readonly kind: 'overloaded' } =
    usable.length === 0
      ? { kind: 'unknown', reason: 'no operator can be asked now' }
      : { kind: 'overloaded' };
  for (const [index, { operatorCode, connector }] of usable.entries()) {
    const end = begin(operatorCode);
    if (end === undefined) continue;
    const partMs = Math.max(0, endsAtMs - performance.now()) / (usable.length - index);
    const deadlineMs = Math.min(connector.payDeadlineMs, Math.ceil(partMs));
    try {
      answer = await connector.validate(query, AbortSignal.timeout(deadlineMs));
    } finally {
      end();
    }
    if (answer.kind !== 'unknown') return answer;
  }
  return answer;
}
