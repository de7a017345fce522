import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Disbursement } from '../payments/disbursements/disbursements.ts';
import { Refusal } from '../platform/base/errors.ts';
import { formatMoney, parseMoney } from '../platform/base/money.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { action } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, reason, shortText, text, titled, vid } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { proposedPlace } from './pages.ts';
import { decidedColumns } from './proposal-schema.ts';
import { setting } from './proposing.ts';

const core = async () => ({
  ...(await import('../parties/read-vendors.ts')),
  ...(await import('../parties/reference.ts')),
  ...(await import('../payments/disbursements/disbursements.ts')),
  ...(await import('../payments/settings/vendors.ts')),
  ...(await import('../platform/base/mobile-number.ts')),
  ...(await import('./proposal-core.ts')),
  ...(await import('../parties/require-vendor.ts')),
});
type Loaded = Awaited<ReturnType<typeof core>>;

const STATES = [
  ...(['waits', 'approved', 'succeeded', 'failed'] as const),
  ...(['rejected', 'withdrawn', 'expired'] as const),
];

const { decision, ...decided } = decidedColumns;
const view = Type.Object({
  disbursement: text({ title: 'Disbursement' }),
  ...decided,
  ...titled({ proposed_at: fields.time, vid: text }),
  kind: Type.Enum(['phone_payout', 'refund'], { title: 'Kind' }),
  ...titled({ amount: fields.money, fee: fields.money }),
  payment: text({ title: 'Payment', wide: true }),
  note: text({ title: 'Note', wide: true }),
  evidence: text({ title: 'Evidence', wide: true }),
  decision,
  state: Type.Enum(STATES, { title: 'State' }),
});
export type DisbursementView = Static<typeof view>;
export type DisbursementList = PageOf<'disbursements', typeof view>;

const asked = {
  amount: fields.amount(),
  biller: Type.Optional(
    fields.code({ description: 'the biller that sends it, if there are several' }),
  ),
  reason,
  evidence: shortText({ description: 'where it can be looked up', placeholder: 'text' }),
};

/** Money that an operator sends to a phone. */
export const DISBURSEMENTS: Noun = {
  command: 'disbursement',
  summary:
    'Money from a vendor’s float that an operator sends to a phone: a payout to the vendor, or a refund to a customer. Another person’s approval sends it.',
  definitions: [
    list(core, BY_TIME, {
      name: 'disbursement.list',
      summary:
        'Payouts to phones and refunds that wait for another person’s approval, newest first.',
      route: 'GET /disbursements',
      permission: 'finance.read',
      input: { state: fields.openOrAll('also those that were decided') },
      page: 50,
      rows: 'disbursements',
      row: view,
      empty: 'no disbursements',
      read: async ({ core: { listDisbursements }, input: { state }, deps }, page) => {
        const filter = { open: state === 'open', ...page };
        return await listDisbursements(deps.pool, await deps.proposals(), filter);
      },
      placeOf: (row) => proposedPlace(row),
      show: (shown, { core: loaded }) => shown.map((each) => viewOf(each, loaded)),
    }),
    action(core, {
      name: 'disbursement.pay-out',
      summary:
        'Propose a payout to the vendor’s phone. Its cost is held until another person decides.',
      route: 'POST /disbursements/payouts',
      permission: 'finance.act',
      proposes: 'phone_payout',
      input: inputOf({ vid: vid({ argument: true }), ...asked }),
      output: view,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { vendorId, vid: named } = await loaded.requireVendor(deps.pool, input.vid);
        const row = await loaded.proposePhonePayout(await depsOf(deps), {
          ...{ vendorId, vid: named, by: viewer.actor },
          ...commonOf(input),
        });
        return await answerOf(row, loaded, deps);
      },
    }),
    action(core, {
      name: 'disbursement.refund',
      summary:
        'Propose a refund of a payment to its customer’s phone. Its cost is held until another person decides.',
      route: 'POST /disbursements/refunds',
      permission: 'finance.act',
      proposes: 'refund',
      input: inputOf({
        reference: text({
          ...{ maxLength: 64, description: 'ipay_reference of the payment', argument: true },
        }),
        phone: Type.Optional(
          fields.line(20, {
            description: 'the customer’s mobile number; without it, the one that the payment names',
            placeholder: 'number',
          }),
        ),
        ...asked,
      }),
      output: view,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const key = loaded.decodeReference(input.reference.toUpperCase());
        const named = key && (await loaded.readVids(deps.pool)).get(key.vendorId);
        if (key === undefined || named === undefined) {
          throw new Refusal('not_found', { field: 'reference' });
        }
        const row = await loaded.proposeRefund(await depsOf(deps), {
          ...{ vendorId: key.vendorId, vid: named, by: viewer.actor },
          ...{ refundOf: key.paymentId, phone: input.phone },
          ...commonOf(input),
        });
        return await answerOf(row, loaded, deps);
      },
    }),
    action(core, {
      name: 'disbursement.cancel',
      summary:
        'Cancel an approved disbursement that has not been sent. Its cost is in the float again.',
      route: 'POST /disbursements/:disbursement/cancel',
      permission: 'finance.act',
      input: inputOf({ disbursement: fields.idOf('disbursement') }),
      output: view,
      handle: async ({ core: loaded, input: { disbursement: id }, deps, viewer }) => {
        const { pool } = deps;
        const proposals = await deps.proposals();
        const before = await loaded.findDisbursement(pool, proposals, id);
        const asking = { disbursementId: id, by: viewer.actor };
        await loaded.cancelDisbursement({ pool, proposals }, asking);
        const after = await loaded.findDisbursement(pool, proposals, id);
        const audit = { before: { state: before.state }, after: { state: after.state } };
        return { result: viewOf(after, loaded), audit };
      },
    }),
    setting(core, {
      name: 'disbursement.set-phone',
      summary: 'Set the phone that a vendor’s payouts go to. Two people do.',
      route: 'POST /vendors/:vid/payout-phone',
      permission: 'vendors.act',
      proposes: 'party_setting',
      input: {
        vid: vid({ argument: true }),
        phone: fields.line(20, {
          description: 'a Kenyan mobile number; none: the vendor has none any more',
          placeholder: 'number',
        }),
      },
      change: async ({ core: loaded, input, deps }) => {
        const { vendorId, vid: named } = await loaded.requireVendor(deps.pool, input.vid);
        const phone = input.phone === 'none' ? null : loaded.kenyanMobileNumber(input.phone);
        if (phone === undefined) {
          throw new PlainError('It is not a Kenyan mobile number.', { field: 'phone' });
        }
        return { setting: loaded.PAYOUT_PHONE, key: { vendorId, vid: named }, change: { phone } };
      },
    }),
  ],
};

const commonOf = (input: {
  readonly amount: string;
  readonly biller?: string;
  readonly evidence: string;
  readonly reason: string;
}) => ({
  amountCents: parseMoney(input.amount),
  billerCode: input.biller,
  ...{ evidence: input.evidence, note: input.reason },
});

const depsOf = async (deps: StaffDeps) => ({
  pool: deps.pool,
  proposals: await deps.proposals(),
  ledgerMac: await deps.ledgerMac(),
  masterKeys: await deps.masterKeys(),
});

async function answerOf(row: Disbursement['row'], loaded: Loaded, deps: StaffDeps) {
  const made = await loaded.findDisbursement(deps.pool, await deps.proposals(), row.proposalId);
  return { result: viewOf(made, loaded), audit: loaded.auditOf(row) };
}

function viewOf({ row, content, state }: Disbursement, loaded: Loaded): DisbursementView {
  return {
    disbursement: row.proposalId,
    ...loaded.decidedOf(row),
    vid: content.vid,
    kind: row.kind === 'refund' ? 'refund' : 'phone_payout',
    ...{ amount: formatMoney(BigInt(content.cents)), fee: formatMoney(BigInt(content.feeCents)) },
    payment: loaded.encodeReference(content.vendorId, content.paymentId),
    ...{ note: row.note, evidence: content.evidence, state },
  };
}
