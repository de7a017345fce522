import type { Callbacks } from '../../operator-callbacks.ts';
import { decodeText } from '../../../platform/base/clean-text.ts';
import { objectOf, readJson, textOf } from '../../values.ts';
import { ASK, NOTHING, refused, reported } from '../../outcomes.ts';
import { isRequestId } from './handle.ts';

/**
 * Status callbacks name only their requestId and are not signed. A callback about a known request
 * causes a status query; its content is not used.
 */
export const callbacks: Callbacks = {
  acceptedBody: { received: true },
  keepsHandles: false,
  read: async ({ body }, find) => {
    const requestId = requestIdOf(body);
    if (!isRequestId(requestId)) return refused('the body names no request');
    const sent = await find.byHandle(requestId);
    return sent === undefined ? NOTHING : reported(sent.reference, ASK);
  },
};

/** JSON or a form. */
function requestIdOf(body: Buffer): string | undefined {
  const json = objectOf(readJson(body));
  if (json !== undefined) return textOf(json['requestId']);
  return new URLSearchParams(decodeText(body)).get('requestId') ?? undefined;
}
