import { Type } from 'typebox';
import { findVendor } from '../../parties/store.ts';
import {
  enterTransfer,
  findPayout,
  listPayouts,
  proposePayout,
  proposeReturn,
} from '../../payments/payouts/payouts.ts';
import type { Payout } from '../../payments/payouts/payouts.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import type { PayoutView, PayoutsAnswer } from '../finance-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { rowId, shortText } from './fields.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';
import { stateQuery } from './proposals.ts';
import { onlyReason, reason } from './reason.ts';

/** More are not shown; they are in the ledger. */
const MAX_LISTED = 200;

export interface PayoutRoutesOptions extends ProposalRoutesOptions {
  readonly ledgerMac: Mac;
}

const params = Type.Object({ id: rowId });
const common = { method: 'POST', permission: 'finance.act' } as const;

const newPayout = Type.Object(
  {
    vid: Type.String({ minLength: 1, maxLength: 64 }),
    amount: Type.String({ maxLength: 16 }),
    bankAccount: shortText,
    /** Only of a transfer that was already made. */
    reference: Type.Optional(shortText),
    evidence: shortText,
    reason,
  },
  { additionalProperties: false },
);

/** Payouts to vendors' banks by two people. They are decided as proposals. */
export function payoutRoutes(options: PayoutRoutesOptions): AnyRoute[] {
  const { pool, proposals } = options;
  return [
    route({
      method: 'GET',
      path: '/payouts',
      permission: 'finance.read',
      query: stateQuery,
      handle: async ({ query: { state } }): Promise<PayoutsAnswer> => {
        const filter = { open: state === 'open', limit: MAX_LISTED };
        return { payouts: (await listPayouts(pool, proposals, filter)).map(payoutView) };
      },
    }),
    route({
      ...{ ...common, path: '/payouts', action: 'payout.propose' },
      body: newPayout,
      handle: async ({ body }, { viewer }) => {
        const { vid, amount, reason: note, reference = null, ...texts } = body;
        const vendor = await findVendor(pool, vid);
        if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
        const amountCents = parseMoney(amount, 'amount');
        const { vendorId } = vendor;
        const request = { ...texts, reference, vendorId, vid, amountCents, note };
        const row = await proposePayout(proposals, { ...request, by: actorOf(viewer) });
        return auditedOf(row, payoutView(await findPayout(pool, proposals, row.proposalId)));
      },
    }),
    route({
      ...{ ...common, path: '/payouts/:id/paid', action: 'payout.paid', params },
      body: Type.Object({ reference: shortText }, { additionalProperties: false }),
      handle: async ({ params: { id: payoutId }, body: { reference } }, { viewer }) => {
        await enterTransfer(options, { payoutId, reference, by: actorOf(viewer) });
        return new Audited(undefined, { after: { reference } });
      },
    }),
    route({
      ...{ ...common, path: '/payouts/:id/return', action: 'payout.return', params },
      body: onlyReason,
      handle: async ({ params: { id: payoutId }, body }, { viewer }) => {
        const request = { payoutId, note: body.reason, by: actorOf(viewer) };
        return auditedOf(await proposeReturn(proposals, request));
      },
    }),
  ];
}

function payoutView({ row, content, amountCents, ...payout }: Payout): PayoutView {
  return {
    ...{ id: row.proposalId, vid: content.vid, amount: formatMoney(amountCents) },
    ...{ bankAccount: content.bankAccount, reference: payout.reference, note: row.note },
    ...{ evidence: content.evidence, state: payout.state, proposedBy: row.proposedBy },
    proposedAt: row.proposedAt.toISOString(),
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    postedAt: payout.postedAt?.toISOString() ?? null,
  };
}
