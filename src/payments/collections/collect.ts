import { crashPoint } from '#crash-points';
import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { encodeReference } from '../../parties/reference.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { IncomeAccount } from '../ledger/account.ts';
import { collectionText } from '../ledger/authenticity.ts';
import type { CollectionContent } from '../ledger/authenticity.ts';
import { lockFloat, postTransfer } from '../ledger/store.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { findCollection, insertCollection } from './store.ts';
import type { CollectionRow } from './store.ts';

/** Clocks and time zones of collectors, providers and banks may be ahead by at most a day. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** Detects a time that no difference of clocks or time zones explains. */
export function isFarAhead(paidAt: Date, nowMs: number): boolean {
  return paidAt.getTime() > nowMs + MAX_AHEAD_MS;
}

export interface CollectedIncome extends Omit<
  CollectionContent,
  'collectionId' | 'createdAt' | 'account'
> {
  /** Who has the money. Absent: its collector. */
  readonly account?: IncomeAccount;
}

/** A movement between a vendor's accounts, as the answers of collect and fund show it. */
export interface Movement {
  /** Our reference; null if nothing moved. */
  readonly reference: string | null;
  readonly amountCents: bigint;
  readonly postedAt: Date;
  /** True if this request moved it, false for the answer to a repeat. */
  readonly fresh: boolean;
}

/**
 * Adds collected income to the vendor's ledger: from who has the money to `collected`. The same (collector,
 * reference) with the same content gets the answer of the first movement again.
 * Throws: `reference_reused` if the content differs.
 * @param requireNew throws if the money of a new collection is known in another way. It is called within the
 * database transaction.
 */
export async function collect(
  deps: { readonly pool: Pool; readonly ledgerMac: Mac },
  income: CollectedIncome,
  requireNew?: (client: Queryable) => Promise<void>,
): Promise<Movement> {
  const movement = await repeatableTransaction(
    deps.pool,
    async (client) => await collectWithin(client, deps.ledgerMac, income, requireNew),
  );
  crashPoint('collect:after-commit');
  return movement;
}

/** Like `collect`, in the caller's database transaction. */
export async function collectWithin(
  client: Queryable,
  mac: Mac,
  income: CollectedIncome,
  requireNew?: (client: Queryable) => Promise<void>,
): Promise<Movement> {
  requirePastOrNear(income.paidAt);
  await lockFloat(client, income.vendorId);
  const made = {
    ...income,
    account: income.account ?? (`collector:${income.collector}` as const),
    collectionId: newId(),
    createdAt: await postingTime(client),
  };
  const row = { ...made, mac: mac.sign(collectionText(made)) };
  if (!(await insertCollection(client, row))) {
    const known = await findCollection(client, income.collector, income.reference);
    return movementBefore(known, income);
  }
  await requireNew?.(client);
  await postTransfer(client, {
    vendorId: income.vendorId,
    sourceId: row.collectionId,
    leg: 1,
    debitAccount: made.account,
    creditAccount: 'collected',
    amountCents: income.amountCents,
    createdAt: row.createdAt,
  });
  crashPoint('collect:before-commit');
  return { ...movementOf(row), fresh: true };
}

type Known = Pick<
  CollectionRow,
  'vendorId' | 'collectionId' | 'amountCents' | 'paidAt' | 'createdAt'
>;

/** The answer of the first report to a repeat. Throws: `reference_reused` if the content differs. */
export function movementBefore(known: Known | undefined, income: CollectedIncome): Movement {
  if (known === undefined || !isSameIncome(known, income)) throw reused(known, income.vendorId);
  return { ...movementOf(known), fresh: false };
}

/** True if a collection under the same reference has the same content. */
export function isSameIncome(
  known: Pick<Known, 'vendorId' | 'amountCents' | 'paidAt'>,
  income: CollectedIncome,
): boolean {
  return (
    known.vendorId === income.vendorId &&
    known.amountCents === income.amountCents &&
    known.paidAt.getTime() === income.paidAt.getTime()
  );
}

function movementOf(of: Omit<Known, 'paidAt'>): Omit<Movement, 'fresh'> {
  const reference = encodeReference(of.vendorId, of.collectionId);
  return { reference, amountCents: of.amountCents, postedAt: of.createdAt };
}

function requirePastOrNear(paidAt: Date): void {
  if (!isFarAhead(paidAt, Date.now())) return;
  const text = 'paid_at is more than a day in the future';
  throw new Refusal('invalid_field', { field: 'paid_at', text });
}

/** Names the first collection to its own vendor's repeat only. */
function reused(
  known: { readonly vendorId: number; readonly collectionId: string } | undefined,
  vendorId: number,
): Refusal {
  const isSameVendor = known?.vendorId === vendorId;
  return new Refusal('reference_reused', {
    field: 'reference',
    ...(isSameVendor && { reference: encodeReference(vendorId, known.collectionId) }),
  });
}
