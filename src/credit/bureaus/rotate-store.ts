import type { Queryable } from '../../platform/db/pool.ts';
import { PAGE_ROWS, pageOf } from '../registry/rotation.ts';
import type { Page, Position } from '../registry/rotation.ts';
import type { Vault } from '../registry/vault.ts';
import { answerLocation } from './upstream-store.ts';

/** The next page of calls upstream: answers. */
export async function rotateUpstreamAnswers(
  db: Queryable,
  vault: Vault,
  after?: Position,
): Promise<Page> {
  const read = await db.query<{
    vendor_id: number;
    request_reference: string;
    call_id: string;
    sealed_answer: Buffer;
  }>(
    `select vendor_id, request_reference, call_id, sealed_answer from upstream_calls
     where (vendor_id, request_reference, call_id) > ($1, $2, $3) and sealed_answer is not null
     order by vendor_id, request_reference, call_id limit ${PAGE_ROWS}`,
    after ?? [0, '', '00000000-0000-0000-0000-000000000000'],
  );
  let changed = 0;
  for (const row of read.rows) {
    if (!vault.isFormer(row.sealed_answer, 'sealed')) continue;
    const location = answerLocation(row.call_id);
    const text = vault.unseal(row.sealed_answer, location);
    await db.query(
      `update upstream_calls set sealed_answer = $4
       where vendor_id = $1 and request_reference = $2 and call_id = $3
         and sealed_answer is not null`,
      [row.vendor_id, row.request_reference, row.call_id, vault.seal(text, location)],
    );
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.vendor_id, row.request_reference, row.call_id]);
}
