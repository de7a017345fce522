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
    vendorId: number;
    requestReference: string;
    callId: string;
    sealedAnswer: Buffer;
  }>(
    `select vendor_id as "vendorId", request_reference as "requestReference", call_id as "callId",
      sealed_answer as "sealedAnswer" from upstream_calls
     where (vendor_id, request_reference, call_id) > ($1, $2, $3) and sealed_answer is not null
     order by vendor_id, request_reference, call_id limit ${PAGE_ROWS}`,
    after ?? [0, '', '00000000-0000-0000-0000-000000000000'],
  );
  let changed = 0;
  for (const row of read.rows) {
    if (!vault.isFormer(row.sealedAnswer, 'sealed')) continue;
    const location = answerLocation(row.callId);
    const text = vault.unseal(row.sealedAnswer, location);
    await db.query(
      `update upstream_calls set sealed_answer = $4
       where vendor_id = $1 and request_reference = $2 and call_id = $3
         and sealed_answer is not null`,
      [row.vendorId, row.requestReference, row.callId, vault.seal(text, location)],
    );
    changed += 1;
  }
  return pageOf(read.rows, changed, (row) => [row.vendorId, row.requestReference, row.callId]);
}
