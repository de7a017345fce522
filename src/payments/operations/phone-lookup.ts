import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { prefix } from './fields.ts';

const request = Type.Object({ vid, prefix });
const response = Type.Object({
  header_status: headerStatus,
  data: Type.Object({
    prefix: Type.String({ examples: ['722'] }),
    operator: Type.String({ description: 'An airtime biller code.', examples: ['safaricom'] }),
  }),
});

/** Specification §4.7. */
export function phoneLookup(
  deps: Pick<Authenticators, 'byVendor'> & { readonly catalogue: BillerCatalogue },
): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'phoneLookup',
    method: 'POST',
    path: '/billing/phone/lookup',
    tag: 'Billing',
    summary: 'Phone lookup',
    description: 'The mobile operator of a phone prefix, as an airtime biller.',
    signedBy: deps.byVendor,
    request,
    response,
    refusals: { unknown_prefix: { field: 'prefix' } },
    example: {
      request: { vid: 'demo', prefix: '722' },
      answer: { header_status: 200, data: { prefix: '722', operator: 'safaricom' } },
    },
    handle: (asked) => {
      if (asked.prefix.startsWith('0')) {
        const text = 'prefix is the three digits after the leading 0, such as 722';
        throw new Refusal('unknown_prefix', { field: 'prefix', text });
      }
      const operator = deps.catalogue.billerOfPrefix(asked.prefix);
      if (operator === undefined) throw new Refusal('unknown_prefix', { field: 'prefix' });
      return { header_status: 200, data: { prefix: asked.prefix, operator } };
    },
  };
}
