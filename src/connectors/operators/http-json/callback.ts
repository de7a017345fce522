import type { CallbackReading, CallbackRequest } from '../../operator-callbacks.ts';
import { contradictory, NOTHING, refused, reported, unreadable } from '../../outcomes.ts';
import { cleanReference, decodeUtf8 } from '../../../platform/base/clean-text.ts';
import { objectOf, readContradictory, readJson, textOf } from '../../values.ts';
import { readPaymentAnswer } from './answers.ts';
import { declinedOutcome, paidOutcome } from './classify.ts';
import type { Signing } from './signing.ts';

/**
 * Reads a callback: signature over the bytes as received, then the same object as an answer to an
 * instruction. Only "paid" and "declined" are reports; others are acknowledged and change nothing.
 * @param bodyBytes largest body.
 */
export function readSignedCallback(
  request: CallbackRequest,
  signing: Signing,
  bodyBytes: number,
): CallbackReading {
  if (request.body.length > bodyBytes) return refused('the body is too large');
  // The signature covers text. Invalid UTF-8 would be read as different characters.
  const text = decodeUtf8(request.body);
  if (text === undefined) return refused('the body is not UTF-8');
  if (!signing.verify(text, request.headers)) return refused('the signature is not valid');
  const answer = readPaymentAnswer(request.body);
  switch (answer?.status) {
    case 'paid':
      return reported(cleanReference(answer.reference), paidOutcome(answer));
    case 'declined':
      return reported(cleanReference(answer.reference), declinedOutcome(answer));
    case 'accepted':
    case 'processing':
    case 'unavailable':
      return NOTHING;
    default:
      return contradictoryReport(request.body) ?? unreadableReport(request.body);
  }
}

function unreadableReport(body: Buffer): CallbackReading {
  const named = textOf(objectOf(readJson(body))?.['reference']);
  const reference = named === undefined ? null : cleanReference(named);
  return unreadable('the body does not follow the protocol', reference);
}

function contradictoryReport(body: Buffer): CallbackReading | undefined {
  const reference = textOf(objectOf(readContradictory(body))?.['reference']);
  return reference === undefined ? undefined : contradictory(cleanReference(reference));
}
