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
    vendorId: number;
    sequence: bigint;
    enquiryId: string;
    sealedPayload: Buffer | null;
  }>(
    `select vendor_id as "vendorId", sequence, enquiry_id as "enquiryId",
      sealed_payload as "sealedPayload" from enquiries
     where (vendor_id, sequence) > ($1, $2) order by vendor_id, sequence limit ${PAGE_ROWS}`,
    after ?? [0, 0],
  );
  let changed = 0;
  for (const row of read.rows) {
    if (row.sealedPayload === null || !vault.isFormer(row.sealedPayload, 'sealed')) continue;
    const location = payloadLocation(row.vendorId, row.enquiryId);
    const text = vault.unseal(row.sealedPayload, location);
    await db.query(
      // Retention may have erased it meanwhile; then it stays erased.
      `update enquiries set sealed_payload = $3
       where vendor_id = $1 and sequence = $2 and sealed_payload is not null`,
      [row.vendorId, row.sequence, vault.seal(text, location)],
    );
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.vendorId, row.sequence]);
}
