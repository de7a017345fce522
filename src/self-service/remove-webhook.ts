import { Type } from 'typebox';
import { removeWebhook as remove } from '../payments/events/administer.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { act, perMinute } from './action.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { requireWebhook } from './webhook-view.ts';

const LIMIT = perMinute(10, 'removals of the webhook');

export function removeWebhook(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'removeWebhook',
    method: 'DELETE',
    path: '/webhook',
    summary: 'Remove the webhook',
    description: 'Removes the webhook with its secrets. Waiting events are given up.',
    response: Type.Object({
      given_up_events: Type.Integer({ description: 'How many events were waiting.' }),
    }),
    refusals: { not_found: {} },
    example: { answer: { given_up_events: 0 } },
    handle: async (_asked, context) =>
      await act(deps, context, { action: 'webhook.remove', limit: LIMIT }, async () => {
        const before = await requireWebhook(deps.pool, context.signer);
        const givenUp = await remove(deps.pool, context.signer, { isStaff: false });
        return {
          answer: { given_up_events: givenUp },
          change: { before: { url: before.url }, after: { givenUp } },
        };
      }),
  });
}
