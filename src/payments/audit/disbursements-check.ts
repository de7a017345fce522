import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { payoutPhoneText, refundPhoneText } from '../ledger/authenticity.ts';
import type { PayoutPhoneContent } from '../ledger/authenticity.ts';
import type { Invariant } from './invariant.ts';
import type { Violation } from './violation.ts';

/** Approved proposals that send money to a phone. */
const APPROVED = `(
            select q.vendor_id, q.kind, q.content, q.content ->> 'paymentId' as payment_id
            from proposals q join proposal_decisions d on d.proposal_id = q.proposal_id
            where q.kind in ('phone_payout', 'refund') and d.decision = 'approved'
          )`;

export const DISBURSEMENTS_INVARIANT: Invariant = {
  name: 'disbursements_equal_proposals',
  says: 'Every payment to a phone was approved by two people, with its amount, its fee and its biller, and everything that was approved is a payment.',
  sql: `select coalesce(t.vendor_id, p.vendor_id) as "vendorId",
          format('payment %s: %s with a fee of %s, approved: %s with a fee of %s', coalesce(t.payment_id::text, p.payment_id),
            t.amount_cents, t.fee_cents, p.content ->> 'cents', p.content ->> 'feeCents') as detail
        from ${APPROVED} p full join (
          select x.vendor_id, x.payment_id, x.amount_cents, x.fee_cents, x.biller_code
          from (
            select vendor_id, payment_id, amount_cents, fee_cents, biller_code from payments
            union all
            select vendor_id, payment_id, amount_cents, fee_cents, biller_code from archived_payments
          ) x join billers b on b.biller_code = x.biller_code and b.category = 'disbursements'
        ) t on t.vendor_id = p.vendor_id and t.payment_id::text = p.payment_id
        where (t.amount_cents::text, t.fee_cents::text, t.biller_code) is distinct from
          (p.content ->> 'cents', p.content ->> 'feeCents', p.content ->> 'billerCode')`,
};

export const PHONES_INVARIANT = {
  name: 'phones_authentic',
  says: 'Every phone of a vendor’s payouts was set by the service, and every payment to a phone goes to the one that people approved: they have valid authentication codes.',
};

/** Phones decide who is paid. */
export async function checkPhones(db: Queryable, mac: Mac): Promise<Violation[]> {
  const set = await db.query<PayoutPhoneContent & { mac: Buffer }>(
    `select vendor_id as "vendorId", number, phone, set_at as "setAt", set_by as "setBy", mac from payout_phones`,
  );
  const sent = await db.query<SentRow>(
    `with decided as materialized (select proposal_id, decision from proposal_decisions),
       asked as materialized (
         select proposal_id, vendor_id, content from proposals where kind in ('phone_payout', 'refund')
       ),
       made as materialized (select vendor_id, payment_id::text as payment_id, account from payments
         where biller_code in (select biller_code from billers where category = 'disbursements'))
     select q.vendor_id as "vendorId", t.payment_id as "paymentId", q.content ->> 'phone' as phone,
       q.content ->> 'phoneMac' as mac, t.account
     from asked q join decided d on d.proposal_id = q.proposal_id and d.decision = 'approved'
       join made t on t.vendor_id = q.vendor_id and t.payment_id = q.content ->> 'paymentId'`,
  );
  const altered = set.rows
    .filter((row) => !mac.verify(payoutPhoneText(row), row.mac))
    .map(({ vendorId, number }) =>
      violation(vendorId, `phone ${number} of payouts: it was altered`),
    );
  const misdirected = sent.rows
    .filter((row) => !isApprovedPhone(row, mac))
    .map(({ vendorId, paymentId }) =>
      violation(vendorId, `payment ${paymentId}: its phone is not the one that people approved`),
    );
  return [...altered, ...misdirected];
}

interface SentRow {
  vendorId: number;
  paymentId: string;
  phone: string | null;
  /** The code of a refund's phone, which the proposal has sealed; null for a payout. */
  mac: string | null;
  account: string;
}

function isApprovedPhone({ paymentId, phone, mac: code, account }: SentRow, mac: Mac): boolean {
  if (code === null) return phone === account;
  return mac.verify(refundPhoneText(paymentId, account), Buffer.from(code, 'hex'));
}

const violation = (vendorId: number, detail: string): Violation => ({
  invariant: PHONES_INVARIANT.name,
  vendorId,
  detail,
});
