import { Type } from 'typebox';
import { replayEvents } from '../payments/events/administer.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { act, perMinute } from './action.ts';
import { EXAMPLE_EVENT, eventParams, readEventId } from './event-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { requireWebhook } from './webhook-view.ts';

/** A receiver that has missed many should have a whole period replayed instead. */
const LIMIT = perMinute(60, 'replays of single events');

export function replayEvent(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'replayEvent',
    method: 'POST',
    path: '/events/:event_id/replay',
    summary: 'Send one event again',
    description:
      'Sends an event again now, with its own `webhook-id`, so that a receiver that has it already ignores it: repeating this request is safe. Events of types that are off are not sent.',
    params: eventParams,
    response: Type.Object({ count: Type.Integer({ description: 'Always 1.', examples: [1] }) }),
    refusals: { not_found: {} },
    example: { params: { event_id: EXAMPLE_EVENT.event_id }, answer: { count: 1 } },
    handle: async ({ params }, context) =>
      await act(deps, context, { action: 'event.replay-one', limit: LIMIT }, async () => {
        await requireWebhook(deps.pool, context.signer);
        const eventId = readEventId(params.event_id);
        const all = { paymentId: undefined, since: undefined, until: undefined, state: undefined };
        const count =
          eventId === undefined
            ? 0
            : await replayEvents(deps.pool, context.signer, { ...all, eventId });
        if (count === 0) {
          const text = 'There is no such event any more, or its type is switched off';
          throw new Refusal('not_found', { field: 'event_id', text });
        }
        return { answer: { count }, change: { after: { event_id: eventId } } };
      }),
  });
}
