import type { Invariant } from './invariant.ts';

/** A proposal’s amount; null if somebody has put something else there. */
const CENTS = `case when concat(q.content ->> 'cents', ',', coalesce(q.content ->> 'feeCents', '0')) ~ '^[0-9]{1,15},[0-9]{1,15}$'
              then (q.content ->> 'cents')::bigint + coalesce(q.content ->> 'feeCents', '0')::bigint end`;
/** Kinds that hold what is in the float, until it is reserved for a payment. */
const FROM_FLOAT = `('phone_payout', 'refund')`;

/** Money that waits in `held`, compared with the proposals of payouts that hold it. */
export const HOLDS_INVARIANT: Invariant = {
  name: 'holds_equal_proposals',
  says: 'Money is held for every payout and refund that waits or was approved, and for no other; it went to the bank or to a payment, or back, as people decided.',
  sql: `select coalesce(p.vendor_id, h.vendor_id) as "vendorId",
          format('payout %s: %s of %s; held %s, then %s', coalesce(p.proposal_id, h.source_id),
            coalesce(p.decision, 'no decision'), p.cents, h.cents, coalesce(h.gone, 'nothing')) as detail
        from (
          select q.proposal_id, q.vendor_id, q.kind, d.decision, ${CENTS} as cents,
            coalesce(d.decision <> 'approved', false) as refused,
            case when d.decision is null then null
              when q.kind in ${FROM_FLOAT} then 'float'
              when d.decision <> 'approved' then 'collected'
              when m.payout_id is not null then 'bank:' || m.bank
              when exists (select from proposals r join proposal_decisions e on e.proposal_id = r.proposal_id
                where r.kind = 'payout_return' and e.decision = 'approved'
                  and r.content ->> 'payoutId' = q.proposal_id::text) then 'collected' end as goes
          from proposals q left join proposal_decisions d on d.proposal_id = q.proposal_id
            left join vendor_payouts m on m.payout_id = q.proposal_id
          where q.kind in ('payout', 'payout_made', 'phone_payout', 'refund')
        ) p full join (
          select vendor_id, source_id, max(case when debit_account = 'held' then credit_account end) as gone,
            sum(case when credit_account = 'held' then amount_cents end)::bigint as cents,
            sum(case when debit_account = 'held' then amount_cents end)::bigint as spent
          from transfers where debit_account = 'held' or credit_account = 'held'
          group by vendor_id, source_id
        ) h on h.vendor_id = p.vendor_id and h.source_id = p.proposal_id
        where p.proposal_id is null or h.spent is distinct from case when h.gone is not null then h.cents end
          or (p.kind <> 'payout_made' or h.source_id is not null) and h.gone is distinct from p.goes
          or not p.refused and coalesce(p.goes, '') <> 'collected' and case when p.kind <> 'payout_made'
            then h.cents is distinct from p.cents else h.cents > p.cents end`,
};
