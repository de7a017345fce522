import type { Queryable } from '../../platform/db/pool.ts';
import { eraseAnswers } from '../bureaus/upstream-store.ts';

/** Rows changed in one commit. */
const BATCH_ROWS = 1_000;

/**
 * Erases the payloads (names, documents, answer) of enquiries made before an instant, and upstream
 * bureaus' answers to them, in small commits; the rows and the chain stay. Returns how many
 * enquiries.
 * @param signal stops it between two commits; the next call erases the rest.
 */
export async function erasePayloads(
  db: Queryable,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  const vendors = await db.query<{ vendorId: number }>(
    `select vendor_id as "vendorId" from vendors union select vendor_id from enquiry_chains
     order by "vendorId"`,
  );
  let erased = 0;
  for (const { vendorId } of vendors.rows) {
    const batch = { vendorId, before, limit: BATCH_ROWS };
    await eraseAll({ signal }, async () => await eraseAnswers(db, batch));
    erased += await eraseAll({ signal }, async () => {
      const done = await db.query<{ erased: number }>(ERASE_PAYLOADS, [
        vendorId,
        before,
        BATCH_ROWS,
      ]);
      return done.rows[0]?.erased ?? 0;
    });
  }
  return erased;
}

// A function of the database's owner that keeps everything younger than the database's retention.
const ERASE_PAYLOADS = 'select erase_enquiries(bucket_of($1), $1, $2, $3)::integer as erased';

async function eraseAll(
  until: { readonly signal: AbortSignal | undefined },
  eraseBatch: () => Promise<number>,
): Promise<number> {
  let erased = 0;
  // Terminates, because every batch but the last is full.
  while (until.signal?.aborted !== true) {
    const count = await eraseBatch();
    erased += count;
    if (count < BATCH_ROWS) break;
  }
  return erased;
}

/**
 * Records the minimum retention of enquiries, which the database enforces. For the owner.
 * @param days 0: forever.
 */
export async function setEnquiryRetention(owner: Queryable, days: number): Promise<void> {
  // On a cluster every node has the row: writing it fails while one of them is away.
  if ((await readEnquiryRetention(owner)) === days) return;
  await owner.query('update enquiry_retention set least_days = nullif($1::integer, 0)', [days]);
}

/** The minimum retention of enquiries in the database, in days; 0: forever. */
export async function readEnquiryRetention(db: Queryable): Promise<number> {
  const read = await db.query<{ days: number }>(
    'select coalesce(least_days, 0) as days from enquiry_retention',
  );
  return read.rows[0]?.days ?? 0;
}
