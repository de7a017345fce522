import type { Queryable } from '../../platform/db/pool.ts';
import type { BankMovement } from './compare-bank.ts';

interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** The lines of a bank’s statements. A credit is named by the number of its receipt. */
const LINES = `select booked_at as at, amount_cents as cents, kind,
    case when kind = 'credit' then receipt else reference end as reference
  from bank_lines where bank = $1 and booked_at >= $2 and booked_at < $3`;

/**
 * What our books have at a bank. Receipts that went to their vendors at once are in the vendors' books, the others in
 * those of the house; `ledger check` compares both with the receipts.
 */
const BOOKINGS = `
  select paid_at as at, amount_cents as cents, 'receipt' as kind, receipt as reference
  from receipts where bank = $1 and paid_at >= $2 and paid_at < $3
    and not is_unallocated and (state = 'credited' or moves > 0)
  union all
  select posted_at, -amount_cents, 'payout', reference
  from vendor_payouts where bank = $1 and posted_at >= $2 and posted_at < $3
  union all
  select * from (
    select t.moved_at, sum(case when t.debit_account = 'bank:' || $1 then t.amount_cents
        else -t.amount_cents end)::bigint as cents, t.source,
      coalesce(min(e.reference), min(j.reference), min(m.receipt), '')
    from house_transfers t
      left join house_entries e on t.source = 'entry' and e.entry_id = t.source_id
      left join house_journals j on t.source = 'journal' and j.journal_id = t.source_id
      left join receipt_events v on t.source = 'reversal' and v.event_id = t.source_id
      left join receipts m on m.receipt_id = coalesce(v.receipt_id, t.source_id)
    where 'bank:' || $1 in (t.debit_account, t.credit_account) and t.moved_at >= $2 and t.moved_at < $3
    group by t.source, t.source_id, t.moved_at
  ) h where cents <> 0`;

const movements = (sql: string): string =>
  `select at, cents as "amountCents", kind, reference from (${sql}) x order by at, reference`;

export async function listBankLines(
  db: Queryable,
  bank: string,
  { from, to }: Span,
): Promise<BankMovement[]> {
  return (await db.query<BankMovement>(movements(LINES), [bank, from, to])).rows;
}

export async function listBankBookings(
  db: Queryable,
  bank: string,
  { from, to }: Span,
): Promise<BankMovement[]> {
  return (await db.query<BankMovement>(movements(BOOKINGS), [bank, from, to])).rows;
}

/** The sum of the bank’s lines less our bookings in a span, in cents. */
export async function sumBankDifference(
  db: Queryable,
  bank: string,
  { from, to }: Span,
): Promise<bigint> {
  const read = await db.query<{ cents: bigint }>(
    `select (coalesce((select sum(cents) from (${LINES}) l), 0)
       - coalesce((select sum(cents) from (${BOOKINGS}) b), 0))::bigint as cents`,
    [bank, from, to],
  );
  return read.rows[0]?.cents ?? 0n;
}

export interface ListedBank {
  readonly bank: string;
  /** From and up to when statements list its lines. */
  readonly from: Date;
  readonly to: Date;
}

/** The banks whose statements were imported. */
export async function listListedBanks(db: Queryable): Promise<ListedBank[]> {
  const read = await db.query<ListedBank>(
    `select bank, min(booked_at) as from, max(booked_at) as to from bank_lines group by bank order by bank`,
  );
  return read.rows;
}
