import { enableWebhook, stopWebhook } from '../payments/events/administer.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { act, perMinute } from './action.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { EXAMPLE_WEBHOOK, readWebhook, requireWebhook, webhook } from './webhook-view.ts';

const LIMIT = perMinute(10, 'changes of the webhook');

const VERBS = {
  enable: {
    name: 'enableWebhook',
    summary: 'Enable the webhook',
    description: 'Resumes sending events, first those that have waited.',
    carryOut: enableWebhook,
  },
  disable: {
    name: 'disableWebhook',
    summary: 'Disable the webhook',
    description: 'Stops sending events until the webhook is enabled again. Meanwhile they wait.',
    carryOut: stopWebhook,
  },
} as const;

export function switchWebhook(deps: SelfServiceDeps, verb: keyof typeof VERBS): AnyResource {
  const { name, summary, description, carryOut } = VERBS[verb];
  return resource(deps, {
    name,
    method: 'POST',
    path: `/webhook/${verb}`,
    summary,
    description,
    response: webhook,
    refusals: { not_found: {} },
    example: { answer: EXAMPLE_WEBHOOK },
    handle: async (_asked, context) =>
      await act(deps, context, { action: `webhook.${verb}`, limit: LIMIT }, async () => {
        await requireWebhook(deps.pool, context.signer);
        await carryOut(deps.pool, context.signer, { isStaff: false });
        return { answer: await readWebhook(deps.pool, context.signer) };
      }),
  });
}
