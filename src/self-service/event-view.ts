import { Type } from 'typebox';
import type { Static } from 'typebox';
import { EVENT_STATES } from '../payments/events/event-types.ts';
import { eventBody, webhookIdOf } from '../payments/events/event.ts';
import type { ListedEvent } from '../payments/events/read-events.ts';
import type { WireTime } from '../platform/base/clock.ts';
import { encodeReference } from '../parties/reference.ts';
import { nullable } from '../platform/http/schemas.ts';
import { EXAMPLE_PAYMENT } from './payment-view.ts';
import { instant } from './schemas.ts';

/** An event with the state of its delivery. */
export const event = Type.Object({
  event_id: Type.String({ examples: ['0199e3c0-7d3a-7000-8000-2b6a1f0c9d11'] }),
  webhook_id: Type.String({ description: 'The `webhook-id` that it is sent with, every time.' }),
  type: Type.String({ examples: ['transaction.succeeded'] }),
  at: instant('When the event happened.'),
  reference: nullable(
    Type.String({
      description: 'Our reference of the payment; null: the event is not about a payment.',
    }),
  ),
  payload: Type.Unsafe<{
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  }>({
    type: 'object',
    description: 'The body that is sent.',
    properties: {
      type: { type: 'string' },
      timestamp: { type: 'string' },
      data: { type: 'object', additionalProperties: true },
    },
    required: ['type', 'timestamp', 'data'],
  }),
  delivery: Type.Object({
    state: Type.String({
      description: `One of ${EVENT_STATES.map((state) => `\`${state}\``).join(', ')}.`,
      examples: ['delivered'],
    }),
    attempts: Type.Integer({ description: 'How often it was sent, counted from the last replay.' }),
    next_attempt_at: nullable(
      instant('When it will be sent next; null: it will not be sent again.'),
    ),
    ended_at: nullable(instant('When it was delivered or given up.')),
    last_result: nullable(Type.String({ description: 'Result of the last attempt to send it.' })),
  }),
});

export function eventView(row: ListedEvent, vid: string, wireTime: WireTime): Static<typeof event> {
  const { eventId, vendorId, paymentId, type } = row;
  return {
    event_id: eventId,
    webhook_id: webhookIdOf(row),
    type,
    at: row.occurredAt.toISOString(),
    reference: type.startsWith('transaction.') ? encodeReference(vendorId, paymentId) : null,
    payload: JSON.parse(eventBody(row, vid, wireTime)) as Static<typeof event>['payload'],
    delivery: {
      state: row.state,
      attempts: row.attemptCount,
      next_attempt_at: row.dueAt?.toISOString() ?? null,
      ended_at: row.endedAt?.toISOString() ?? null,
      last_result: row.lastResult,
    },
  };
}

/** An id in the path, with or without the prefix of a `webhook-id`; undefined: it can be none. */
export function readEventId(text: string): string | undefined {
  return /^(?:evt_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text)?.[1];
}

export const eventParams = Type.Object({
  event_id: Type.String({ description: 'Its `event_id`, or its `webhook_id`.' }),
});

export const EXAMPLE_EVENT: Static<typeof event> = {
  event_id: '0199e3c0-7d3a-7000-8000-2b6a1f0c9d11',
  webhook_id: 'evt_0199e3c0-7d3a-7000-8000-2b6a1f0c9d11',
  type: 'transaction.succeeded',
  at: '2026-11-21T06:15:01.000Z',
  reference: EXAMPLE_PAYMENT.reference,
  payload: {
    type: 'transaction.succeeded',
    timestamp: '2026-11-21T06:15:01.000Z',
    data: { vid: 'demo', ipay_reference: EXAMPLE_PAYMENT.reference },
  },
  delivery: {
    state: 'delivered',
    attempts: 1,
    next_attempt_at: null,
    ended_at: '2026-11-21T06:15:01.250Z',
    last_result: 'HTTP 204',
  },
};
