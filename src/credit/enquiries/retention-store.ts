import type { Queryable } from '../../db/pool.ts';

/** Rows changed in one commit. */
const BATCH_ROWS = 1_000;

/**
 * Erases the payloads (names, documents, answer) of enquiries made before an instant, and what
 * upstream bureaus answered to them, in small commits; the rows and the chain stay. Returns how many
 * enquiries.
 * @param signal ends it between two commits; what is left is erased by the next call.
 */
export async function erasePayloads(
  db: Queryable,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  const vendors = await db.query<{ vendor_id: number }>(
    'select vendor_id from vendors union select vendor_id from enquiry_chains order by vendor_id',
  );
  let erased = 0;
  for (const { vendor_id: vendorId } of vendors.rows) {
    await eraseAll(db, ERASE_UPSTREAM_ANSWERS, { vendorId, before, signal });
    erased += await eraseAll(db, ERASE_PAYLOADS, { vendorId, before, signal });
  }
  return erased;
}

const ERASE_PAYLOADS = `update enquiries set sealed_payload = null
  where vendor_id = $1 and sequence in (
    select sequence from enquiries
    where vendor_id = $1 and enquired_at < $2 and sealed_payload is not null limit $3)`;

const ERASE_UPSTREAM_ANSWERS = `update upstream_calls set sealed_answer = null
  where vendor_id = $1 and (request_reference, call_id) in (
    select request_reference, call_id from upstream_calls
    where vendor_id = $1 and started_at < $2 and sealed_answer is not null limit $3)`;

async function eraseAll(
  db: Queryable,
  statement: string,
  of: {
    readonly vendorId: number;
    readonly before: Date;
    readonly signal: AbortSignal | undefined;
  },
): Promise<number> {
  let erased = 0;
  // Ends: every round but the last takes a batch away.
  while (of.signal?.aborted !== true) {
    const { rowCount } = await db.query(statement, [of.vendorId, of.before, BATCH_ROWS]);
    erased += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH_ROWS) break;
  }
  return erased;
}
