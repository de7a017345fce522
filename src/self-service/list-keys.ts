import { listKeysOf } from '../parties/read-keys.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { EXAMPLE_KEY, keyViews, keys } from './key-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';

export function listKeys(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'listKeys',
    method: 'GET',
    path: '/keys',
    summary: 'List security keys',
    description: 'Your valid security keys, without their values: the current one first.',
    response: keys,
    refusals: {},
    example: { answer: { items: [EXAMPLE_KEY] } },
    handle: async (_asked, { signer: { vid } }) => ({
      items: keyViews(await listKeysOf(deps.pool, { holderKind: 'vendor', holder: vid })),
    }),
  });
}
