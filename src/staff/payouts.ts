import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Payout } from '../payments/payouts/payouts.ts';
import { Refusal } from '../platform/base/errors.ts';
import { parseMoney } from '../platform/base/money.ts';
import { action } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, reason, shortText, text, textOrNull, titled, vid } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { proposedPlace } from './pages.ts';
import { decidedColumns } from './proposal-schema.ts';
import { proposing } from './proposing.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/payouts/payouts.ts')),
  ...(await import('../parties/read-vendors.ts')),
  ...(await import('./proposal-core.ts')),
});

const STATES = [
  'waits',
  'approved',
  'booked',
  'returned',
  'rejected',
  'withdrawn',
  'expired',
] as const;

const { decision, ...decided } = decidedColumns;
const payoutView = Type.Object({
  payout: text({ title: 'Payout' }),
  ...decided,
  ...titled({ proposed_at: fields.time, vid: text }),
  bank: text({ title: 'Our bank', wide: true }),
  bank_account: text({ title: 'Bank account', wide: true }),
  ...titled({ amount: fields.money, reference: textOrNull }),
  note: text({ title: 'Note', wide: true }),
  evidence: text({ title: 'Evidence', wide: true }),
  posted_at: fields.timeOrNull({ title: 'Posted', wide: true }),
  decision: decision,
  state: Type.Enum([...STATES], { title: 'State' }),
});
export type PayoutView = Static<typeof payoutView>;

export type PayoutList = PageOf<'payouts', typeof payoutView>;

const payoutId = fields.idOf('payout');

export const PAYOUTS: Noun = {
  command: 'vendor payout',
  summary:
    'Money from a vendor’s collected income to its bank: propose it, another person approves it, make the transfer, enter its reference.',
  definitions: [
    list(core, BY_TIME, {
      name: 'payout.list',
      summary:
        'Payouts that wait for another person’s approval, or for the transfer, newest first.',
      route: 'GET /payouts',
      permission: 'finance.read',
      input: { state: fields.openOrAll('also those that ended') },
      page: 50,
      rows: 'payouts',
      row: payoutView,
      empty: 'no payouts',
      read: async ({ core: { listPayouts }, input: { state }, deps }, page) =>
        await listPayouts(deps.pool, await deps.proposals(), { open: state === 'open', ...page }),
      placeOf: (row) => proposedPlace(row),
      show: (shown, { core: { decidedOf } }) => shown.map((each) => viewOf(each, decidedOf)),
    }),
    action(core, {
      name: 'payout.propose',
      summary:
        'Propose a payout, before the bank’s transfer. The money is held until another person decides.',
      route: 'POST /payouts',
      permission: 'finance.act',
      proposes: ['payout', 'payout_made'],
      input: inputOf({
        vid: vid({ argument: true }),
        amount: fields.amount(),
        bank: Type.Optional(
          fields.code({ description: 'the account of ours that it leaves; default: main' }),
        ),
        bank_account: shortText({ description: 'where the money goes', placeholder: 'account' }),
        reference: Type.Optional(
          shortText({
            description:
              'only if the transfer was already made: its reference at the bank. What the vendor has spent meanwhile is what it owes us',
          }),
        ),
        reason,
        evidence: shortText({ description: 'where it can be looked up', placeholder: 'text' }),
      }),
      output: payoutView,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { findVendor, proposePayout, findPayout, auditOf, decidedOf } = loaded;
        const vendor = await findVendor(deps.pool, input.vid);
        if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
        const proposals = await deps.proposals();
        const row = await proposePayout(proposals, {
          ...{ vendorId: vendor.vendorId, vid: vendor.vid, by: viewer.actor },
          amountCents: parseMoney(input.amount),
          ...(input.bank !== undefined && { bank: input.bank }),
          bankAccount: input.bank_account,
          reference: input.reference ?? null,
          ...{ evidence: input.evidence, note: input.reason },
        });
        const made = await findPayout(deps.pool, proposals, row.proposalId);
        return { result: viewOf(made, decidedOf), audit: auditOf(row) };
      },
    }),
    action(core, {
      name: 'payout.paid',
      summary: 'Enter the reference of the transfer of an approved payout, which books it.',
      route: 'POST /payouts/:payout/paid',
      permission: 'finance.act',
      input: inputOf({
        payout: payoutId,
        reference: shortText({ description: 'reference of the bank’s transfer' }),
      }),
      output: payoutView,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { findPayout, enterTransfer, decidedOf } = loaded;
        const { pool } = deps;
        const { payout: id, reference } = input;
        const proposals = await deps.proposals();
        const before = await findPayout(pool, proposals, id);
        const books = { pool, proposals, ledgerMac: await deps.ledgerMac() };
        await enterTransfer(books, { payoutId: id, reference, by: viewer.actor });
        const after = await findPayout(pool, proposals, id);
        const audit = { before: changeable(before), after: changeable(after) };
        return { result: viewOf(after, decidedOf), audit };
      },
    }),
    proposing(core, {
      name: 'payout.return',
      summary: 'Propose to return what an approved payout holds, because the transfer is not made.',
      route: 'POST /payouts/:payout/return',
      permission: 'finance.act',
      proposes: 'payout_return',
      input: inputOf({ payout: payoutId, reason }),
      make: async ({ core: { proposeReturn }, input, deps, viewer: { actor: by } }) => {
        const asked = { payoutId: input.payout, note: input.reason, by };
        return await proposeReturn(await deps.proposals(), asked);
      },
    }),
  ],
};

type DecidedOf = Awaited<ReturnType<typeof core>>['decidedOf'];

function viewOf(payout: Payout, decidedOf: DecidedOf): PayoutView {
  const { row, content, amountCents, postedAt } = payout;
  return fit(payoutView, {
    ...{ payout: row.proposalId, ...decidedOf(row), note: row.note, ...changeable(payout) },
    ...{ vid: content.vid, bank: content.bank, evidence: content.evidence },
    ...wireOf({ bankAccount: content.bankAccount, amountCents, postedAt }),
  });
}

const changeable = ({ state, reference }: Payout) => ({ state, reference });
