import { isIncomeSql } from '../ledger/account.ts';
import { FLOWS } from '../ledger/flows.ts';
import { PAYMENTS_TABLES } from '../tables.ts';
import { DISBURSEMENTS_INVARIANT } from './disbursements-check.ts';
import { HOLDS_INVARIANT } from './holds-invariant.ts';
import { HOUSE_INVARIANTS } from './house-invariants.ts';
import { RECEIPT_INVARIANTS } from './receipt-invariants.ts';
import type { Invariant } from './invariant.ts';
import { priceInvariants } from './price-invariants.ts';
import { VENDOR_OPENINGS_INVARIANT } from './vendor-openings-invariant.ts';

/** Every payment, including those whose details were archived. */
const PAYMENTS = `(
            select bucket, vendor_id, payment_id, amount_cents, fee_cents, vat_cents, fee_price, operator_price,
              operator_code, outcome
            from payments
            union all
            select bucket, vendor_id, payment_id, amount_cents, fee_cents, vat_cents, fee_price, operator_price,
              operator_code, outcome
            from archived_payments
          )`;

/** The tables whose rows are in their vendor's bucket. */
const BUCKETED = Object.keys(PAYMENTS_TABLES).filter(
  (table) => PAYMENTS_TABLES[table] === 'distributed',
);

export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'rows_in_bucket',
    says: 'Every row is in its vendor’s bucket, or nothing would find it.',
    overall: true,
    sql: BUCKETED.map((table) => {
      const detail = `format('a row of ${table} is in bucket %s', bucket)`;
      return `select vendor_id as "vendorId", ${detail} as detail
          from ${table} where bucket <> bucket_of(vendor_id)`;
    }).join(' union all '),
  },
  {
    name: 'balances_equal_transfers',
    says: 'Every balance is the sum of its transfers.',
    sql: `select coalesce(a.vendor_id, s.vendor_id) as "vendorId",
            format('%s: balance %s, transfers make %s', coalesce(a.account, s.account),
              a.balance_cents, coalesce(s.total, 0)) as detail
          from accounts a full join (
            select bucket, vendor_id, account, sum(change)::bigint as total from (
              select bucket, vendor_id, debit_account as account, -amount_cents as change
              from transfers
              union all
              select bucket, vendor_id, credit_account, amount_cents from transfers
            ) x group by bucket, vendor_id, account
          ) s on s.bucket = a.bucket and s.vendor_id = a.vendor_id and s.account = a.account
          where a.balance_cents is distinct from coalesce(s.total, 0)`,
  },
  {
    name: 'vendor_hours_equal_transfers',
    says: 'The sums of transfers by hour are those of each vendor’s transfers.',
    sql: `select coalesce(h.vendor_id, f.vendor_id) as "vendorId",
            format('the hour from %s, from %s to %s: the sum is %s in %s, transfers make %s in %s',
              coalesce(h.hour, f.hour), coalesce(h.debit_account, f.debit_account),
              coalesce(h.credit_account, f.credit_account), coalesce(h.amount_cents, 0),
              coalesce(h.count, 0), coalesce(f.amount_cents, 0), coalesce(f.count, 0)) as detail
          from transfer_vendor_hours h full join (
            select vendor_id, date_trunc('hour', created_at, 'UTC') as hour, debit_account, credit_account,
              count(*) as count, count(*) filter (where leg = 2 and debit_account = 'reserved'
                and credit_account like 'operator:%') as payments,
              sum(amount_cents)::bigint as amount_cents
            from transfers
            where created_at < (select until from transfer_sums)
            group by 1, 2, 3, 4
          ) f on f.vendor_id = h.vendor_id and f.hour = h.hour and f.debit_account = h.debit_account
            and f.credit_account = h.credit_account
          where (h.count, h.payments, h.amount_cents) is distinct from (f.count, f.payments, f.amount_cents)`,
  },
  {
    name: 'days_equal_hours',
    says: 'The sums of transfers by day are those of each vendor’s hours.',
    sql: `select coalesce(d.vendor_id, h.vendor_id) as "vendorId",
            format('the day from %s, from %s to %s: the sum is %s in %s, hours make %s in %s',
              coalesce(d.day, h.day), coalesce(d.debit_account, h.debit_account),
              coalesce(d.credit_account, h.credit_account), coalesce(d.amount_cents, 0),
              coalesce(d.count, 0), coalesce(h.amount_cents, 0), coalesce(h.count, 0)) as detail
          from transfer_days d full join (
            select vendor_id, date_trunc('day', hour, 'UTC') as day, debit_account, credit_account,
              sum(count)::bigint as count, sum(payments)::bigint as payments,
              sum(amount_cents)::bigint as amount_cents
            from transfer_vendor_hours
            where hour < (select date_trunc('day', until, 'UTC') from transfer_sums)
            group by 1, 2, 3, 4
          ) h on h.vendor_id = d.vendor_id and h.day = d.day and h.debit_account = d.debit_account
            and h.credit_account = d.credit_account
          where (d.count, d.payments, d.amount_cents) is distinct from (h.count, h.payments, h.amount_cents)`,
  },
  {
    name: 'weeks_equal_days',
    says: 'The sums of transfers by week are those of each vendor’s days.',
    sql: `select coalesce(w.vendor_id, d.vendor_id) as "vendorId",
            format('the week from %s, from %s to %s: the sum is %s in %s, days make %s in %s',
              coalesce(w.week, d.week), coalesce(w.debit_account, d.debit_account),
              coalesce(w.credit_account, d.credit_account), coalesce(w.amount_cents, 0),
              coalesce(w.count, 0), coalesce(d.amount_cents, 0), coalesce(d.count, 0)) as detail
          from transfer_weeks w full join (
            select vendor_id, date_trunc('week', day, 'UTC') as week, debit_account, credit_account,
              sum(count)::bigint as count, sum(payments)::bigint as payments,
              sum(amount_cents)::bigint as amount_cents
            from transfer_days
            where day < (select date_trunc('week', until, 'UTC') from transfer_sums)
            group by 1, 2, 3, 4
          ) d on d.vendor_id = w.vendor_id and d.week = w.week and d.debit_account = w.debit_account
            and d.credit_account = w.credit_account
          where (w.count, w.payments, w.amount_cents) is distinct from (d.count, d.payments, d.amount_cents)`,
  },
  {
    name: 'balances_sum_to_zero',
    says: 'Each vendor’s balances sum to zero: all money from outside is in one of its accounts.',
    sql: `select vendor_id as "vendorId", format('sum of balances is %s',
      sum(balance_cents)) as detail
          from accounts group by bucket, vendor_id having sum(balance_cents) <> 0`,
  },
  {
    name: 'never_negative',
    says: 'Only the balances of bank accounts, collectors, unallocated, opening, exposure, our losses, our claims and our own terms with operators can be below zero.',
    sql: `select vendor_id as "vendorId", format('%s is %s', account, balance_cents) as detail
          from accounts where balance_cents < 0 and account not in ('unallocated', 'opening', 'exposure', 'written_off')
            and account not like 'bank:%' and account not like 'collector:%'
            and account not like 'cost:%' and account not like 'commission_due:%'
            and account not like 'losses:%' and account not like 'claims:%'`,
  },
  {
    name: 'reserved_equals_open',
    says: 'The reserved balance is the sum of the open payments’ amounts and fees.',
    sql: `select a.vendor_id as "vendorId", format('reserved %s, open payments %s', a.balance_cents,
            coalesce(o.total, 0)) as detail
          from accounts a left join (
            select bucket, vendor_id, sum(amount_cents + fee_cents)::bigint as total
            from payments where outcome is null group by bucket, vendor_id
          ) o using (bucket, vendor_id)
          where a.account = 'reserved' and a.balance_cents <> coalesce(o.total, 0)`,
  },
  {
    name: 'payment_reserves_once',
    says: 'Every payment reserved its amount and fee when it was created, and there are no other reservations.',
    sql: `select coalesce(t.vendor_id, f.vendor_id) as "vendorId",
            format('payment %s: reserved %s of %s', coalesce(t.payment_id, f.source_id),
              f.amount_cents, t.amount_cents + t.fee_cents) as detail
          from ${PAYMENTS} t full join (
            select * from transfers where debit_account = 'float' and credit_account = 'reserved'
          ) f on f.bucket = t.bucket and f.vendor_id = t.vendor_id and f.source_id = t.payment_id
            and f.leg = 1
          where f.amount_cents is distinct from t.amount_cents + t.fee_cents`,
  },
  {
    name: 'outcome_equals_resolution',
    says: 'A successful payment’s reservation went to the operator, its fee to the fees account and its VAT to the VAT account; a failed payment’s returned to the float; an open payment’s is untouched. For a corrected payment the outcome before the correction counts.',
    sql: `select t.vendor_id as "vendorId", format('payment %s: %s, %s out, %s back', t.payment_id,
              coalesce(t.outcome, 'open'), coalesce(r.gone, 0), coalesce(r.back, 0)) as detail
          from (
            select x.bucket, x.vendor_id, x.payment_id, x.amount_cents, x.fee_cents, x.vat_cents,
              excise_of(x.fee_cents, x.vat_cents, x.fee_price) as excise_cents,
              coalesce(c.outcome_before, x.outcome) as outcome
            from ${PAYMENTS} x left join (
              select distinct on (bucket, vendor_id, payment_id) bucket, vendor_id, payment_id,
                outcome_before
              from corrections where outcome_before is not null
              order by bucket, vendor_id, payment_id, posted_at
            ) c on c.bucket = x.bucket and c.vendor_id = x.vendor_id and c.payment_id = x.payment_id
          ) t left join (
            select bucket, vendor_id, source_id,
              coalesce(sum(amount_cents) filter (where credit_account <> 'float'), 0) as gone,
              coalesce(sum(amount_cents) filter (where credit_account = 'float'), 0) as back,
              coalesce(sum(amount_cents) filter (where credit_account = 'fees'), 0) as fee,
              coalesce(sum(amount_cents) filter (where credit_account = 'vat'), 0) as vat,
              coalesce(sum(amount_cents) filter (where credit_account = 'excise'), 0) as excise
            from transfers where debit_account = 'reserved' group by bucket, vendor_id, source_id
          ) r on r.bucket = t.bucket and r.vendor_id = t.vendor_id and r.source_id = t.payment_id
          where (case
            when t.outcome is null then r.source_id is null
            when t.outcome = 'failed' then r.gone = 0 and r.back = t.amount_cents + t.fee_cents
            else r.gone > r.fee + r.vat + r.excise and r.vat = t.vat_cents and r.excise = t.excise_cents
              and r.fee = t.fee_cents - t.vat_cents - t.excise_cents
              and r.gone + r.back = t.amount_cents + t.fee_cents end) is not true`,
  },
  ...priceInvariants(PAYMENTS),
  {
    name: 'archived_or_here',
    says: 'A payment is live or archived, not both, and an archived payment has no instructions left.',
    sql: `select vendor_id as "vendorId",
            format('payment %s is archived, and still here', payment_id) as detail
          from archived_payments a
          where exists (select 1 from payments t
              where t.bucket = a.bucket and t.vendor_id = a.vendor_id and t.payment_id = a.payment_id)
            or exists (select 1 from unexecuted_attempts t
              where t.bucket = a.bucket and t.vendor_id = a.vendor_id and t.payment_id = a.payment_id)`,
  },
  {
    name: 'open_has_no_end',
    says: 'An open payment has no field that only a final result sets.',
    sql: `select vendor_id as "vendorId",
            format('payment %s: open, with fields of an outcome', payment_id) as detail
          from payments
          where outcome is null and num_nonnulls(settled_at, biller_response_time, biller_reference,
            message, details, sent_at, attempt_number, attempt_outcome, operator_handle, settled_by) > 0`,
  },
  {
    name: 'open_equals_queued',
    says: 'Every open payment is in the dispatch queue, and no other payment is.',
    sql: `select coalesce(t.vendor_id, q.vendor_id) as "vendorId",
            format('payment %s of %s: %s', coalesce(t.payment_id, q.payment_id),
              coalesce(t.biller_code, q.biller_code),
              case when t.payment_id is null then 'queued, but not open'
                else 'open, but not queued' end) as detail
          from (
              select bucket, vendor_id, biller_code, payment_id from payments where outcome is null
            ) t full join dispatch_queue q using (bucket, vendor_id, biller_code, payment_id)
          where t.payment_id is null or q.due_at is null`,
  },
  {
    name: 'nothing_in_future',
    says: 'No row is dated in the future, because the chain would not cover it. One minute is allowed for clocks that differ.',
    sql: `select vendor_id as "vendorId", format('%s %s is dated %s', what, id, at) as detail
          from (
            select vendor_id, 'payment' as what, payment_id as id,
              greatest(created_at, settled_at) as at from payments
            union all
            select vendor_id, 'transfer of', source_id, created_at from transfers
            union all
            select vendor_id, 'collection', collection_id, created_at from collections
            union all
            select vendor_id, 'fund movement', movement_id, created_at from fund_movements
            union all
            select vendor_id, 'correction', correction_id, posted_at from corrections
            union all
            select 0, 'house transfer', transfer_id, posted_at from house_transfers
          ) x where at > clock_timestamp() + interval '1 minute'`,
  },
  {
    name: 'attempts_end_once',
    says: 'An attempt is in progress, or has exactly one result.',
    sql: `select vendor_id as "vendorId", format('payment %s: attempt %s is %s', payment_id,
            attempt_number,
              string_agg(coalesce(outcome, 'in progress'), ' and ' order by outcome)) as detail
          from attempts group by bucket, vendor_id, payment_id, attempt_number having count(*) > 1`,
  },
  {
    name: 'attempts_have_payments',
    says: 'Every instruction belongs to a payment.',
    sql: `select a.vendor_id as "vendorId",
            format('attempt %s of %s, which does not exist', a.attempt_number, a.payment_id) as detail
          from unexecuted_attempts a where not exists (select 1 from payments t
            where t.bucket = a.bucket and t.vendor_id = a.vendor_id
              and t.payment_id = a.payment_id)`,
  },
  {
    name: 'success_was_instructed',
    says: 'A successful payment has an instruction.',
    sql: `select t.vendor_id as "vendorId",
            format('payment %s: success without an attempt', t.payment_id) as detail
          from payments t
          where t.outcome = 'success' and t.sent_at is null and not exists (select 1 from unexecuted_attempts a
            where a.bucket = t.bucket and a.vendor_id = t.vendor_id and a.payment_id = t.payment_id)`,
  },
  {
    name: 'movements_equal_transfers',
    says: 'Every collection and fund movement is in the ledger once, with its amount, and no other is.',
    sql: `select coalesce(m.vendor_id, f.vendor_id) as "vendorId",
            format('%s %s: %s, transfer %s', f.debit_account, coalesce(m.id, f.source_id), m.amount_cents, f.amount_cents) as detail
          from (
            select vendor_id, collection_id as id, amount_cents, account as debit_account from collections
            union all
            select vendor_id, movement_id, amount_cents, 'collected' from fund_movements
          ) m full join (
            select * from transfers
            where credit_account = 'collected' and ${isIncomeSql('debit_account')}
              or debit_account = 'collected' and credit_account = 'float'
          ) f on f.vendor_id = m.vendor_id and f.source_id = m.id and f.debit_account = m.debit_account
            and f.leg = 1
          where m.amount_cents is distinct from f.amount_cents`,
  },
  {
    name: 'payouts_equal_transfers',
    says: 'Every payout that was made is in the ledger once, from the bank that it went through, with its amount and time, and no other is.',
    sql: `select coalesce(p.vendor_id, f.vendor_id) as "vendorId",
            format('payout %s: %s, transfers %s', coalesce(p.payout_id, f.source_id), p.amount_cents,
              f.amount_cents) as detail
          from vendor_payouts p full join (
            select vendor_id, source_id, max(created_at) as created_at, min(credit_account) as account,
              sum(amount_cents)::bigint as amount_cents
            from transfers where credit_account like 'bank:%'
            group by vendor_id, source_id
          ) f on f.vendor_id = p.vendor_id and f.source_id = p.payout_id
          where (p.amount_cents, p.posted_at, 'bank:' || p.bank)
            is distinct from (f.amount_cents, f.created_at, f.account)`,
  },
  VENDOR_OPENINGS_INVARIANT,
  HOLDS_INVARIANT,
  DISBURSEMENTS_INVARIANT,
  {
    name: 'corrections_equal_transfers',
    says: 'Every other transfer belongs to a correction that two people decided, and every correction is in the ledger with its amount.',
    sql: `select coalesce(c.vendor_id, f.vendor_id) as "vendorId",
            format('correction %s: %s, transfers %s', coalesce(c.correction_id, f.source_id),
              c.amount_cents, f.amount_cents) as detail
          from (
            select * from corrections
            where vendor_id = 0 or (bucket, vendor_id, case_id) in (
              select bucket, vendor_id, case_id from cases where resolved_at is not null)
          ) c full join (
            select bucket, vendor_id, source_id, sum(amount_cents)::bigint as amount_cents
            from transfers
            where (debit_account, credit_account) not in (('collected', 'float'), ('float', 'reserved'))
              and not (credit_account = 'collected' and ${isIncomeSql('debit_account')})
              and debit_account <> 'opening' and credit_account not like 'bank:%' and 'held' not in (debit_account, credit_account)
              and debit_account <> 'reserved' and leg not in (8, 9)
            group by bucket, vendor_id, source_id
          ) f on f.bucket = c.bucket and f.vendor_id = c.vendor_id and f.source_id = c.correction_id
          where c.amount_cents is distinct from f.amount_cents`,
  },
  {
    name: 'own_corrections_decided',
    says: 'Every correction between our own accounts belongs to a case that two people resolved.',
    // The case is its vendor's, so in another bucket.
    overall: true,
    sql: `select 0 as "vendorId", format('correction %s: its case is not resolved', correction_id) as detail
          from corrections
          where vendor_id = 0
            and case_id not in (select case_id from cases where resolved_at is not null)`,
  },
  ...HOUSE_INVARIANTS,
  ...RECEIPT_INVARIANTS,
  {
    name: 'outcome_equals_correction',
    says: 'A corrected payment has the outcome of its last correction, and each correction starts from the outcome of the previous one.',
    sql: `select c.vendor_id as "vendorId", format('payment %s: %s, corrected from %s to %s',
            c.payment_id,
              t.outcome, c.outcome_before, c.outcome_after) as detail
          from (
            select *, lead(outcome_before) over (
              partition by bucket, vendor_id, payment_id order by posted_at) as next_before
            from corrections where outcome_after is not null
          ) c left join payments t
            on t.bucket = c.bucket and t.vendor_id = c.vendor_id and t.payment_id = c.payment_id
          where coalesce(c.next_before, t.outcome) is distinct from c.outcome_after`,
  },
  {
    name: 'closed_days_frozen',
    says: 'A closed day’s totals are those of its transfers, it begins where the previous day ended, and nothing was added to it.',
    sql: `with days as (
            select *, lag(day) over (order by started_at) as day_before,
              lag(ended_at) over (order by started_at) as end_before
            from closed_days
          ), reach as (
            select array_agg(started_at order by started_at) as starts,
              array_agg(day order by started_at) as days, min(started_at) as first, max(ended_at) as last
            from closed_days
          ), made as (
            -- The day null is all time before the first closed day.
            select case when f.created_at >= r.first then r.days[width_bucket(f.created_at, r.starts)] end as day,
              f.vendor_id, f.operator_code, sum(f.net_cents) as net, sum(f.in_cents) as came,
              sum(f.payments_cents) as payments, sum(f.fees_cents) as fees, sum(f.vat_cents) as vat,
              sum(f.payouts_cents) as payouts,
              sum(f.costs_cents) as costs, sum(f.commissions_cents) as commissions,
              sum(f.refunds_cents) as refunds, sum(f.corrections_cents) as corrections
            from ${FLOWS} f join reach r on f.created_at < r.last
            group by 1, 2, 3
          )
          select coalesce(t.vendor_id, m.vendor_id) as "vendorId",
            format('closed day %s%s: the totals are not what the transfers make',
              coalesce(t.day, m.day), ' ' || nullif(coalesce(t.operator_code, m.operator_code), '')) as detail
          from day_totals t full join (select * from made where day is not null) m
              on m.day = t.day and m.vendor_id = t.vendor_id and m.operator_code = t.operator_code
            left join days d on d.day = t.day
            left join day_totals b on b.day = d.day_before and b.vendor_id = t.vendor_id
              and b.operator_code = t.operator_code
            left join made z on z.day is null and d.day_before is null and z.vendor_id = t.vendor_id
              and z.operator_code = t.operator_code
          where t.day is null
            or (t.in_cents, t.payments_cents, t.fees_cents, t.vat_cents, t.payouts_cents, t.costs_cents,
                t.commissions_cents, t.refunds_cents, t.corrections_cents)
              is distinct from (coalesce(m.came, 0), coalesce(m.payments, 0), coalesce(m.fees, 0),
                coalesce(m.vat, 0), coalesce(m.payouts, 0), coalesce(m.costs, 0), coalesce(m.commissions, 0),
                coalesce(m.refunds, 0), coalesce(m.corrections, 0))
            or t.closing_cents <> t.opening_cents + coalesce(m.net, 0)
            or t.opening_cents <> coalesce(b.closing_cents, z.net, 0)
            or d.end_before <> d.started_at`,
  },
  {
    name: 'written_as_sent',
    says: 'No trigger, rule or policy changes rows as they are written, or hides them.',
    overall: true,
    sql: `select 0 as "vendorId",
            format('trigger %s of %s', t.tgname, t.tgrelid::regclass) as detail
          from pg_trigger t join pg_class c on c.oid = t.tgrelid
          where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace
          union all
          select 0, format('rule %s of %s', rulename, tablename) from pg_rules
          where schemaname = current_schema()
          union all
          select 0, format('policy %s of %s', policyname, tablename) from pg_policies
          where schemaname = current_schema()`,
  },
];
