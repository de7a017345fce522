import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { HouseAccount } from '../house/account.ts';
import { postHouseTransfer } from '../house/store.ts';
import type { ReceiptRow } from './read-receipts.ts';

/** Nobody decided it: a report says it. */
const NOBODY = { proposedBy: null, approvedBy: null, texts: null } as const;

type Booked = Pick<ReceiptRow, 'receiptId' | 'bank' | 'amountCents' | 'paidAt'>;

/** Books money at a bank whose vendor nobody knows, or who may not have it yet: it is a liability from now on. */
export async function bookUnallocated(db: Queryable, mac: Mac, row: Booked): Promise<void> {
  await postHouseTransfer(db, mac, {
    ...{ source: 'receipt', sourceId: row.receiptId, part: 1, ...NOBODY },
    ...{ debitAccount: `bank:${row.bank}`, creditAccount: 'unallocated' },
    ...{ amountCents: row.amountCents, movedAt: row.paidAt },
  });
}

/**
 * Books that two people closed a receipt: what its bank took back of it has gone, and the rest belongs to an account.
 * @param of.account its bank: the money never came in, or was reported twice.
 */
export async function bookClosed(
  db: Queryable,
  mac: Mac,
  row: Booked,
  of: { readonly reversedCents: bigint; readonly account: HouseAccount | null; readonly at: Date },
): Promise<void> {
  const gone = of.reversedCents < row.amountCents ? of.reversedCents : row.amountCents;
  const parts = [
    { creditAccount: 'reversals', amountCents: gone },
    { creditAccount: of.account ?? `bank:${row.bank}`, amountCents: row.amountCents - gone },
  ] as const;
  for (const [index, { creditAccount, amountCents }] of parts.entries()) {
    if (amountCents === 0n) continue;
    await postHouseTransfer(db, mac, {
      ...{ source: 'receipt', sourceId: row.receiptId, part: index + 2, ...NOBODY },
      ...{ debitAccount: 'unallocated', creditAccount, amountCents, movedAt: of.at },
    });
  }
}

/** Books money that a bank took back, until people decide who bears it. @param of.eventId the report. */
export async function bookReversal(
  db: Queryable,
  mac: Mac,
  { bank }: Pick<ReceiptRow, 'bank'>,
  of: { readonly eventId: string; readonly cents: bigint; readonly at: Date },
): Promise<void> {
  await postHouseTransfer(db, mac, {
    ...{ source: 'reversal', sourceId: of.eventId, part: 1, ...NOBODY },
    ...{ debitAccount: 'reversals', creditAccount: `bank:${bank}` },
    ...{ amountCents: of.cents, movedAt: of.at },
  });
}
