/**
 * The rows that the hash chain covers, as SQL: one entry for every transfer, collection, fund
 * movement and correction. A payment's details are in the entry of the transfer committed with
 * them: the accepted request in the reservation's entry, the result in its resolution's.
 * `test/security/tampering.test.ts` verifies that every column is covered, or listed there as not
 * covered.
 *
 * A row is hashed as the text of a PostgreSQL record, which distinguishes null from empty text and
 * quotes ambiguous values. Times are hashed as the bytes of their microseconds, which do not depend
 * on session settings.
 */

const at = (column: string): string => `encode(timestamptz_send(${column}), 'hex')`;

/** Costs half as much as the id's own text. */
const id = (column: string): string => `encode(uuid_send(${column}), 'hex')`;

const sha256 = (...columns: readonly string[]): string =>
  `sha256(convert_to(row(${columns.join(', ')})::text, 'UTF8'))`;

const hex = (bytes: string): string => `encode(${bytes}, 'hex')`;

/** SHA-256 of the accepted fields that later are only in the archive's file; null: none. */
export const acceptedRest = (t: string): string =>
  `case when ${t}.phone is not null then ${sha256(id(`${t}.payment_id`), `${t}.phone`)} end`;

/** SHA-256 of the settled fields that later are only in the archive's file; null: none. */
export const settledRest = (t: string): string =>
  sha256(
    id(`${t}.payment_id`),
    `${t}.message`,
    `${t}.details`,
    at(`${t}.sent_at`),
    `${t}.attempt_number`,
    `${t}.attempt_outcome`,
    `${t}.operator_handle`,
    `${t}.settled_by`,
    `${t}.route_reason`,
  );

const settledWith = (t: string, rest: string): string =>
  sha256(
    `${t}.outcome`,
    `${t}.failure_code`,
    `${t}.biller_reference`,
    `${t}.operator_code`,
    `${t}.operator_price`,
    at(`${t}.settled_at`),
    at(`${t}.biller_response_time`),
    hex(rest),
  );

/**
 * SHA-256 of a payment's outcome with its details; a correction stores that of the outcome it
 * replaces.
 */
export const settledHash = (t: string): string => settledWith(t, settledRest(t));

/** Payments with their details, or with the hashes of archived details. */
const PAYMENTS = `(
  select bucket, vendor_id, payment_id, created_at, settled_at, biller_response_time, amount_cents,
    fee_cents, vat_cents, fee_price, operator_price, outcome, failure_code, biller_code, account,
    merchant_reference, biller_reference, phone, message, details, sent_at, attempt_number,
    attempt_outcome, operator_handle, settled_by, operator_code, route_reason,
    null::bytea as accepted_rest, null::bytea as settled_rest
  from payments
  union all
  select bucket, vendor_id, payment_id, created_at, settled_at, biller_response_time, amount_cents,
    fee_cents, vat_cents, fee_price, operator_price, outcome, failure_code, biller_code, account,
    merchant_reference, biller_reference, null, null, null, null, null, null, null, null,
    operator_code, null, accepted_rest, settled_rest
  from archived_payments
)`;

/** The accepted request, in the entry of the reservation. */
const ACCEPTED = `row(${[
  'p.biller_code',
  'p.account',
  'p.amount_cents',
  'p.fee_cents',
  'p.vat_cents',
  'p.fee_price',
  'p.merchant_reference',
  at('p.created_at'),
  hex(`coalesce(p.accepted_rest, ${acceptedRest('p')})`),
].join(', ')})::text`;

/** The result, in the entry of the resolution, as it was before the first correction. */
const SETTLED = hex(`coalesce(
  (select c.settled_before from corrections c
    where c.bucket = p.bucket and c.vendor_id = p.vendor_id and c.payment_id = p.payment_id
      and c.settled_before is not null
    order by c.posted_at limit 1),
  ${settledWith('p', `coalesce(p.settled_rest, ${settledRest('p')})`)})`);

const TRANSFER = sha256(
  id('f.source_id'),
  'f.leg',
  'f.debit_account',
  'f.credit_account',
  'f.amount_cents',
  at('f.created_at'),
  `case when p.vendor_id is not null then case f.leg when 1 then ${ACCEPTED} when 2 then ${SETTLED} end end`,
);

const COLLECTION = sha256(
  "'collection'",
  id('collection_id'),
  'collector',
  'reference',
  'amount_cents',
  at('paid_at'),
  at('created_at'),
  'account',
  hex('mac'),
);

const FUND_MOVEMENT = sha256(
  "'fund'",
  id('movement_id'),
  at('requested_at'),
  'amount_cents',
  at('created_at'),
);

/**
 * The outcome that a correction gave: the one that the next correction replaced, or the current
 * one.
 */
const CORRECTION = sha256(
  "'correction'",
  id('c.correction_id'),
  id('c.case_id'),
  id('c.payment_id'),
  'c.resolution',
  'c.amount_cents',
  at('c.posted_at'),
  'c.outcome_before',
  'c.outcome_after',
  hex('c.settled_before'),
  `case when c.outcome_after is not null then ${hex(`coalesce(
    (select n.settled_before from corrections n
      where n.bucket = c.bucket and n.vendor_id = c.vendor_id and n.payment_id = c.payment_id
        and n.settled_before is not null and n.posted_at > c.posted_at
      order by n.posted_at limit 1),
    (select ${settledHash('t')} from payments t
      where t.bucket = c.bucket and t.vendor_id = c.vendor_id and t.payment_id = c.payment_id))`)} end`,
  hex('c.mac'),
  'k.proposed_by',
  'k.resolved_by',
);

const HOUSE_TRANSFER = sha256(
  "'house'",
  id('transfer_id'),
  'source',
  id('source_id'),
  'part',
  'debit_account',
  'credit_account',
  'amount_cents',
  at('moved_at'),
  at('posted_at'),
  hex('mac'),
);

const PAYOUT = sha256(
  "'payout'",
  id('payout_id'),
  'amount_cents',
  'bank',
  'bank_account',
  'reference',
  'evidence',
  'note',
  'proposed_by',
  'decided_by',
  at('posted_at'),
  hex('mac'),
);

/**
 * Selects the entries with from <= time < to: `vendor_id`, `at`, `id`, `part` (0, or the transfer's
 * leg), `kind` and `hash`. In a block they are in the order of `ENTRY_ORDER`.
 * @param from, to SQL of a `timestamptz`.
 */
export function entries(from: string, to: string): string {
  const within = (column: string): string => `${column} >= ${from} and ${column} < ${to}`;
  return `
    select f.vendor_id, f.created_at as at, f.source_id as id, f.leg::integer as part,
      case when p.vendor_id is null then 'transfer' when f.leg = 1 then 'accepted'
        else 'settled' end as kind, ${TRANSFER} as hash
    from transfers f left join ${PAYMENTS} p
      on p.bucket = f.bucket and p.vendor_id = f.vendor_id and p.payment_id = f.source_id
        and f.leg in (1, 2)
    where ${within('f.created_at')}
    union all
    select vendor_id, created_at, collection_id, 0, 'collection', ${COLLECTION}
    from collections where ${within('created_at')}
    union all
    select vendor_id, created_at, movement_id, 0, 'fund', ${FUND_MOVEMENT}
    from fund_movements where ${within('created_at')}
    union all
    select c.vendor_id, c.posted_at, c.correction_id, 0, 'correction', ${CORRECTION}
    from corrections c left join cases k
      on k.bucket = c.bucket and k.vendor_id = c.vendor_id and k.case_id = c.case_id
    where ${within('c.posted_at')}
    union all
    select vendor_id, posted_at, payout_id, 0, 'payout', ${PAYOUT}
    from vendor_payouts where ${within('posted_at')}
    union all
    select 0, posted_at, transfer_id, 0, 'house', ${HOUSE_TRANSFER}
    from house_transfers where ${within('posted_at')}`;
}

export const ENTRY_ORDER = 'order by at, id, part';

/** Length of the part of an entry's hash that a block keeps. */
export const MARK_BYTES = 8;

/** SHA-256 over the blocks of all vendors, for `group by block_number`. */
export const BLOCKS_HASH = `sha256(string_agg(
  int4send(vendor_id) || int8send(entry_count) || hash, ''::bytea order by vendor_id))`;
