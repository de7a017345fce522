import type { CallbackReading, CallbackRequest, Callbacks } from '../../operator-callbacks.ts';
import type { FinalOutcome } from '../../operator-outcomes.ts';
import { LIMITS } from '../../../platform/base/limits.ts';
import { cleanReference, decodeUtf8 } from '../../../platform/base/clean-text.ts';
import { contradictory, NOTHING, refused, reported, unreadable } from '../../outcomes.ts';
import { readBody, readContradictoryBody } from './answer.ts';
import { compileExpression, textOf } from './expression.ts';
import { inputOf } from './input.ts';
import { ABOUT_OTHERS, compileOutcome } from './outcome.ts';
import type { Outcome, OutcomeReader } from './outcome.ts';
import { SHARED_SECRET } from './settings.ts';
import type { CallbackSettings, HttpSettings } from './settings.ts';
import { compileVerifying } from './verifying.ts';
import type { Verifying, VerifyingKeys } from './verifying.ts';

/**
 * A signed callback is believed. An unsigned one only names a payment, which is then queried: nothing else
 * of it is read. One with a shared secret, which whoever has seen one callback can repeat, is not believed either
 * if the operator can be asked. But it may give the handle to ask by, if the answer that had it was lost.
 */
export function compileCallbacks(
  settings: HttpSettings,
  by: { readonly context: object; readonly keys: VerifyingKeys },
): Callbacks | null {
  const { callback, answer_format: answerFormat = 'json', billers } = settings;
  if (callback === undefined) return null;
  const { format = answerFormat, accepted_body: acceptedBody = {} } = callback;
  const verifying =
    callback.signature === undefined ? null : compileVerifying(callback.signature, by.keys);
  const isHint =
    verifying === null ||
    (callback.signature?.algorithm === SHARED_SECRET && settings.status !== undefined);
  const nameOf = compileName(callback);
  const read = compileReading(settings, callback);
  return {
    acceptedBody,
    keepsHandles: callback.handle !== undefined && !isHint,
    read: async (request, find) => {
      const unambiguous = readBody(format, request.body);
      const body = unambiguous ?? readContradictoryBody(format, request.body);
      const received = { ...by.context, ...receivedOf(request), body: body ?? {} };
      const problem =
        verifying === null ? null : await whyNotSigned(verifying, received, request.body);
      if (problem !== null) return refused(problem);
      const named = body && (await nameOf(received));
      if (named === undefined) return nameless(verifying !== null);
      const isHandle = callback.handle !== undefined;
      const sent = await (isHandle ? find.byHandle(named) : find.byReference(named));
      if (isHint) {
        if (sent === undefined) return NOTHING;
        const isTrusted = verifying !== null && unambiguous !== undefined;
        const outcome = isTrusted ? await read({ ...received, ...inputOf(sent, billers) }) : null;
        return hint(sent.reference, handleOf(outcome));
      }
      if (unambiguous === undefined) return contradictory(sent?.reference ?? cleanReference(named));
      const said = await read({ ...received, ...(sent && inputOf(sent, billers)) });
      const outcome = finalOf(said);
      const unread = problemOf(said);
      if (unread !== null) {
        return unreadable(unread, isHandle ? (sent?.reference ?? null) : cleanReference(named));
      }
      // A handle is the operator’s own text: one that looks like a reference of ours names no payment.
      if (sent === undefined && isHandle) return unknownHandle(named, outcome);
      if (sent?.isEarlier === true) return aboutEarlier(sent.reference, outcome);
      return outcome === null
        ? hint(sent?.reference ?? cleanReference(named), sent && handleOf(said))
        : reported(cleanReference(sent?.reference ?? named), outcome);
    },
  };
}

/**
 * The values of the request that expressions can use. A body that is not UTF-8 has no text: only a signature of its
 * bytes is valid.
 */
function receivedOf({ headers, path, body }: CallbackRequest) {
  return { headers, path, body_text: decodeUtf8(body) };
}

async function whyNotSigned(
  verifying: Verifying,
  received: object,
  bytes: Buffer,
): Promise<string | null> {
  return await verifying(received, bytes).catch(() => 'the signature cannot be checked');
}

function compileName({ handle, reference }: CallbackSettings) {
  const name = compileExpression('callback', handle ?? reference ?? 'null');
  return async (received: object): Promise<string | undefined> =>
    await name.evaluate(received).then(textOf, () => undefined);
}

/** Null: it cannot be read. Undefined: a callback of this operator has no outcome. */
type Reading = (input: object & { readonly body: unknown }) => Promise<Outcome | null | undefined>;

function compileReading({ status, amounts }: HttpSettings, callback: CallbackSettings): Reading {
  const part = compileExpression('callback.answer', callback.answer ?? 'body');
  const format = amounts?.answers ?? 'decimal';
  const [where, settings] =
    callback.outcome === undefined
      ? (['status.answer', status?.answer] as const)
      : (['callback.outcome', callback.outcome] as const);
  if (settings === undefined) return async () => undefined;
  const read: OutcomeReader = compileOutcome(where, settings, format);
  return async (input) => {
    try {
      const body = await part.evaluate(input);
      if (typeof body !== 'object' || body === null) return null;
      return await read({ ...input, body, http_status: 200 });
    } catch {
      return null;
    }
  };
}

/** Null: it has no final result. */
function finalOf(outcome: Outcome | null | undefined): FinalOutcome | null {
  const kind = outcome?.kind;
  return kind === 'paid' || kind === 'declined' || kind === 'reversed' ? (outcome ?? null) : null;
}

/** Why it does not follow the configuration; null: it does. */
function problemOf(outcome: Outcome | null | undefined): string | null {
  if (outcome === null) return 'its outcome cannot be read';
  if (outcome?.kind !== 'unknown' || outcome.answered) return null;
  return outcome.reason === ABOUT_OTHERS ? null : outcome.reason;
}

/** The handle that a callback gives, as the answer to a status query would; `about` decides if it is this payment's. */
function handleOf(outcome: Outcome | null | undefined): string | null {
  const handle = outcome?.kind === 'unknown' ? outcome.operatorHandle : null;
  return handle !== null && handle.length <= LIMITS.operatorHandleLength ? handle : null;
}

function hint(reference: string, operatorHandle: string | null = null): CallbackReading {
  return reported(reference, { kind: 'hint', operatorHandle, says: null });
}

/** It settles nothing: people find out which payment it is about. */
function unknownHandle(handle: string, says: FinalOutcome | null): CallbackReading {
  const reason = 'no payment has this handle';
  return reported(cleanReference(handle), { kind: 'mismatch', reason, says });
}

/** The operator may have executed both. */
function aboutEarlier(reference: string, says: FinalOutcome | null): CallbackReading {
  return reported(reference, { kind: 'mismatch', reason: 'it is about an earlier attempt', says });
}

function nameless(isSigned: boolean): CallbackReading {
  const problem = 'the callback names no payment';
  return isSigned ? unreadable(problem, null) : refused(problem);
}
