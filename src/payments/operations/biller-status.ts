import { ifForVendors } from '../billers/biller.ts';
import { Type } from 'typebox';
import { vid } from '../../parties/http/fields.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import { EXAMPLE_BILLER, billerFields, billerOnWire } from './biller-on-wire.ts';
import type { BillerDeps } from './biller-on-wire.ts';
import { billerCode } from './fields.ts';
import { unknownBiller } from '../billers/unknown-biller.ts';

const request = Type.Object({ vid, biller_code: billerCode });
const response = Type.Object({
  header_status: headerStatus,
  data: Type.Object({
    ...billerFields,
    status: Type.String({
      description: '`ONLINE`, or `OFFLINE` during maintenance or downtime at the operator.',
      examples: ['ONLINE'],
    }),
  }),
});

/** Specification §4.3. */
export function billerStatus({
  catalogue,
  connectorOf,
}: BillerDeps): Operation<typeof request, typeof response, undefined> {
  return {
    name: 'billerStatus',
    method: 'GET',
    path: '/billing/biller/status',
    tag: 'Billing',
    summary: 'Biller status',
    description: 'Whether a biller can currently be paid. Query it before create. Unsigned.',
    signedBy: undefined,
    request,
    response,
    refusals: { unknown_biller: {} },
    example: {
      request: { vid: 'demo', biller_code: EXAMPLE_BILLER.biller_code },
      answer: { header_status: 200, data: { ...EXAMPLE_BILLER, status: 'ONLINE' } },
    },
    handle: (asked) => {
      const biller = ifForVendors(catalogue.biller(asked.biller_code));
      if (biller === undefined) throw unknownBiller('biller_code', asked.biller_code);
      return {
        header_status: 200,
        data: { ...billerOnWire(biller, connectorOf), status: biller.availability },
      };
    },
  };
}
