import { Type } from 'typebox';
import { EVENT_STATES, EVENT_TYPES } from '../payments/events/event-types.ts';
import { listEvents as readEvents } from '../payments/events/webhooks-store.ts';
import { parameter } from '../platform/http/parameter.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { EXAMPLE_EVENT, event, eventView } from './event-view.ts';
import { readPage } from './page.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { pageOf, paging } from './schemas.ts';

const oneOf = (values: readonly string[], description: string) =>
  parameter(
    new RegExp(`^(${values.join('|').replaceAll('.', String.raw`\.`)})$`),
    values.join(', '),
    description,
  );

const NAME = 'listEvents';

export function listEvents(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: NAME,
    method: 'GET',
    path: '/events',
    summary: 'List events',
    description:
      'The events for your webhook with what became of their delivery, newest payments first. They are kept for 30 days.',
    query: Type.Object({
      type: Type.Optional(oneOf(EVENT_TYPES, 'Events of this type.')),
      state: Type.Optional(oneOf(EVENT_STATES, 'Events whose delivery is in this state.')),
      ...paging,
    }),
    response: Type.Object(pageOf(event)),
    refusals: {},
    example: {
      query: { state: 'delivered' },
      answer: { items: [EXAMPLE_EVENT], next_cursor: null },
    },
    handle: async ({ query }, { signer: { vid, vendorId } }) =>
      await readPage(
        deps,
        { list: NAME, vid, query },
        {
          read: async (beforeId: string | undefined, limit) =>
            await readEvents(deps.pool, vendorId, {
              type: EVENT_TYPES.find((type) => type === query.type),
              state: EVENT_STATES.find((state) => state === query.state),
              beforeId,
              limit,
            }),
          positionOf: ({ eventId }) => eventId,
          view: (row) => eventView(row, vid, deps.wireTime),
        },
      ),
  });
}
