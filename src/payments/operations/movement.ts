import { Type } from 'typebox';
import { parseSenderTime } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { CURRENCY, moneyNumber } from '../../platform/base/money.ts';
import { markedReplay } from '../../platform/http/operation.ts';
import { headerStatus, wireTimeText } from '../../platform/http/schemas.ts';
import type { Movement } from '../collections/collect.ts';

/** Response of fund and of collections (specification §2.3). */
export const movementSchema = Type.Object({
  header_status: headerStatus,
  msg: Type.Object({
    status: Type.Integer({
      description: '1 when money was moved, 0 when there was nothing to move.',
    }),
    text: Type.String({ examples: ['Amount moved'] }),
    amount: Type.Number({ description: 'Amount moved, in KES.' }),
    reference: Type.String({
      description:
        'Identifies the movement; empty when nothing moved. Book each reference once: an answer with the header `Idempotency-Replayed: true` describes a movement that an earlier answer may have described already.',
    }),
    posted_time: wireTimeText('Time of the movement.'),
  }),
});

export function movementOnWire(movement: Movement, moved: string, wireTime: WireTime) {
  const nothing = movement.reference === null;
  const answer = {
    header_status: 200,
    msg: {
      status: nothing ? 0 : 1,
      text: nothing ? 'Nothing to move' : moved,
      amount: moneyNumber(movement.amountCents),
      reference: movement.reference ?? '',
      posted_time: wireTime.format(movement.postedAt),
    },
  };
  return markedReplay(answer, !nothing && !movement.fresh);
}

export function requireKes(text: string): void {
  if (text !== CURRENCY) throw new Refusal('unsupported_currency', { field: 'currency' });
}

/** The time in a field, in any form that senders use. Throws: `invalid_field`. */
export function requireTime(text: string, field: string, wireTime: WireTime): Date {
  const time = parseSenderTime(text, wireTime);
  if (time !== undefined) return time;
  throw new Refusal('invalid_field', { field, text: `${field} is not a valid time` });
}
