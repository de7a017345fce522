import type { AnyResource } from '../platform/http/resource.ts';
import { act, perMinute } from './action.ts';
import { EXAMPLE_KEY, keyParams, keys } from './key-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { retireFormer } from './retire-former.ts';

const LIMIT = perMinute(10, 'ends of keys');

export function retireKey(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'retireKey',
    method: 'DELETE',
    path: '/keys/:key_id',
    summary: 'End a former security key',
    description:
      'Ends a key that a newer one has replaced, before its overlap is over. The current key cannot be ended: rotate it.',
    params: keyParams,
    response: keys,
    refusals: { not_found: {} },
    example: { params: { key_id: EXAMPLE_KEY.key_id }, answer: { items: [EXAMPLE_KEY] } },
    handle: async ({ params: { key_id: keyId } }, context) =>
      await act(deps, context, { action: 'vendor.retire-key', limit: LIMIT }, async () => {
        const holder = { holderKind: 'vendor', holder: context.signer.vid } as const;
        return await retireFormer(deps.pool, holder, keyId);
      }),
  });
}
