import type { Queryable } from '../../platform/db/pool.ts';
import { PAGE_ROWS, pageOf, resealed } from '../registry/rotation.ts';
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
    bucket: number;
    vendorId: number;
    sequence: bigint;
    enquiryId: string;
    sealedPayload: Buffer | null;
  }>(
    `select bucket, vendor_id as "vendorId", sequence, enquiry_id as "enquiryId",
      sealed_payload as "sealedPayload" from enquiries
     where (bucket, vendor_id, sequence) > ($1, $2, $3) order by bucket, vendor_id, sequence limit ${PAGE_ROWS}`,
    after ?? [0, 0, 0],
  );
  const former = read.rows.flatMap(({ sealedPayload: sealed, ...row }) =>
    sealed !== null && vault.isFormer(sealed, 'sealed') ? [{ ...row, sealed }] : [],
  );
  await db.query(
    // Retention may have erased it meanwhile; then it stays erased.
    `update enquiries e set sealed_payload = r.sealed_payload
     from (
       select * from unnest($1::integer[], $2::bigint[], $3::bytea[])
         as u (vendor_id, sequence, sealed_payload)
       limit cardinality($1)
     ) r
     where e.bucket = bucket_of(r.vendor_id) and e.vendor_id = r.vendor_id and e.sequence = r.sequence and e.sealed_payload is not null`,
    [
      former.map((row) => row.vendorId),
      former.map((row) => row.sequence),
      former.map((row) =>
        resealed(vault, row.sealed, payloadLocation(row.vendorId, row.enquiryId)),
      ),
    ],
  );
  return pageOf(read.rows, former.length, (row) => [row.bucket, row.vendorId, row.sequence]);
}
