import { Type } from 'typebox';
import { findVendor, readVids } from '../../parties/store.ts';
import { approvePayout, proposePayout, rejectPayout } from '../../payments/payouts/payouts.ts';
import { listPayouts } from '../../payments/payouts/store.ts';
import type { PayoutRow } from '../../payments/payouts/store.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { PayoutView, PayoutsAnswer } from '../finance-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { shortText } from './fields.ts';
import { decisionRoutes, decisionView, stateQuery } from './proposals.ts';
import { reason } from './reason.ts';

/** More are not shown; they are in the ledger. */
const MAX_LISTED = 200;

export interface PayoutRoutesOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

/** Payouts to vendors' banks by two people. */
export function payoutRoutes(options: PayoutRoutesOptions): AnyRoute[] {
  const { pool, ledgerMac } = options;
  return [
    route({
      method: 'GET',
      path: '/payouts',
      permission: 'finance.read',
      query: stateQuery,
      handle: async ({ query: { state } }, { viewer }): Promise<PayoutsAnswer> => {
        const filter = { open: state === 'open', vendorId: null, limit: MAX_LISTED };
        const rows = await listPayouts(pool, filter);
        const vids = await readVids(pool);
        return {
          payouts: rows.map((row) =>
            payoutView(row, { vid: vids.get(row.vendorId) ?? '', login: viewer.login }),
          ),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/payouts',
      permission: 'finance.act',
      action: 'payout.propose',
      body: Type.Object(
        {
          vid: Type.String({ minLength: 1, maxLength: 64 }),
          amount: Type.String({ maxLength: 16 }),
          bankAccount: shortText,
          reference: shortText,
          evidence: shortText,
          reason,
        },
        { additionalProperties: false },
      ),
      handle: async ({ body: { vid, amount, reason: note, ...texts } }, { viewer }) => {
        const vendor = await findVendor(pool, vid);
        if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
        const amountCents = parseMoney(amount, 'amount');
        const { vendorId } = vendor;
        const request = { ...texts, vendorId, amountCents, note, by: viewer.login };
        const row = await proposePayout({ pool, ledgerMac }, request);
        const view = payoutView(row, { vid, login: viewer.login });
        return new Audited(view, { target: row.payoutId, after: { vid, amount: view.amount } });
      },
    }),
    ...decisionRoutes({
      ...{ path: '/payouts', permission: 'finance.act', noun: 'payout' },
      approve: async (payoutId, by) => {
        const row = await approvePayout({ pool, ledgerMac }, { payoutId, by });
        const { reference, bankAccount, proposedBy } = row;
        return { reference, bankAccount, proposedBy, amount: formatMoney(row.amountCents) };
      },
      reject: async (payoutId, by) => await rejectPayout(pool, { payoutId, by }),
    }),
  ];
}

function payoutView(
  row: PayoutRow,
  { vid, login }: { readonly vid: string; readonly login: string },
): PayoutView {
  const { payoutId: id, reference, note, evidence } = row;
  return {
    ...{ id, vid, reference, note, evidence },
    amount: formatMoney(row.amountCents),
    bankAccount: row.bankAccount,
    postedAt: row.postedAt?.toISOString() ?? null,
    ...decisionView(row, login),
  };
}
