import type { Queryable } from '../../platform/db/pool.ts';
import { PAGE_ROWS, pageOf } from '../registry/rotation.ts';
import type { Page, Position } from '../registry/rotation.ts';
import type { Vault } from '../registry/vault.ts';
import { payloadLocation } from './record.ts';

/** The next page of enquiries: requests and answers. */
export async function rotateEnquiries(
  db: Queryable,
  vault: Vault,
  after?: Position,
): Promise<Page> {
  const read = await db.query<{
    vendor_id: number;
    sequence: bigint;
    enquiry_id: string;
    sealed_payload: Buffer | null;
  }>(
    `select vendor_id, sequence, enquiry_id, sealed_payload from enquiries
     where (vendor_id, sequence) > ($1, $2) order by vendor_id, sequence limit ${PAGE_ROWS}`,
    after ?? [0, 0],
  );
  let changed = 0;
  for (const row of read.rows) {
    if (row.sealed_payload === null || !vault.isFormer(row.sealed_payload, 'sealed')) continue;
    const location = payloadLocation(row.vendor_id, row.enquiry_id);
    const text = vault.unseal(row.sealed_payload, location);
    await db.query(
      // Retention may have erased it meanwhile; then it stays erased.
      `update enquiries set sealed_payload = $3
       where vendor_id = $1 and sequence = $2 and sealed_payload is not null`,
      [row.vendor_id, row.sequence, vault.seal(text, location)],
    );
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.vendor_id, row.sequence]);
}
