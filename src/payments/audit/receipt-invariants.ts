import { IS_COLLECTION_OF_RECEIPT } from '../cases/kept-receipts-store.ts';
import type { Invariant } from './invariants.ts';

export const RECEIPT_INVARIANTS: readonly Invariant[] = [
  {
    name: 'receipts_are_collected',
    says: 'Every receipt that counts as credited is in the ledger, as a collection for its vendor with its amount.',
    overall: true,
    sql: `select r.vendor_id as "vendorId", format('receipt %s of %s: credited %s, collected %s',
            r.receipt, r.issuer, r.amount_cents, coalesce(c.amount_cents, 0)) as detail
          from receipts r left join collections c on ${IS_COLLECTION_OF_RECEIPT}
          where r.state = 'credited' and (r.vendor_id, r.amount_cents)
            is distinct from (c.vendor_id, c.amount_cents)`,
  },
  {
    name: 'receipts_stay_closed',
    says: 'Every receipt that two people have closed is closed.',
    overall: true,
    sql: `select coalesce(r.vendor_id, 0) as "vendorId", format('receipt %s of %s: closed by two people, and now %s',
            r.receipt, r.issuer, r.state) as detail
          from receipts r
          where r.state <> 'closed' and exists (
            select from receipt_events e where e.receipt_id = r.receipt_id
              and e.action = 'approved' and e.detail ->> 'decision' = 'close')`,
  },
  {
    name: 'receipts_taken_back_once',
    says: 'At most the amount of a receipt was taken back, in all cases about it together.',
    sql: `select c.vendor_id as "vendorId", format('receipt %s: %s taken back, of %s',
            min(c.facts ->> 'receipt'), sum(k.amount_cents), max(c.facts ->> 'paid_cents')) as detail
          from corrections k join cases c
            on c.bucket = k.bucket and c.vendor_id = k.vendor_id and c.case_id = k.case_id
          where k.resolution = 'take_back'
          group by c.bucket, c.vendor_id, c.evidence_id
          having sum(k.amount_cents) > max((c.facts ->> 'paid_cents')::bigint)`,
  },
];
