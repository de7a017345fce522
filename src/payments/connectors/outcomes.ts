import type { Declined, NotSent, Unknown } from '../dispatch/connector.ts';

export function declined(
  code: string,
  failureCode: Declined['failureCode'],
  message: string,
): Declined {
  return { kind: 'declined', code, failureCode, message };
}

export function notSent(
  reason: string,
  by: { readonly answered: boolean; readonly operatorPaused?: boolean },
): NotSent {
  return {
    kind: 'not_sent',
    reason,
    operatorPaused: by.operatorPaused ?? false,
    answered: by.answered,
  };
}

export function unknown(reason: string, answered: boolean): Unknown {
  return { kind: 'unknown', reason, operatorHandle: null, answered };
}
