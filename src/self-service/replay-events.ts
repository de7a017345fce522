import { Type } from 'typebox';
import { strict } from '../platform/base/json-fields.ts';
import { replayEvents as replay } from '../payments/events/administer.ts';
import { EVENT_STATES } from '../payments/events/event-types.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { act, perMinute } from './action.ts';
import { readPeriod } from './period.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { period } from './schemas.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { partsInTurn } from '../platform/base/long-reads.ts';
import { requireWebhook } from './webhook-view.ts';

/** Each may concern all events of a month. People’s replays count as well. */
const LIMIT = perMinute(5, 'replays of selections of events');

const body = strict({
  state: Type.Optional(
    Type.Enum([...EVENT_STATES], { description: 'Events whose delivery is in this state.' }),
  ),
  ...period,
});

export function replayEvents(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'replayEvents',
    method: 'POST',
    path: '/events/replay',
    summary: 'Send events again',
    description:
      'Sends the events of a state, of a period, or both, again, with their own `webhook-id`, so that a receiver that has them already ignores them: repeating this request is safe. Events of types that are off are not sent. At most 100,000 events are sent at once; a request for more is refused, and one whose client has disconnected ends.',
    body,
    response: Type.Object({
      count: Type.Integer({ description: 'How many events are sent.', examples: [12] }),
    }),
    refusals: { not_found: {} },
    example: { body: { state: 'given_up' }, answer: { count: 12 } },
    handle: async (asked, context) =>
      await act(deps, context, { action: 'event.replay', limit: LIMIT }, async () => {
        const { state, from, to } = asked.body;
        if ((state ?? from ?? to) === undefined) {
          const text = 'Send state, from or to';
          throw new Refusal('missing_field', { field: 'state', text });
        }
        const times = readPeriod({ from, to }, deps);
        await requireWebhook(deps.pool, context.signer);
        const selection = { paymentId: undefined, state, since: times.from, until: times.to };
        const reader = readerOf(context);
        const inTurn = partsInTurn(deps.longReads, reader);
        const turns = { inTurn, isClosed: reader.isClosed, most: LIMITS.replayedEvents };
        const count = await replay(deps.pool, context.signer, selection, turns);
        return { answer: { count }, change: { after: { count, state, from, to } } };
      }),
  });
}
