import { Type } from 'typebox';
import { replayEvents } from '../../payments/events/administer.ts';
import { EVENT_STATES, EVENT_TYPES } from '../../payments/events/event-types.ts';
import { eventBody, webhookIdOf } from '../../payments/events/event.ts';
import { listEvents } from '../../payments/events/webhooks-store.ts';
import type { ListedEvent } from '../../payments/events/webhooks-store.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../parties/reference.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { partsInTurn } from '../../platform/base/long-reads.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { Audited, longReaderOf, readInVendorsTurn, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import type { EventView, EventsAnswer, ReplayAnswer } from '../vendor-answers.ts';
import { rowId } from './fields.ts';
import { pageOf } from '../../staff/pages.ts';
import { readEnd, readStart, time } from './period.ts';
import { onlyReason, reason } from './reason.ts';
import { requireVendor, vendorParams as params } from './vendor.ts';

export interface EventRoutesOptions {
  readonly pool: Pool;
  readonly wireTime: WireTime;
  readonly reads: LongReads;
}

const PAGE = 50;

const state = Type.Enum([...EVENT_STATES]);

/** The deliveries of a vendor's events, and sending them again. */
export function eventRoutes(options: EventRoutesOptions): AnyRoute[] {
  return [listRoute(options), replayOneRoute(options), replayRoute(options)];
}

function listRoute({ pool, wireTime, reads }: EventRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/vendors/:vid/events',
    permission: 'integration.read',
    params,
    query: Type.Object(
      {
        state: Type.Optional(state),
        type: Type.Optional(Type.Enum([...EVENT_TYPES])),
        cursor: Type.Optional(rowId),
      },
      { additionalProperties: false },
    ),
    handle: async (input, context): Promise<EventsAnswer> => {
      const { vendorId, vid } = await requireVendor(pool, input.params.vid);
      const { cursor: beforeId, state: wanted, type } = input.query;
      const page = { state: wanted, type, beforeId, limit: PAGE + 1 };
      const read = async () => await listEvents(pool, vendorId, page);
      const found = await readInVendorsTurn(reads, context, read);
      const { shown, next } = pageOf(found, PAGE, ({ eventId }) => eventId);
      return {
        events: shown.map((event) => eventView(event, vid, wireTime)),
        next,
      };
    },
  });
}

function eventView(event: ListedEvent, vid: string, wireTime: WireTime): EventView {
  const { eventId, type, attemptCount, lastResult, vendorId, paymentId } = event;
  const isAboutPayment = type.startsWith('transaction.');
  return {
    eventId,
    webhookId: webhookIdOf(event),
    type,
    at: event.occurredAt.toISOString(),
    state: event.state,
    attempts: attemptCount,
    dueAt: event.dueAt?.toISOString() ?? null,
    endedAt: event.endedAt?.toISOString() ?? null,
    lastResult,
    reference: isAboutPayment ? encodeReference(vendorId, paymentId) : null,
    body: eventBody(event, vid, wireTime),
  };
}

const ALL = { paymentId: undefined, since: undefined, until: undefined, state: undefined };

function replayOneRoute({ pool }: EventRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/vendors/:vid/events/:eventId/replay',
    permission: 'integration.act',
    action: 'event.replay',
    params: Type.Object({ ...params.properties, eventId: rowId }),
    body: onlyReason,
    handle: async (input): Promise<ReplayAnswer> => {
      const vendor = await requireVendor(pool, input.params.vid);
      const count = await replayEvents(pool, vendor, { ...ALL, eventId: input.params.eventId });
      if (count === 0) {
        throw new PlainError('There is no such event any more, or its type is switched off.');
      }
      return { count };
    },
  });
}

const FIVE_A_MINUTE = {
  count: 5,
  seconds: 60,
  text: 'At most five selections of events may be sent again in a minute.',
};
/** Events sent again one by one count as well. */
const PER_PERSON = {
  count: 30,
  seconds: 60,
  text: 'You have had events sent again 30 times within a minute, which is the limit.',
};
/** Each may concern all events of a month. */
const REPLAY_LIMIT = { perTarget: FIVE_A_MINUTE, perPerson: PER_PERSON };

function replayRoute({ pool, wireTime, reads }: EventRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/vendors/:vid/events/replay',
    permission: 'integration.act',
    action: 'event.replay',
    limit: REPLAY_LIMIT,
    params,
    body: Type.Object(
      {
        /** At least one of these three. */
        state: Type.Optional(state),
        from: Type.Optional(time),
        to: Type.Optional(time),
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async (input, context) => {
      const vendor = await requireVendor(pool, input.params.vid);
      const { state: wanted, from, to } = input.body;
      if ((wanted ?? from ?? to) === undefined) {
        throw new PlainError('Choose a state or a period.', { field: 'state' });
      }
      const selection = {
        paymentId: undefined,
        state: wanted,
        since: readStart(from, 'from', wireTime),
        until: readEnd(to, 'to', wireTime),
      };
      const inTurn = partsInTurn(reads, longReaderOf(context));
      const turns = { inTurn, isClosed: context.isClosed, most: LIMITS.replayedEvents };
      const count = await replayEvents(pool, vendor, selection, turns);
      const answer: ReplayAnswer = { count };
      return new Audited(answer, { after: { count, state: wanted, from, to } });
    },
  });
}
