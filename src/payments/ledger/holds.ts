import type { Queryable } from '../../platform/db/pool.ts';
import { lockFloat, postTransfer } from './store.ts';
import { findHold } from './holds-store.ts';

/** Under the id of its proposal: leg 1 takes the money, leg 2 gives it away, once. */
const TAKEN = 1;
const GONE = 2;

/** Moves collected income, or what is in the float, to `held`. The caller holds the vendor's float row. */
export async function holdMoney(
  db: Queryable,
  hold: {
    readonly holderId: string;
    readonly vendorId: number;
    readonly cents: bigint;
    /** Default: `collected`. */
    readonly from?: 'collected' | 'float';
    readonly at: Date;
  },
): Promise<void> {
  if (hold.cents === 0n) return;
  await postTransfer(db, {
    vendorId: hold.vendorId,
    sourceId: hold.holderId,
    leg: TAKEN,
    debitAccount: hold.from ?? 'collected',
    creditAccount: 'held',
    amountCents: hold.cents,
    createdAt: hold.at,
  });
}

/** Returns what the ledger says is held under this id, if it still is. Locks the vendor's float row. */
export async function releaseHeld(db: Queryable, holderId: string, at: Date): Promise<void> {
  const found = await findHold(db, holderId);
  if (found === undefined) return;
  await lockFloat(db, found.vendorId);
  const hold = await findHold(db, holderId);
  if (hold !== undefined) await giveAway(db, { ...hold, holderId, to: hold.from, at });
}

/** Moves held money to another account, once. The caller holds the vendor's float row. */
export async function giveAway(
  db: Queryable,
  hold: {
    readonly holderId: string;
    readonly vendorId: number;
    readonly cents: bigint;
    readonly to: 'collected' | 'float' | `bank:${string}`;
    readonly at: Date;
  },
): Promise<void> {
  await postTransfer(db, {
    vendorId: hold.vendorId,
    sourceId: hold.holderId,
    leg: GONE,
    debitAccount: 'held',
    creditAccount: hold.to,
    amountCents: hold.cents,
    createdAt: hold.at,
  });
}
