import type {
  CallbackReading,
  Callbacks,
  PaymentFinder,
  SentPayment,
} from '../../operator-callbacks.ts';
import type { DeclineCode, FinalOutcome } from '../../operator-outcomes.ts';
import { contradictory, declined, NOTHING, refused, reported, unreadable } from '../../outcomes.ts';
import type { SecretPath, SecretPaths } from '../../secret-path.ts';
import { outcomeOfResult, paid } from './classify.ts';
import { FLOAT_TOO_LOW, NOT_PAID, NOT_PAID_IF_DECLINED } from './codes.ts';
import { formatHandle, handleOf, knownHandle, parseHandle, withResult } from './handle.ts';
import type { Handle } from './handle.ts';
import { availableBalance, readResult } from './result.ts';
import type { Result } from './result.ts';
import { readContradictory } from '../../values.ts';

/** Kinds of callback URLs. */
export const RESULT = 'r';
export const STATUS = 's';
export const BALANCE = 'b';
/** The request waited too long in Daraja's queue. That is not a result. */
export const TIMEOUT = 't';

/** Callbacks differ in this between Daraja's ways to pay. */
export interface Rules {
  /** The OriginatorConversationID that an attempt is sent with; null: Daraja chooses it. */
  readonly ownId: (attempt: Pick<SentPayment, 'reference' | 'attemptNumber'>) => string | null;
  /** The meaning of a ResultCode that proves that nothing was executed; undefined: it proves nothing. */
  readonly declineOf: (resultCode: string) => DeclineCode | undefined;
}

/**
 * Callbacks are not signed; they arrive on URLs that only Daraja knows. Even so, the Result of a
 * payment only causes a status query. The answer to that query settles if it names our payment.
 */
export function createCallbacks(paths: SecretPaths, floatAccount: string, rules: Rules): Callbacks {
  return {
    acceptedBody: { ResultCode: 0, ResultDesc: 'Accepted' },
    keepsHandles: false,
    read: async (request, find) => {
      const about = paths.read(request.path);
      if (about === undefined) return refused('the path is not one of ours');
      if (about.kind === TIMEOUT) {
        return about.reference === '' ? NOTHING : hint(about.reference, null, null);
      }
      const result = readResult(request.body);
      if (result === undefined) return unreadableResult(about, request.body);
      if (about.kind === BALANCE) return readBalance(result, floatAccount);
      return about.kind === STATUS
        ? await readStatus(about, result, { find, rules })
        : await readPaymentResult(about, result, { find, rules });
    },
  };
}

function unreadableResult({ kind, reference }: SecretPath, body: Buffer): CallbackReading {
  // The float is asked for again.
  if (kind === BALANCE) return NOTHING;
  if (readContradictory(body) !== undefined) return contradictory(reference);
  return unreadable('the body is not a Result', reference);
}

async function readPaymentResult(
  about: SecretPath,
  result: Result,
  { find, rules }: { readonly find: PaymentFinder; readonly rules: Rules },
): Promise<CallbackReading> {
  const { reference } = about;
  const says = outcomeOfResult(result, rules.declineOf);
  const handle = handleOf(result.conversationId, result.originatorId);
  if (handle === null) return unreadable('the Result has no ConversationID', reference);
  const sent = await find.byReference(reference);
  const ownId = rules.ownId(about);
  const misfit = isOther(result.originatorId, ownId)
    ? 'it names another OriginatorConversationID'
    : sent && misfitOf(about, sent, result.conversationId);
  if (misfit !== undefined) return reported(reference, { kind: 'mismatch', reason: misfit, says });
  const declinedBy = says?.kind === 'declined' ? says.code : null;
  const stored = parseHandle(sent?.operatorHandle ?? null);
  return hint(reference, { ...withResult(handle, stored, result), declinedBy }, says);
}

async function readStatus(
  about: SecretPath,
  result: Result,
  { find, rules }: { readonly find: PaymentFinder; readonly rules: Rules },
): Promise<CallbackReading> {
  // The query failed, not the payment.
  if (result.code !== '0') return NOTHING;
  const sent = await find.byReference(about.reference);
  const ownId = rules.ownId(about);
  const handle = knownHandle(sent?.operatorHandle ?? null, ownId);
  if (sent === undefined || handle === null) return NOTHING;
  const conversationId = namedBy(result, handle);
  if (conversationId === undefined) return NOTHING;
  const outcome = outcomeOfStatus(result, handle, rules);
  const originatorId = result.parameter('OriginatorConversationID') ?? '';
  const misfit = isOther(originatorId, ownId)
    ? 'it names another OriginatorConversationID'
    : misfitOf(about, sent, conversationId);
  if (misfit !== undefined) {
    return reported(about.reference, { kind: 'mismatch', reason: misfit, says: outcome });
  }
  if (outcome === null) return NOTHING;
  return outcome.kind === 'declined' && handle.declinedBy === FLOAT_TOO_LOW
    ? // The payment is valid, but our float is empty. The next query reports that it may be sent again.
      hint(about.reference, { ...handle, isOver: true }, null)
    : reported(about.reference, outcome);
}

/**
 * The ConversationID of the payment that the answer is about: ours, if it only has the other id. Undefined: it
 * names no payment, but perhaps the query itself, and so proves nothing.
 */
function namedBy(result: Result, { conversationId, originatorId }: Handle): string | undefined {
  const isOurs =
    originatorId !== null && result.parameter('OriginatorConversationID') === originatorId;
  const named = result.parameter('ConversationID') ?? '';
  // With nothing to compare it with, a ConversationID alone may be anybody's.
  const isComparable = conversationId !== '' || isOurs;
  if (isComparable && named !== '' && named !== result.conversationId) return named;
  return isOurs ? conversationId : undefined;
}

function outcomeOfStatus(
  result: Result,
  { declinedBy }: Handle,
  { declineOf }: Rules,
): FinalOutcome | null {
  const status = result.parameter('TransactionStatus') ?? '';
  if (status === 'Completed') {
    return paid(result, result.parameter('ReceiptNo') ?? '', result.parameter('Amount'));
  }
  if (status === 'Reversed') return { kind: 'reversed', message: 'Reversed by the operator' };
  const isProof = NOT_PAID.has(status) || (declinedBy !== null && NOT_PAID_IF_DECLINED.has(status));
  if (!isProof) return null;
  const failureCode = declinedBy === null ? undefined : declineOf(declinedBy);
  return declined(declinedBy ?? status, failureCode ?? 'declined', `Not paid: ${status}`);
}

/** Names another instruction than ours. Without an id of our own this says nothing. */
const isOther = (originatorId: string, ownId: string | null): boolean =>
  ownId !== null && originatorId !== '' && originatorId !== ownId;

/** Why the callback does not match the instruction. */
function misfitOf(
  about: SecretPath,
  sent: SentPayment,
  conversationId: string,
): string | undefined {
  if (about.attemptNumber !== sent.attemptNumber) return 'it is about another attempt';
  const known = parseHandle(sent.operatorHandle);
  if (known === null || known.conversationId === conversationId) return undefined;
  return 'it names another ConversationID';
}

function readBalance(result: Result, floatAccount: string): CallbackReading {
  const balanceCents = availableBalance(result.parameter('AccountBalance') ?? '', floatAccount);
  return balanceCents === undefined ? NOTHING : { kind: 'balance', balanceCents };
}

function hint(
  reference: string,
  handle: Handle | null,
  says: FinalOutcome | null,
): CallbackReading {
  const operatorHandle = handle === null ? null : formatHandle(handle);
  return reported(reference, { kind: 'hint', operatorHandle, says });
}
