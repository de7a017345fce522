import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { openingText } from '../ledger/authenticity.ts';
import type { OpeningContent } from '../ledger/authenticity.ts';
import { ensureAccounts, lockFloat, postTransfer } from '../ledger/store.ts';
import { insertOpening } from './store.ts';

/** The two balances are legs of one source. */
const LEGS = [
  { leg: 1, account: 'collected' },
  { leg: 2, account: 'float' },
] as const;

/** Books what a vendor brings, within the caller's database transaction, which holds the lock of the topic `vendors`. */
export async function bookOpening(
  { db, ledgerMac }: { readonly db: Queryable; readonly ledgerMac: Mac },
  opening: Omit<OpeningContent, 'postedAt'>,
): Promise<void> {
  const { vendorId, importId, collectedCents, floatCents } = opening;
  await lockFloat(db, vendorId);
  const row = { ...opening, postedAt: await postingTime(db) };
  await insertOpening(db, { ...row, mac: ledgerMac.sign(openingText(row)) });
  const amounts = { collected: collectedCents, float: floatCents };
  for (const { leg, account } of LEGS) {
    if (amounts[account] === 0n) continue;
    await ensureAccounts(db, vendorId, ['opening', account]);
    await postTransfer(db, {
      ...{ vendorId, leg, sourceId: importId, createdAt: row.postedAt },
      ...{ debitAccount: 'opening', creditAccount: account, amountCents: amounts[account] },
    });
  }
}
