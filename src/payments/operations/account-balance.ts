import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { moneyNumber } from '../../platform/base/money.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus } from '../../platform/http/schemas.ts';
import type { BalanceReader } from '../ledger/balance-reader.ts';

const request = Type.Object({ vid });
const response = Type.Object({
  header_status: headerStatus,
  balance: Type.Number({ description: 'The available float, in KES.', examples: [99900] }),
});

/** Specification §4.8. */
export function accountBalance(
  deps: Pick<Authenticators, 'byVendor'> & { readonly balances: BalanceReader },
): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'balance',
    method: 'GET',
    path: '/billing/account/balance',
    tag: 'Billing',
    summary: 'Account balance',
    description: 'The float: the amount currently available for creates.',
    signedBy: deps.byVendor,
    request,
    response,
    refusals: {},
    example: { request: { vid: 'demo' }, answer: { header_status: 200, balance: 99_900 } },
    handle: async (_request, vendor) => ({
      header_status: 200,
      balance: moneyNumber(await deps.balances.float(vendor.vendorId)),
    }),
  };
}
