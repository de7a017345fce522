import { Type } from 'typebox';
import { billersForVendors } from '../payments/billers/biller.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { EXAMPLE_BILLER, biller, billerView } from './biller-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';

export function describeBillers(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'describeBillers',
    method: 'GET',
    path: '/billers',
    summary: 'Billers with their parameters',
    description:
      'Every biller with your own fee, its state, and a JSON Schema of the parameters of create.',
    response: Type.Object({ items: Type.Array(biller) }),
    refusals: {},
    example: { answer: { items: [EXAMPLE_BILLER] } },
    handle: (_asked, { signer }) => ({
      items: billersForVendors(deps.catalogue.billers()).map((one) =>
        billerView(one, signer, deps.connectorOf),
      ),
    }),
  });
}
