import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { payoutPhoneText } from '../ledger/authenticity.ts';
import { findPayoutPhone, insertPayoutPhone } from './phones-store.ts';

/** In the caller's database transaction, which holds the lock of the topic `vendors`. */
export async function setPayoutPhone(
  { db, ledgerMac }: { readonly db: Queryable; readonly ledgerMac: Mac },
  { vendorId, phone, by: setBy }: { vendorId: number; phone: string | null; by: string },
): Promise<void> {
  const known = await findPayoutPhone(db, vendorId);
  if ((known?.phone ?? null) === phone) {
    throw new PlainError('That is its phone for payouts already.', { field: 'phone' });
  }
  const number = (known?.number ?? 0) + 1;
  const row = { vendorId, number, phone, setAt: await postingTime(db), setBy };
  await insertPayoutPhone(db, { ...row, mac: ledgerMac.sign(payoutPhoneText(row)) });
}

/** Null: the vendor has none. Throws: `PlainError` if somebody altered it in the database. */
export async function confirmedPhone(
  db: Queryable,
  ledgerMac: Mac,
  vendorId: number,
): Promise<string | null> {
  const row = await findPayoutPhone(db, vendorId);
  if (row === undefined) return null;
  if (ledgerMac.verify(payoutPhoneText(row), row.mac)) return row.phone;
  throw new PlainError('The vendor’s phone for payouts was altered in the database.', {
    field: 'phone',
  });
}
