import { findVendorById } from '../../parties/read-vendors.ts';
import { findCollector, scopeOf } from '../../parties/read-collectors.ts';
import { isInScope } from '../../parties/vendor.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { isFarAhead, isSameIncome } from '../collections/collect.ts';
import type { CollectedIncome } from '../collections/collect.ts';
import { findCollection } from '../collections/store.ts';
import { collectionReference } from './receipt.ts';
import { wasClosed } from './read-receipts.ts';
import type { ReceiptRow } from './read-receipts.ts';

type Claimed = Omit<ReceiptRow, 'vendorId' | 'mac'> & { readonly vendorId: number };

/** `closed`: by two people. `reused`: its collector has reported the number with other content. */
export type Hindrance = 'closed' | 'taken_back' | 'not_allowed' | 'reused';

/** Finds what keeps a claimed receipt from being credited to its vendor now; null: nothing. */
export async function hindranceOf(db: Queryable, row: Claimed): Promise<Hindrance | null> {
  const { collector, vendorId } = row;
  if (await wasClosed(db, row.receiptId)) return 'closed';
  const income = incomeOf(row);
  const collected = await findCollection(db, collector, income.reference);
  if (collected === undefined && isTakenBack(row)) return 'taken_back';
  if (!(await mayCollect(db, collector, vendorId))) return 'not_allowed';
  return collected === undefined || isSameIncome(collected, income) ? null : 'reused';
}

/** The collected income that the receipt is. */
export function incomeOf(row: Claimed): CollectedIncome {
  const { collector, vendorId, bank } = row;
  const reference = collectionReference(row);
  // One with a time that cannot be, which two people assigned, was paid at the latest when it was reported.
  const paidAt = isFarAhead(row.paidAt, row.receivedAt.getTime()) ? row.receivedAt : row.paidAt;
  const isFromBank = row.moves === 0 && !row.isUnallocated;
  const account = isFromBank ? (`bank:${bank}` as const) : 'unallocated';
  return { collector, reference, vendorId, amountCents: creditedCents(row), paidAt, account };
}

/** Cents credited of a receipt: if it was moved, what its last vendor still had. */
export function creditedCents({
  amountCents,
  movedCents,
}: Pick<ReceiptRow, 'amountCents' | 'movedCents'>): bigint {
  return movedCents ?? amountCents;
}

/** True if the provider took the money back after the claim, or after people assigned it. */
export function isTakenBack({
  reversedAt,
  decidedAt,
}: Pick<ReceiptRow, 'reversedAt' | 'decidedAt'>): boolean {
  return reversedAt !== null && (decidedAt === null || decidedAt < reversedAt);
}

/** The collector must be active and allowed to report income of this vendor. */
export async function mayCollect(db: Queryable, name: string, vendorId: number): Promise<boolean> {
  const collector = await findCollector(db, name);
  if (collector === undefined || collector.status !== 'active') return false;
  const scope = scopeOf(collector);
  if (scope === 'all') return true;
  const vendor = await findVendorById(db, vendorId);
  return vendor !== undefined && isInScope(scope, vendor.vid);
}
