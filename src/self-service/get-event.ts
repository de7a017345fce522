import { listEvents } from '../payments/events/read-events.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { EXAMPLE_EVENT, event, eventParams, eventView, readEventId } from './event-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';

export function getEvent(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'getEvent',
    method: 'GET',
    path: '/events/:event_id',
    summary: 'One event',
    description: 'An event with the state of its delivery.',
    params: eventParams,
    response: event,
    refusals: { not_found: {} },
    example: { params: { event_id: EXAMPLE_EVENT.event_id }, answer: EXAMPLE_EVENT },
    handle: async ({ params }, { signer: { vid, vendorId } }) => {
      const eventId = readEventId(params.event_id);
      const wanted = { state: undefined, eventId, limit: 1 };
      const [found] = eventId === undefined ? [] : await listEvents(deps.pool, vendorId, wanted);
      if (found === undefined) throw new Refusal('not_found', { field: 'event_id' });
      return eventView(found, vid, deps.wireTime);
    },
  });
}
