import type { CallbackReport, Callbacks, SentPayment } from '../../operator-callbacks.ts';
import { ASK, contradictory, refused, reported, unreadable } from '../../outcomes.ts';
import type { SecretPaths } from '../../secret-path.ts';
import { readContradictory, readJson } from '../../values.ts';
import { isTransactionId, meaningOf, misfitOf, readTransaction } from './transaction.ts';
import type { Expected, Transaction } from './transaction.ts';

/** The kind of callback URL. */
export const TRANSACTION = 't';

/** Callbacks are not signed: each only makes the service query the state. */
export function createCallbacks(
  paths: SecretPaths,
  expectedOf: (sent: SentPayment) => Expected | undefined,
): Callbacks {
  return {
    acceptedBody: {},
    keepsHandles: false,
    read: async (request, find) => {
      const about = paths.read(request.path);
      if (about === undefined) return refused('the path is not one of ours');
      if (readContradictory(request.body) !== undefined) return contradictory(about.reference);
      const found = readTransaction(readJson(request.body));
      const { reference, attemptNumber } = about;
      if (found === undefined) return unreadable('the body is no transaction', reference);
      const sent = await find.byReference(reference);
      const outcome = sent
        ? outcomeOf(found, { sent, attemptNumber, expected: expectedOf(sent) })
        : ASK;
      return reported(reference, outcome);
    },
  };
}

function outcomeOf(
  found: Transaction,
  by: {
    readonly sent: SentPayment;
    readonly attemptNumber: number;
    readonly expected: Expected | undefined;
  },
): CallbackReport['outcome'] {
  const { sent, expected } = by;
  if (expected === undefined) return ASK;
  const meaning = meaningOf(found, expected);
  const isFinal = ['paid', 'declined', 'reversed'].includes(meaning.kind);
  const says = isFinal ? (meaning as Extract<typeof meaning, { message: string }>) : null;
  const reason =
    by.attemptNumber === sent.attemptNumber
      ? (misfitOf(found, expected) ?? otherId(found, sent))
      : 'it is about another attempt';
  return reason === undefined
    ? { kind: 'hint', operatorHandle: null, says }
    : { kind: 'mismatch', reason, says };
}

function otherId({ id }: Transaction, { operatorHandle }: SentPayment): string | undefined {
  return isTransactionId(operatorHandle) && operatorHandle !== id ? 'it has another id' : undefined;
}
