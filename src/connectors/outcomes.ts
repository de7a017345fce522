import type { CallbackReading, CallbackReport, Hint } from './operator-callbacks.ts';
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

/** A callback that is not from the operator. */
export function refused(reason: string): CallbackReading {
  return { kind: 'refused', reason };
}

/** A callback of the operator that changes nothing. */
export const NOTHING: CallbackReading = { kind: 'reports', reports: [] };

/** A callback that only causes a status query. */
export const ASK: Hint = { kind: 'hint', operatorHandle: null, says: null };

export function unreadable(problem: string, reference: string | null): CallbackReading {
  return { kind: 'unreadable', problem, reference };
}

export function reported(reference: string, outcome: CallbackReport['outcome']): CallbackReading {
  return { kind: 'reports', reports: [{ reference, outcome }] };
}

/**
 * The reading of a callback that the operator sent, whose body has a name twice. It may say that a payment
 * was made, so it is kept, but receivers differ in what it says, so people decide.
 */
export function contradictory(reference: string): CallbackReading {
  const reason = 'its body has a name twice';
  return reported(reference, { kind: 'mismatch', reason, says: null });
}
