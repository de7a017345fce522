import { createHash } from 'node:crypto';
import { amountText } from './amounts.ts';
import type { Answer } from './answers.ts';

// Words for virtues and things of nature, so that no name is a person's.
const FIRST_NAMES = ['Amani', 'Baraka', 'Furaha', 'Imani', 'Neema', 'Tumaini', 'Upendo', 'Zawadi'];
const LAST_NAMES = ['Bahari', 'Jabali', 'Mlima', 'Msitu', 'Mwezi', 'Nyota', 'Radi', 'Upepo'];

/** Billers whose customers owe something before they pay. */
const BILLERS_WITH_DUES: ReadonlySet<string> = new Set([
  'kplc_postpaid',
  'nairobi_water',
  'dstv',
  'gotv',
  'zuku',
  'startimes',
]);

/** Every bill has this date. */
const DUE_DATE = '2030-01-31';

/**
 * Whether the biller has this account: 5 to 14 digits, unless they end in 9902. The name and the
 * amount due are invented, and the same each time.
 */
export function validateAccount(biller: string, account: string): Answer {
  if (!/^\d{5,14}$/.test(account) || account.endsWith('9902')) {
    return { status: 'invalid', message: 'The biller does not know this account' };
  }
  const hash = createHash('sha256').update(`${biller} ${account}`).digest();
  const first = FIRST_NAMES[hash.readUInt8(0) % FIRST_NAMES.length];
  const last = LAST_NAMES[hash.readUInt8(1) % LAST_NAMES.length];
  const due = BILLERS_WITH_DUES.has(biller)
    ? { amount_due: amountText(BigInt(hash.readUInt32BE(2) % 5_000_00)), due_date: DUE_DATE }
    : {};
  return { status: 'valid', name: `${first} ${last}`, ...due };
}
