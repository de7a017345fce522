import { listSealed, reseal } from '../../batches/store.ts';
import type { SealedPosition } from '../../batches/store.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { PAGE_ROWS, pageOf, resealed } from '../registry/rotation.ts';
import type { Page, Position } from '../registry/rotation.ts';
import type { Vault } from '../registry/vault.ts';
import { contentLocation } from './batch.ts';

/** Seals the rows of the next page of open batches again. One is read at a time, because it may be megabytes. */
export async function rotateScoreBatches(
  db: Queryable,
  vault: Vault,
  after: Position = [0, 0, ''],
): Promise<Page> {
  const batches = await listSealed(db, after as SealedPosition, PAGE_ROWS);
  const former = batches.filter(({ sealingKey }) => vault.isFormer(sealingKey, 'sealed'));
  for (const batch of former) {
    await reseal(db, batch, (sealed) => resealed(vault, sealed, contentLocation(batch.batchId)));
  }
  return pageOf(batches, former.length, (row) => [row.bucket, row.vendorId, row.batchReference]);
}
