import { PlainError } from '../../platform/base/plain-error.ts';
import { requireText } from '../../platform/base/proposal.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Actor, Proposed } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalFilter } from '../../proposals/store.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { requireReference } from '../house/entry.ts';
import { MAIN_BANK } from '../house/standard-accounts.ts';
import { giveAway } from '../ledger/holds.ts';
import { findHold } from '../ledger/holds-store.ts';
import { lockFloat } from '../ledger/store.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { book } from './book.ts';
import { PAYOUT_MADE } from './made.ts';
import { PAYOUT } from './payout.ts';
import type { PayoutContent } from './payout.ts';
import { PAYOUT_RETURN } from './return.ts';
import { findBooked, findReturned, listUnbooked } from './store.ts';

export interface PayoutRequest {
  readonly vendorId: number;
  readonly vid: string;
  readonly amountCents: bigint;
  /** The account of ours that it leaves, without `bank:`. Absent: the main one. */
  readonly bank?: string;
  /** Where the money goes, as the bank names it. */
  readonly bankAccount: string;
  /** Reference of the bank's transfer, if it was already made; null: it waits for the approval. */
  readonly reference: string | null;
  /** Where it can be looked up. */
  readonly evidence: string;
  /** Why. */
  readonly note: string;
  readonly by: Actor;
}

/** A payout, with what has become of it. */
export interface Payout {
  readonly row: ProposalRow;
  readonly content: PayoutContent;
  readonly amountCents: bigint;
  /** Reference of the bank's transfer; null: it was not made, or not entered yet. */
  readonly reference: string | null;
  readonly postedAt: Date | null;
  readonly state:
    | 'waits'
    | 'approved'
    | 'booked'
    | 'returned'
    | 'rejected'
    | 'withdrawn'
    | 'expired';
}

/** Proposes a payout. The money is held from now on. Throws: `PlainError` with the problem. */
export async function proposePayout(
  proposals: Proposals,
  { amountCents, by, note, reference, ...request }: PayoutRequest,
): Promise<ProposalRow> {
  if (amountCents <= 0n) throw new PlainError('It must be above zero.', { field: 'amount' });
  const payout = {
    ...{ vendorId: request.vendorId, vid: request.vid, cents: String(amountCents) },
    bank: request.bank ?? MAIN_BANK,
    bankAccount: requireText(request.bankAccount, 'bankAccount'),
    evidence: requireText(request.evidence, 'evidence'),
  };
  if (reference === null) {
    return await proposals.propose({ kind: PAYOUT, content: payout, by, note });
  }
  const content = { ...payout, reference: requireReference(reference) };
  return await proposals.propose({ kind: PAYOUT_MADE, content, by, note });
}

/**
 * Books an approved payout: enters the reference of the bank’s transfer, held → bank.
 * Throws: `PlainError` unless two people approved it and its money is still held.
 */
export async function enterTransfer(
  { pool, ledgerMac, proposals }: { pool: Pool; ledgerMac: Mac; proposals: Proposals },
  request: { readonly payoutId: string; readonly reference: string; readonly by: Actor },
): Promise<ProposalRow> {
  const reference = requireReference(request.reference);
  const { payoutId } = request;
  return await repeatableTransaction(pool, async (db) => {
    const row = await proposals.requireApproved(db, payoutId, PAYOUT);
    await proposals.requireMayPropose(db, request.by, row);
    const proposal = row as ProposalRow & Proposed<PayoutContent>;
    const { vendorId, bank } = proposal.content;
    await lockFloat(db, vendorId);
    const hold = await findHold(db, payoutId);
    if (hold?.cents !== BigInt(proposal.content.cents)) {
      throw new PlainError('The payout was booked, or its money was returned, in the meantime.');
    }
    const at = await postingTime(db);
    await book(db, ledgerMac, proposal, { reference, decidedBy: row.decidedBy ?? '', at });
    const to = `bank:${bank}` as const;
    await giveAway(db, { holderId: payoutId, vendorId, cents: hold.cents, to, at });
    return row;
  });
}

/** Proposes to return what an approved payout holds, because its transfer was not made. */
export async function proposeReturn(
  proposals: Proposals,
  request: { readonly payoutId: string; readonly note: string; readonly by: Actor },
): Promise<ProposalRow> {
  const { payoutId, note, by } = request;
  const row = await proposals.find(payoutId);
  if (row.kind !== PAYOUT || row.decision !== 'approved') {
    throw new PlainError('It is not an approved payout. One that waits can be rejected.');
  }
  const { vendorId, vid, cents, bankAccount } = row.content as PayoutContent;
  const content = { payoutId, vendorId, vid, cents, bankAccount };
  return await proposals.propose({ kind: PAYOUT_RETURN, content, by, note });
}

/** Newest first. @param filter.open only those that wait for a decision, or for the transfer. */
export async function listPayouts(
  pool: Pool,
  proposals: Proposals,
  filter: Pick<ProposalFilter, 'open' | 'vendorId' | 'before' | 'limit'>,
): Promise<Payout[]> {
  const rows = await proposals.list({ ...filter, kinds: [PAYOUT, PAYOUT_MADE] });
  const unbooked = filter.open ? await listUnbooked(pool, filter) : [];
  for (const payoutId of unbooked) rows.push(await proposals.find(payoutId));
  const newest = rows.toSorted(
    (one, other) =>
      Number(other.proposedAt) - Number(one.proposedAt) ||
      (other.proposalId > one.proposalId ? 1 : -1),
  );
  return await withStates(pool, newest.slice(0, filter.limit));
}

/** Throws: `PlainError` if it does not exist. */
export async function findPayout(
  pool: Pool,
  proposals: Proposals,
  payoutId: string,
): Promise<Payout> {
  const row = await proposals.find(payoutId);
  const [payout] =
    row.kind === PAYOUT || row.kind === PAYOUT_MADE ? await withStates(pool, [row]) : [];
  if (payout !== undefined) return payout;
  throw new PlainError('This payout does not exist.');
}

async function withStates(pool: Pool, rows: readonly ProposalRow[]): Promise<Payout[]> {
  const ids = rows.map(({ proposalId }) => proposalId);
  const booked = await findBooked(pool, ids);
  const returned = await findReturned(pool, ids);
  return rows.map((row) => {
    const content = row.content as PayoutContent;
    const made = booked.get(row.proposalId);
    const { decision } = row;
    const approved = returned.has(row.proposalId) ? 'returned' : 'approved';
    return {
      row,
      content,
      amountCents: BigInt(content.cents),
      reference: made?.reference ?? null,
      postedAt: made?.postedAt ?? null,
      state: made ? 'booked' : decision === 'approved' ? approved : (decision ?? 'waits'),
    };
  });
}
