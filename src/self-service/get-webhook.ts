import type { AnyResource } from '../platform/http/resource.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { EXAMPLE_WEBHOOK, readWebhook, webhook } from './webhook-view.ts';

export function getWebhook(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'getWebhook',
    method: 'GET',
    path: '/webhook',
    summary: 'The webhook',
    description: 'Where your events are sent, and whether that works. A vendor has one webhook.',
    response: webhook,
    refusals: { not_found: {} },
    example: { answer: EXAMPLE_WEBHOOK },
    handle: async (_asked, { signer }) => await readWebhook(deps.pool, signer),
  });
}
