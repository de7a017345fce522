import type { Queryable } from '../../platform/db/pool.ts';
import { PAGE_ROWS, pageOf, resealed } from '../registry/rotation.ts';
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
    bucket: number;
    vendorId: number;
    requestReference: string;
    callId: string;
    sealedAnswer: Buffer;
  }>(
    `select bucket, vendor_id as "vendorId", request_reference as "requestReference", call_id as "callId",
      sealed_answer as "sealedAnswer" from upstream_calls
     where (bucket, vendor_id, request_reference, call_id) > ($1, $2, $3, $4) and sealed_answer is not null
     order by bucket, vendor_id, request_reference, call_id limit ${PAGE_ROWS}`,
    after ?? [0, 0, '', '00000000-0000-0000-0000-000000000000'],
  );
  const former = read.rows.filter((row) => vault.isFormer(row.sealedAnswer, 'sealed'));
  await db.query(
    `update upstream_calls c set sealed_answer = r.sealed_answer
     from (
       select * from unnest($1::integer[], $2::text[], $3::uuid[], $4::bytea[])
         as u (vendor_id, request_reference, call_id, sealed_answer)
       limit cardinality($1)
     ) r
     where c.bucket = bucket_of(r.vendor_id) and c.vendor_id = r.vendor_id and c.request_reference = r.request_reference
       and c.call_id = r.call_id and c.sealed_answer is not null`,
    [
      former.map((row) => row.vendorId),
      former.map((row) => row.requestReference),
      former.map((row) => row.callId),
      former.map((row) => resealed(vault, row.sealedAnswer, answerLocation(row.callId))),
    ],
  );
  return pageOf(read.rows, former.length, (row) => [
    row.bucket,
    row.vendorId,
    row.requestReference,
    row.callId,
  ]);
}
