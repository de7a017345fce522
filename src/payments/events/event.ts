import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../parties/reference.ts';
import type { Outcome } from '../create/payment.ts';
import type { StatusRow } from '../create/status-store.ts';
import { operatorFieldsOf, statusNumberOf } from '../create/status-fields.ts';
import type { EventType } from './event-types.ts';

/** An event, with the payment as it was at that time. */
export interface EventRow extends Omit<StatusRow, 'underWay' | 'outcome'> {
  readonly vendorId: number;
  readonly eventId: string;
  readonly paymentId: string;
  readonly outcome: Outcome;
  readonly type: EventType;
  readonly occurredAt: Date;
}

/** The `webhook-id` of an event, the same at every attempt. */
export function webhookIdOf({ eventId }: Pick<EventRow, 'eventId'>): string {
  return `evt_${eventId}`;
}

/** The body of an event that only shows whether the webhook works. */
export function testEventBody(vid: string, at: Date): string {
  return JSON.stringify({ type: 'webhook.test', timestamp: at.toISOString(), data: { vid } });
}

/**
 * The body that is sent: the event's type and time, and in `data` the payment as the status
 * operation returns it. Byte for byte the same in every attempt.
 */
export function eventBody(row: EventRow, vid: string, wireTime: WireTime): string {
  if (!row.type.startsWith('transaction.')) {
    const { type, occurredAt, details } = row;
    return JSON.stringify({ type, timestamp: occurredAt.toISOString(), data: { vid, ...details } });
  }
  return JSON.stringify({
    type: row.type,
    timestamp: row.occurredAt.toISOString(),
    data: {
      vid,
      status: statusNumberOf(row),
      ipay_reference: encodeReference(row.vendorId, row.paymentId),
      posted_time: wireTime.format(row.createdAt),
      merchant_reference: row.merchantReference,
      ...operatorFieldsOf({ ...row, underWay: false }, wireTime),
    },
  });
}
