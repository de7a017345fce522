import { ifForVendors } from '../payments/billers/biller.ts';
import { Type } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { EXAMPLE_BILLER, biller, billerView } from './biller-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';

export function describeBiller(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'describeBiller',
    method: 'GET',
    path: '/billers/:biller',
    summary: 'One biller with its parameters',
    description:
      'A biller with your own fee, its state, and a JSON Schema of the parameters of create.',
    params: Type.Object({ biller: Type.String({ description: 'Biller code.' }) }),
    response: biller,
    refusals: { not_found: {} },
    example: { params: { biller: EXAMPLE_BILLER.biller }, answer: EXAMPLE_BILLER },
    handle: ({ params }, { signer }) => {
      const found = ifForVendors(deps.catalogue.biller(params.biller));
      if (found === undefined) throw new Refusal('not_found', { field: 'biller' });
      return billerView(found, signer, deps.connectorOf);
    },
  });
}
