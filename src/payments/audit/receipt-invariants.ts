import { IS_COLLECTION_OF_RECEIPT } from '../cases/kept-receipts-store.ts';
import type { Invariant } from './invariant.ts';

export const RECEIPT_INVARIANTS: readonly Invariant[] = [
  {
    name: 'receipts_are_collected',
    says: 'Every receipt that counts as credited is in the ledger, as a collection for its vendor with its amount.',
    overall: true,
    sql: `select r.vendor_id as "vendorId", format('receipt %s of %s: credited %s, collected %s',
            r.receipt, r.issuer, coalesce(r.moved_cents, r.amount_cents), coalesce(c.amount_cents, 0)) as detail
          from receipts r left join collections c on ${IS_COLLECTION_OF_RECEIPT}
          where r.state = 'credited' and (r.vendor_id, coalesce(r.moved_cents, r.amount_cents))
            is distinct from (c.vendor_id, c.amount_cents)`,
  },
  {
    name: 'receipts_allocated',
    says: 'Every receipt that was kept without a vendor is a liability once, at its bank with its amount, until it is a vendor’s or closed; income comes from there only for such a receipt, or for one that was moved.',
    overall: true,
    sql: `select 0 as "vendorId", format('receipt %s of %s: unallocated %s, closed with %s, state %s', coalesce(r.receipt, '?'),
            coalesce(r.issuer, '?'), coalesce(t.kept, 0), coalesce(t.closed, 0), coalesce(r.state, 'gone')) as detail
          from receipts r full join (
            select source_id, sum(amount_cents) filter (where part = 1 and credit_account = 'unallocated') as kept,
              sum(amount_cents) filter (where part > 1 and debit_account = 'unallocated') as closed,
              max(debit_account) filter (where part = 1) as bank
            from house_transfers where source = 'receipt' group by source_id
          ) t on t.source_id = r.receipt_id
          where r.receipt_id is null or r.is_unallocated <> (t.source_id is not null)
            or t.source_id is not null and (t.kept is distinct from r.amount_cents or t.bank <> 'bank:' || r.bank
              or coalesce(t.closed, 0) <> case when r.state = 'closed' then r.amount_cents else 0 end)
          union all
          select c.vendor_id, format('collection %s comes from %s', c.reference, c.account)
          from collections c left join receipts r on ${IS_COLLECTION_OF_RECEIPT}
          where c.account like 'bank:%' and r.receipt_id is not null and (r.is_unallocated or c.account <> 'bank:' || r.bank)
            or c.account = 'unallocated' and r.receipt_id is not null and not r.is_unallocated and r.moves = 0
            or c.account like 'collector:%' and c.account <> 'collector:' || c.collector`,
  },
  {
    name: 'reversals_booked',
    says: 'Money that a bank took back left its account once, with the amount that was reported.',
    overall: true,
    sql: `select 0 as "vendorId", format('reversal %s of receipt %s: reported %s, booked %s',
            coalesce(e.event_id, t.source_id), r.receipt, e.cents, t.amount_cents) as detail
          from (
            select event_id, receipt_id, (detail ->> 'cents')::bigint as cents from receipt_events
            where action = 'reversed' and detail ->> 'repeat' = 'false'
          ) e join receipts r using (receipt_id)
            full join (select * from house_transfers where source = 'reversal') t on t.source_id = e.event_id
          where e.event_id is null
            or t.source_id is null and r.state <> 'closed'
            or t.source_id is not null and (t.amount_cents, t.credit_account, t.debit_account)
              is distinct from (e.cents, 'bank:' || r.bank, 'reversals')`,
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
    name: 'receipts_moved_as_decided',
    says: 'A receipt was moved to another vendor as often as two people have decided.',
    overall: true,
    sql: `select coalesce(r.vendor_id, 0) as "vendorId", format('receipt %s of %s: moved %s times, decided %s times',
            r.receipt, r.issuer, r.moves, coalesce(e.moves, 0)) as detail
          from receipts r left join (select receipt_id, count(*) as moves from receipt_events
              where action = 'approved' and detail ->> 'decision' = 'move' group by receipt_id) e using (receipt_id)
          where r.moves <> coalesce(e.moves, 0)`,
  },
  {
    name: 'receipts_reversed_as_reported',
    says: 'A receipt counts as taken back if, and since, a reversal of it was reported.',
    overall: true,
    sql: `select coalesce(r.vendor_id, 0) as "vendorId", format('receipt %s of %s: taken back %s, reported %s',
            r.receipt, r.issuer, coalesce(r.reversed_at::text, 'never'), coalesce(e.reported, 'never')) as detail
          from receipts r left join lateral (
            select coalesce((array_agg(detail ->> 'reversed_at' order by at desc, event_id desc))[1],
              max(at)::text) as reported, count(detail ->> 'reversed_at') > 0 as is_exact,
              (array_agg((detail ->> 'reversed_at')::timestamptz order by at desc, event_id desc))[1] as reversed_at
            from receipt_events where receipt_id = r.receipt_id and action = 'reversed') e on true
          where (r.reversed_at is null) <> (e.reported is null)
            or e.is_exact and r.reversed_at is distinct from e.reversed_at`,
  },
  {
    name: 'receipts_exist',
    says: 'Every receipt that was reported, or to which something happened, exists.',
    overall: true,
    sql: `select 0 as "vendorId", format('receipt %s is gone, and its reports and events are not', m.receipt_id) as detail
          from (select receipt_id from receipt_reports union select receipt_id from receipt_events) m
          where not exists (select from receipts r where r.receipt_id = m.receipt_id)`,
  },
  {
    name: 'messages_end_as_decided',
    says: 'A message that could not be read was completed or closed if two people decided so, and is open otherwise.',
    overall: true,
    sql: `select 0 as "vendorId", format('message %s of %s is %s, decided: %s', m.message_id, m.sender, m.state,
            coalesce(e.state, 'nothing')) as detail
          from unread_messages m left join lateral (
            select case when q.content -> 'receipt' = 'null' then 'closed' else 'completed' end as state
            from proposals q join proposal_decisions d on d.proposal_id = q.proposal_id
            where q.kind = 'unread_message' and d.decision = 'approved'
              and q.content @> jsonb_build_object('messageId', m.message_id)) e on true
          where m.state <> coalesce(e.state, 'open')`,
  },
  {
    name: 'receipts_taken_back_once',
    says: 'At most the amount of a receipt was taken back of a vendor that had it, in all cases about it together.',
    sql: `select c.vendor_id as "vendorId", format('receipt %s: %s taken back, of %s',
            min(c.facts ->> 'receipt'), sum(k.amount_cents), max(c.facts ->> 'paid_cents')) as detail
          from corrections k join cases c
            on c.bucket = k.bucket and c.vendor_id = k.vendor_id and c.case_id = k.case_id
          where k.resolution = 'take_back'
          group by c.bucket, c.vendor_id, c.evidence_id, c.facts ->> 'moves'
          having sum(k.amount_cents) > max((c.facts ->> 'paid_cents')::bigint)`,
  },
];
