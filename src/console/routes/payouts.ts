import { Type } from 'typebox';
import { findVendor, listVendors } from '../../parties/store.ts';
import { approvePayout, proposePayout, rejectPayout } from '../../payments/payouts/payouts.ts';
import { listPayouts } from '../../payments/payouts/store.ts';
import type { PayoutRow } from '../../payments/payouts/store.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import { isSamePerson } from '../../platform/base/person.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { PayoutView, PayoutsAnswer } from '../finance-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { proposalId, shortText, stateQuery } from './proposals.ts';
import { reason } from './reason.ts';

/** More are not shown; they are in the ledger. */
const MAX_LISTED = 200;

export interface PayoutRoutesOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

const params = Type.Object({ payoutId: proposalId });

/** Payouts to vendors' banks by two people. */
export function payoutRoutes(options: PayoutRoutesOptions): AnyRoute[] {
  const { pool } = options;
  return [
    route({
      method: 'GET',
      path: '/payouts',
      permission: 'finance.read',
      query: stateQuery,
      handle: async ({ query: { state } }, { viewer }): Promise<PayoutsAnswer> => {
        const filter = { open: state === 'open', vendorId: null, limit: MAX_LISTED };
        const rows = await listPayouts(pool, filter);
        const vendors = new Map((await listVendors(pool)).map((each) => [each.vendorId, each.vid]));
        return {
          payouts: rows.map((row) =>
            payoutView(row, { vid: vendors.get(row.vendorId) ?? '', login: viewer.login }),
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
        const row = await proposePayout(pool, request);
        const view = payoutView(row, { vid, login: viewer.login });
        return new Audited(view, { target: row.payoutId, after: { vid, amount: view.amount } });
      },
    }),
    ...decisionRoutes(options),
  ];
}

function decisionRoutes({ pool, ledgerMac }: PayoutRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/payouts/:payoutId/approve',
      permission: 'finance.act',
      action: 'payout.approve',
      params,
      handle: async ({ params: { payoutId } }, { viewer }) => {
        const row = await approvePayout({ pool, ledgerMac }, { payoutId, by: viewer.login });
        const { reference, bankAccount, proposedBy } = row;
        const after = { reference, bankAccount, proposedBy, amount: formatMoney(row.amountCents) };
        return new Audited(undefined, { after });
      },
    }),
    route({
      method: 'POST',
      path: '/payouts/:payoutId/reject',
      permission: 'finance.act',
      action: 'payout.reject',
      params,
      body: Type.Object({ reason }, { additionalProperties: false }),
      handle: async ({ params: { payoutId } }, { viewer }) => {
        await rejectPayout(pool, { payoutId, by: viewer.login });
      },
    }),
  ];
}

function payoutView(
  row: PayoutRow,
  { vid, login }: { readonly vid: string; readonly login: string },
): PayoutView {
  const { payoutId: id, reference, note, evidence, proposedBy, decision, decidedBy } = row;
  return {
    ...{ id, vid, reference, note, evidence, proposedBy, decision, decidedBy },
    amount: formatMoney(row.amountCents),
    bankAccount: row.bankAccount,
    proposedAt: row.proposedAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    postedAt: row.postedAt?.toISOString() ?? null,
    isOwn: isSamePerson(proposedBy, login),
  };
}
