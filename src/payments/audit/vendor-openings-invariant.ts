import type { Invariant } from './invariant.ts';

/** What vendors brought from another system, compared with the transfers and with what two people decided. */
export const VENDOR_OPENINGS_INVARIANT: Invariant = {
  name: 'openings_equal_transfers',
  says: 'Every balance that a vendor brought from another system is in the ledger once, as two people decided, and nothing else comes from there.',
  sql: `select coalesce(o.vendor_id, f.vendor_id) as "vendorId",
            format('opening %s: collected %s, float %s; transfers %s and %s', coalesce(o.import_id, f.source_id),
              o.collected_cents, o.float_cents, f.collected, f.float) as detail
          from (
            select o.*, d.decision from vendor_openings o left join proposal_decisions d
              on d.proposal_id = o.import_id
          ) o full join (
            select vendor_id, source_id, max(created_at) as created_at,
              coalesce(sum(amount_cents) filter (where credit_account = 'collected'), 0)::bigint as collected,
              coalesce(sum(amount_cents) filter (where credit_account = 'float'), 0)::bigint as float,
              sum(amount_cents)::bigint as amount_cents
            from transfers where 'opening' in (debit_account, credit_account)
            group by vendor_id, source_id
          ) f on f.vendor_id = o.vendor_id and f.source_id = o.import_id
          where o.decision is distinct from 'approved'
            or (o.collected_cents, o.float_cents) is distinct from (coalesce(f.collected, 0), coalesce(f.float, 0))
            or f.amount_cents <> f.collected + f.float or f.created_at <> o.posted_at`,
};
