import type { Proposal } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';

export interface PayoutRow extends Proposal {
  payoutId: string;
  vendorId: number;
  amountCents: bigint;
  bankAccount: string;
  reference: string;
  evidence: string;
  note: string;
  postedAt: Date | null;
  /** The authentication code of the proposal. */
  proposalMac: Buffer | null;
}

const PAYOUTS = `select payout_id as "payoutId", vendor_id as "vendorId", amount_cents as "amountCents",
    bank_account as "bankAccount", reference, evidence, note, proposed_by as "proposedBy",
    proposed_at as "proposedAt", decision, decided_by as "decidedBy", decided_at as "decidedAt",
    posted_at as "postedAt", proposal_mac as "proposalMac"
  from vendor_payouts`;

export type NewPayout = Omit<PayoutRow, 'decision' | 'decidedBy' | 'decidedAt' | 'postedAt'>;

/** Returns false if the reference was entered before. */
export async function insertPayout(db: Queryable, payout: NewPayout): Promise<boolean> {
  const inserted = await db.query(
    `insert into vendor_payouts (payout_id, vendor_id, amount_cents, bank_account, reference, evidence,
       note, proposed_by, proposed_at, proposal_mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      payout.payoutId,
      payout.vendorId,
      payout.amountCents,
      payout.bankAccount,
      payout.reference,
      payout.evidence,
      payout.note,
      payout.proposedBy,
      payout.proposedAt,
      payout.proposalMac,
    ],
  );
  return inserted.rowCount === 1;
}

export async function findPayout(db: Queryable, payoutId: string): Promise<PayoutRow | undefined> {
  return (await db.query<PayoutRow>(`${PAYOUTS} where payout_id = $1`, [payoutId])).rows[0];
}

/** The payout, locked until the caller's database transaction ends. */
export async function lockPayout(db: Queryable, payoutId: string): Promise<PayoutRow | undefined> {
  const locked = await db.query<PayoutRow>(`${PAYOUTS} where payout_id = $1 for update`, [
    payoutId,
  ]);
  return locked.rows[0];
}

/** The references of the bank's transfers, by payout. */
export async function findBankReferences(
  db: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (payoutIds.length === 0) return new Map();
  const found = await db.query<Pick<PayoutRow, 'payoutId' | 'reference'>>(
    'select payout_id as "payoutId", reference from vendor_payouts where payout_id = any ($1)',
    [payoutIds],
  );
  return new Map(found.rows.map(({ payoutId, reference }) => [payoutId, reference]));
}

/** Newest first. */
export async function listPayouts(
  db: Queryable,
  filter: {
    readonly open: boolean;
    /** Null: any. */
    readonly vendorId: number | null;
    readonly limit: number;
  },
): Promise<PayoutRow[]> {
  const listed = await db.query<PayoutRow>(
    `${PAYOUTS} where (not $1 or decision is null) and ($2::integer is null or vendor_id = $2)
     order by proposed_at desc, payout_id desc limit $3`,
    [filter.open, filter.vendorId, filter.limit],
  );
  return listed.rows;
}

export async function setRejected(db: Queryable, payoutId: string, person: string): Promise<void> {
  await db.query(
    `update vendor_payouts set decision = 'rejected', decided_by = $2, decided_at = now()
     where payout_id = $1`,
    [payoutId, person],
  );
}

/** Throws (SQLSTATE 23514) if the person who proposed it approves it. */
export async function setApproved(
  db: Queryable,
  payoutId: string,
  by: { readonly person: string; readonly postedAt: Date; readonly mac: Buffer },
): Promise<void> {
  await db.query(
    `update vendor_payouts set decision = 'approved', decided_by = $2, decided_at = now(),
       posted_at = $3, mac = $4
     where payout_id = $1`,
    [payoutId, by.person, by.postedAt, by.mac],
  );
}
