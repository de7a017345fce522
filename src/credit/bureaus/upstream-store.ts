import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Vault } from '../registry/vault.ts';
import type { CreditOperation } from './bureau.ts';

/** One call to a bureau upstream, on behalf of an enquiry. */
export interface UpstreamCall {
  readonly vendorId: number;
  readonly requestReference: string;
  readonly operation: CreditOperation;
  readonly bureau: string;
  /** Which of the bureau's operations. */
  readonly part: string;
  /** Distinguishes calls with different input: the document's blind index and the parameters. */
  readonly asked: string;
}

export type CallOutcome = 'answered' | 'not_sent' | 'unknown';

/** Bound into a sealed answer. */
export function answerLocation(callId: string): string {
  return `upstream_calls|${callId}`;
}

/**
 * The answer to the same call of the same enquiry, if there was one.
 * @param call with every form that `asked` may have been recorded in: one for each index key.
 */
export async function readAnsweredCall(
  db: Queryable,
  vault: Vault,
  call: Omit<UpstreamCall, 'asked'> & { readonly asked: readonly string[] },
): Promise<string | undefined> {
  const read = await db.query<{ callId: string; sealedAnswer: Buffer }>(
    `select call_id as "callId", sealed_answer as "sealedAnswer" from upstream_calls
     where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2 and operation = $3 and bureau = $4 and part = $5
       and asked = any($6::text[]) and outcome = 'answered' and sealed_answer is not null
     order by started_at limit 1`,
    [...partOf(call), call.asked],
  );
  const row = read.rows[0];
  return row === undefined ? undefined : vault.unseal(row.sealedAnswer, answerLocation(row.callId));
}

/**
 * Records a call before it is made. Returns its id; undefined while another process makes the same
 * part of the same enquiry.
 * @param lostBefore an open call begun before this instant belonged to a process that has ended:
 * its answer is lost, and whether it was billed is unknown.
 */
export async function beginCall(
  db: Queryable,
  call: UpstreamCall,
  { at, lostBefore }: { readonly at: Date; readonly lostBefore: Date },
): Promise<string | undefined> {
  const callId = newId();
  const part = partOf(call);
  await db.query(
    `update upstream_calls set outcome = 'unknown', ended_at = $6
     where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2 and operation = $3 and bureau = $4 and part = $5
       and outcome is null and started_at < $7`,
    [...part, at, lostBefore],
  );
  const begun = await db.query(
    `insert into upstream_calls
       (bucket, vendor_id, request_reference, operation, bureau, part, call_id, asked, started_at)
     values (bucket_of($1), $1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (bucket, vendor_id, request_reference, operation, bureau, part) where outcome is null do nothing`,
    [...part, callId, call.asked, at],
  );
  return begun.rowCount === 1 ? callId : undefined;
}

/** Key of one part of an enquiry. */
function partOf(call: Omit<UpstreamCall, 'asked'>): readonly unknown[] {
  return [call.vendorId, call.requestReference, call.operation, call.bureau, call.part];
}

export async function endCall(
  db: Queryable,
  vault: Vault,
  call: UpstreamCall & { readonly callId: string },
  ended: { readonly outcome: CallOutcome; readonly answer: string | null; readonly at: Date },
): Promise<void> {
  await db.query(
    `update upstream_calls set outcome = $4, ended_at = $5, sealed_answer = $6
     where bucket = bucket_of($1) and vendor_id = $1 and request_reference = $2 and call_id = $3`,
    [
      call.vendorId,
      call.requestReference,
      call.callId,
      ended.outcome,
      ended.at,
      ended.answer === null ? null : vault.seal(ended.answer, answerLocation(call.callId)),
    ],
  );
}

/** Erases bureaus' answers to a vendor's calls begun before an instant. Returns how many. */
export async function eraseAnswers(
  db: Queryable,
  of: { readonly vendorId: number; readonly before: Date; readonly limit: number },
): Promise<number> {
  const erased = await db.query(
    `update upstream_calls set sealed_answer = null
     where bucket = bucket_of($1) and vendor_id = $1 and (request_reference, call_id) in (
       select request_reference, call_id from upstream_calls
       where bucket = bucket_of($1) and vendor_id = $1 and started_at < $2 and sealed_answer is not null limit $3)`,
    [of.vendorId, of.before, of.limit],
  );
  return erased.rowCount ?? 0;
}
