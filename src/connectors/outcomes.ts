import type { CallbackReading } from './operator-callbacks.ts';
import type { Declined, NotSent, Unknown } from './operator-outcomes.ts';

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

/**
 * The reading of a callback that the operator sent, whose body has a name twice. It may say that a payment
 * was made, so it is kept, but receivers differ in what it says, so people decide.
 */
export function contradictory(reference: string): CallbackReading {
  const outcome = { kind: 'mismatch', reason: 'its body has a name twice', says: null } as const;
  return { kind: 'reports', reports: [{ reference, outcome }] };
}
