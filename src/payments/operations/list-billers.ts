import { Type } from 'typebox';
import { vid } from '../../parties/http/fields.ts';
import { billersForVendors } from '../billers/biller.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import { EXAMPLE_BILLER, billerFields, billerOnWire } from './biller-on-wire.ts';
import type { BillerDeps } from './biller-on-wire.ts';

const request = Type.Object({ vid });
const response = Type.Object({
  header_status: headerStatus,
  data: Type.Array(Type.Object(billerFields)),
});

/** Specification §4.2. */
export function listBillers({
  catalogue,
  connectorOf,
}: BillerDeps): Operation<typeof request, typeof response, undefined> {
  return {
    name: 'listBillers',
    method: 'GET',
    path: '/billing/list',
    tag: 'Billing',
    summary: 'List billers',
    description: 'The billers that can be paid. Unsigned.',
    signedBy: undefined,
    request,
    response,
    refusals: {},
    example: { request: { vid: 'demo' }, answer: { header_status: 200, data: [EXAMPLE_BILLER] } },
    handle: () => ({
      header_status: 200,
      data: billersForVendors(catalogue.billers()).map((biller) =>
        billerOnWire(biller, connectorOf),
      ),
    }),
  };
}
