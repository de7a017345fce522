import type { Callbacks, FinalOutcome, SentPayment } from '../../dispatch/connector.ts';
import { readJson } from '../values.ts';
import { compileExpression, textOf } from './expression.ts';
import { inputOf } from './input.ts';
import { compileOutcome } from './outcome.ts';
import type { HttpSettings } from './settings.ts';

/** A callback only makes us ask. What it says counts against a payment that is settled: it opens a case. */
export function compileCallbacks(
  { callback, status }: HttpSettings,
  context: object,
): Callbacks | null {
  if (callback === undefined || status === undefined) return null;
  const { handle, reference, accepted_body: acceptedBody = {} } = callback;
  const name = compileExpression('callback', handle ?? reference ?? 'null');
  const part = compileExpression('callback.answer', callback.answer ?? 'null');
  const read = compileOutcome('status.answer', status.answer);

  const saysOf = async (body: unknown, sent: SentPayment): Promise<FinalOutcome | null> => {
    const answer = await part.evaluate({ ...context, body });
    if (typeof answer !== 'object' || answer === null) return null;
    const outcome = await read({ ...context, ...inputOf(sent), body: answer, http_status: 200 });
    return outcome.kind === 'paid' || outcome.kind === 'declined' || outcome.kind === 'reversed'
      ? outcome
      : null;
  };
  return {
    acceptedBody,
    read: async (request, find) => {
      const body = readJson(request.body);
      const named = await name
        .evaluate({ ...context, body: body ?? {} })
        .then(textOf, () => undefined);
      if (body === undefined || named === undefined) {
        return { kind: 'refused', reason: 'the callback names no payment' };
      }
      const sent = await (handle === undefined ? find.byReference(named) : find.byHandle(named));
      if (sent === undefined) return { kind: 'reports', reports: [] };
      const says = await saysOf(body, sent).catch(() => null);
      const outcome = { kind: 'hint', operatorHandle: null, says } as const;
      return { kind: 'reports', reports: [{ reference: sent.reference, outcome }] };
    },
  };
}
