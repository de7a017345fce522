import type { AnyResource } from '../platform/http/resource.ts';
import { act, perMinute } from './action.ts';
import { EXAMPLE_KEY, keyParams, keys } from './key-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { retireFormer } from './retire-former.ts';

const LIMIT = perMinute(10, 'ends of secrets');

export function retireWebhookSecret(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'retireWebhookSecret',
    method: 'DELETE',
    path: '/webhook/secrets/:key_id',
    summary: 'End a former secret of the webhook',
    description: 'Ends a secret that a newer one has replaced, before its overlap is over.',
    params: keyParams,
    response: keys,
    refusals: { not_found: {} },
    example: { params: { key_id: EXAMPLE_KEY.key_id }, answer: { items: [EXAMPLE_KEY] } },
    handle: async ({ params: { key_id: keyId } }, context) =>
      await act(deps, context, { action: 'webhook.retire-secret', limit: LIMIT }, async () => {
        const holder = { holderKind: 'webhook', holder: context.signer.vid } as const;
        return await retireFormer(deps.pool, holder, keyId);
      }),
  });
}
