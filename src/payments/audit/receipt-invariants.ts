import type { Invariant } from './invariants.ts';

export const RECEIPT_INVARIANTS: readonly Invariant[] = [
  {
    name: 'receipts_are_collected',
    says: 'Every receipt that counts as credited is in the ledger, as a collection for its vendor with its amount.',
    overall: true,
    sql: `select r.vendor_id as "vendorId", format('receipt %s of %s: credited %s, collected %s',
            r.receipt, r.issuer, r.amount_cents, coalesce(c.amount_cents, 0)) as detail
          from receipts r left join collections c on c.collector = r.collector
            and c.reference = case when r.issuer = 'mpesa' then r.receipt
              else r.issuer || '/' || r.receipt end
          where r.state = 'credited' and (r.vendor_id, r.amount_cents)
            is distinct from (c.vendor_id, c.amount_cents)`,
  },
];
