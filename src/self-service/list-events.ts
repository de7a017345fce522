import { Type } from 'typebox';
import { EVENT_STATES, EVENT_TYPES } from '../payments/events/event-types.ts';
import { listEvents as readEvents } from '../payments/events/read-events.ts';
import { Refusal } from '../platform/base/errors.ts';
import { parameter } from '../platform/http/parameter.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { EXAMPLE_EVENT, event, eventView } from './event-view.ts';
import { createFollower } from './follow-events.ts';
import { readPage } from './page.ts';
import { readSince } from './period.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { pageOf, paging, time } from './schemas.ts';

const oneOf = (values: readonly string[], description: string) =>
  parameter(
    new RegExp(`^(${values.join('|').replaceAll('.', String.raw`\.`)})$`),
    `one of ${values.join(', ')}`,
    description,
  );

const NAME = 'listEvents';

export function listEvents(deps: SelfServiceDeps): AnyResource {
  const follow = createFollower(deps);
  return resource(deps, {
    name: NAME,
    method: 'GET',
    path: '/events',
    summary: 'List events',
    description:
      'The events for your webhook with the state of their delivery, those of the newest payments first. They are kept for 30 days. With `since` they come in the order in which they happened, oldest first, and `next_cursor` is never null: send it to get what happens later.',
    query: Type.Object({
      type: Type.Optional(oneOf(EVENT_TYPES, 'Events of this type.')),
      state: Type.Optional(oneOf(EVENT_STATES, 'Events whose delivery is in this state.')),
      since: Type.Optional(time('Events since then, oldest first.')),
      wait: Type.Optional(
        parameter(
          /^(\d|1\d|20)$/,
          'a whole number from 0 to 20',
          'With `since`: how many seconds to wait when no event has happened yet. Default: 0.',
        ),
      ),
      ...paging,
    }),
    response: Type.Object(pageOf(event)),
    refusals: {},
    example: {
      query: { state: 'delivered' },
      answer: { items: [EXAMPLE_EVENT], next_cursor: null },
    },
    handle: async ({ query }, context) => {
      const { vid, vendorId } = context.signer;
      const of = { list: NAME, owner: vid, query };
      const type = EVENT_TYPES.find((known) => known === query.type);
      const state = EVENT_STATES.find((known) => known === query.state);
      const since = readSince(query.since, deps);
      if (since !== undefined) {
        const { isClosed } = context;
        return await follow({ of, vendorId, since, type, state, isClosed });
      }
      if (query.wait !== undefined) {
        throw new Refusal('missing_field', { field: 'since', text: 'wait requires since' });
      }
      return await readPage(
        deps,
        { ...of, reader: readerOf(context) },
        {
          read: async (beforeId: string | undefined, limit) =>
            await readEvents(deps.pool, vendorId, { type, state, beforeId, limit }),
          positionOf: ({ eventId }) => eventId,
          view: (row) => eventView(row, vid, deps.wireTime),
        },
      );
    },
  });
}
