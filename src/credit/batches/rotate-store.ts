import type { Queryable } from '../../platform/db/pool.ts';
import { PAGE_ROWS, pageOf, resealed } from '../registry/rotation.ts';
import type { Page, Position } from '../registry/rotation.ts';
import type { Vault } from '../registry/vault.ts';
import { contentLocation } from './batch.ts';

/** The next page of open batches: their rows. One is read at a time, because it may be megabytes. */
export async function rotateScoreBatches(
  db: Queryable,
  vault: Vault,
  after?: Position,
): Promise<Page> {
  const read = await db.query<{
    bucket: number;
    vendorId: number;
    batchReference: string;
    batchId: string;
    keyId: Buffer;
  }>(
    `select bucket, vendor_id as "vendorId", batch_reference as "batchReference",
      batch_id as "batchId", substring(sealed_content for 4) as "keyId" from score_batches
     where (bucket, vendor_id, batch_reference) > ($1, $2, $3) and ended_at is null
     order by bucket, vendor_id, batch_reference limit ${PAGE_ROWS}`,
    after ?? [0, 0, ''],
  );
  const former = read.rows.filter(({ keyId }) => vault.isFormer(keyId, 'sealed'));
  for (const { vendorId, batchReference, batchId } of former) {
    const key = [vendorId, batchReference];
    // A batch that ends meanwhile has no rows any more.
    const open = await db.query<{ sealed: Buffer }>(
      `select sealed_content as sealed from score_batches
       where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2
         and sealed_content is not null for update`,
      key,
    );
    const [row] = open.rows;
    if (row === undefined) continue;
    await db.query(
      `update score_batches set sealed_content = $3
       where bucket = bucket_of($1) and vendor_id = $1 and batch_reference = $2`,
      [...key, resealed(vault, row.sealed, contentLocation(batchId))],
    );
  }
  return pageOf(read.rows, former.length, (row) => [row.bucket, row.vendorId, row.batchReference]);
}
