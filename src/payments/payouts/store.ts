import type { Queryable } from '../../platform/db/pool.ts';
import type { PayoutContent } from '../ledger/authenticity.ts';
import type { ProposalFilter } from '../../proposals/store.ts';

/** A transfer of our bank to a vendor's. Its id is that of its proposal. */
export interface PayoutRow extends Omit<PayoutContent, 'approvedBy'> {
  readonly decidedBy: string;
}

/** Returns false if the payout was booked, or the reference was entered before. */
export async function insertPayout(
  db: Queryable,
  payout: PayoutRow,
  mac: Buffer,
): Promise<boolean> {
  const inserted = await db.query(
    `insert into vendor_payouts (payout_id, vendor_id, amount_cents, bank_account, reference, evidence,
       note, proposed_by, decided_by, posted_at, mac, bank)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing`,
    [
      payout.payoutId,
      payout.vendorId,
      payout.amountCents,
      payout.bankAccount,
      payout.reference,
      payout.evidence,
      payout.note,
      payout.proposedBy,
      payout.decidedBy,
      payout.postedAt,
      mac,
      payout.bank,
    ],
  );
  return inserted.rowCount === 1;
}

export interface BookedPayout {
  payoutId: string;
  reference: string;
  postedAt: Date;
}

/** Finds the payouts that were booked. */
export async function findBooked(
  db: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, BookedPayout>> {
  if (payoutIds.length === 0) return new Map();
  const found = await db.query<BookedPayout>(
    `select payout_id as "payoutId", reference, posted_at as "postedAt" from vendor_payouts
     where payout_id = any ($1)`,
    [payoutIds],
  );
  return new Map(found.rows.map((row) => [row.payoutId, row]));
}

/**
 * Looks for a booked transfer of a bank, with the reference in any spelling. @param plain see
 * `plainReference`.
 */
export async function isBooked(db: Queryable, plain: string): Promise<boolean> {
  const found = await db.query(
    `select from vendor_payouts where lower(regexp_replace(reference, '[^A-Za-z0-9]', '', 'g')) = $1`,
    [plain],
  );
  return found.rowCount !== 0;
}

/** Whose money went back, because two people approved that. Of these payouts. */
export async function findReturned(
  db: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (payoutIds.length === 0) return new Set();
  const found = await db.query<{ payoutId: string }>(
    `select p.content ->> 'payoutId' as "payoutId"
     from proposals p join proposal_decisions d on d.proposal_id = p.proposal_id
     where p.kind = 'payout_return' and d.decision = 'approved' and p.content ->> 'payoutId' = any ($1)`,
    [payoutIds],
  );
  return new Set(found.rows.map(({ payoutId }) => payoutId));
}

/** A bank returns a transfer within this time. One that was made without a proposal may be proposed later. */
const RETURNED_WITHIN = `interval '14 days'`;
/** A shorter reference is in many texts. */
const LEAST_REFERENCE = 6;

/**
 * Payouts that may have been made and that a bank may have returned at this time: of the vendor and this amount, or
 * whose reference is in this text. Newest first.
 * @param of.text as `plainReference` makes it.
 */
export async function listPayoutsLike(
  db: Queryable,
  of: {
    readonly vendorId: number;
    readonly amountCents: bigint;
    /** The day is enough. */
    readonly at: Date;
    readonly text: string;
    readonly kinds: readonly string[];
  },
): Promise<string[]> {
  const listed = await db.query<{ payoutId: string }>(
    `select p.proposal_id as "payoutId"
     from proposals p left join proposal_decisions d on d.proposal_id = p.proposal_id
       left join vendor_payouts v on v.payout_id = p.proposal_id
       cross join lateral (select
         lower(regexp_replace(coalesce(v.reference, p.content ->> 'reference'), '[^A-Za-z0-9]', '', 'g')) as plain) r
     where p.kind = any ($5) and coalesce(d.decision, 'approved') = 'approved'
       and p.proposed_at between $3::timestamptz - ${RETURNED_WITHIN} and $3::timestamptz + ${RETURNED_WITHIN}
       and (p.vendor_id = $1 and p.content ->> 'cents' = $2
         or strpos($4, r.plain) > 0 and length(r.plain) >= ${LEAST_REFERENCE})
     order by p.proposed_at desc, p.proposal_id desc limit 5`,
    [of.vendorId, String(of.amountCents), of.at, of.text, of.kinds],
  );
  return listed.rows.map(({ payoutId }) => payoutId);
}

/** Approved payouts whose transfer has not been entered, newest first. */
export async function listUnbooked(
  db: Queryable,
  { before, limit }: Pick<ProposalFilter, 'before' | 'limit'>,
): Promise<string[]> {
  const listed = await db.query<{ payoutId: string }>(
    `select p.proposal_id as "payoutId"
     from proposals p join proposal_decisions d on d.proposal_id = p.proposal_id
     where p.kind = 'payout' and d.decision = 'approved'
       and not exists (select from vendor_payouts v where v.payout_id = p.proposal_id)
       and not exists (
         select from proposals r join proposal_decisions e on e.proposal_id = r.proposal_id
         where r.kind = 'payout_return' and e.decision = 'approved'
           and r.content ->> 'payoutId' = p.proposal_id::text)
       and ($2::timestamptz is null or (p.proposed_at, p.proposal_id) < ($2, $3::uuid))
     order by p.proposed_at desc, p.proposal_id desc limit $1`,
    [limit, before?.at ?? null, before?.id ?? null],
  );
  return listed.rows.map(({ payoutId }) => payoutId);
}
