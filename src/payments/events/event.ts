import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../platform/base/ids.ts';
import type { StatusRow } from '../create/store.ts';
import { operatorFieldsOf, statusNumberOf } from '../create/status-fields.ts';

/** `corrected`: two people corrected a result that had already been reported. */
type EventType = 'transaction.succeeded' | 'transaction.failed' | 'transaction.corrected';

/** `given_up`: delivery failed for days, or the webhook was removed. */
export const EVENT_STATES = ['waiting', 'delivered', 'given_up'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/** What happened, with the payment as it was then. */
export interface EventRow extends Omit<StatusRow, 'under_way'> {
  readonly vendor_id: number;
  readonly event_id: string;
  readonly payment_id: string;
  readonly type: EventType;
  readonly occurred_at: Date;
}

/** The `webhook-id` of an event, the same at every attempt. */
export function webhookIdOf({ event_id: eventId }: Pick<EventRow, 'event_id'>): string {
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
  return JSON.stringify({
    type: row.type,
    timestamp: row.occurred_at.toISOString(),
    data: {
      vid,
      status: statusNumberOf(row),
      ipay_reference: encodeReference(row.vendor_id, row.payment_id),
      posted_time: wireTime.format(row.created_at),
      merchant_reference: row.merchant_reference,
      ...operatorFieldsOf({ ...row, under_way: false }, wireTime),
    },
  });
}
