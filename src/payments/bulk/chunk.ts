import { crashPoint } from '#crash-points';
import { rowRefusalOf } from '../../batches/batch.ts';
import type { Chunk } from '../../batches/kind.ts';
import { insertChunk, NotNext } from '../../batches/store.ts';
import type { RowException } from '../../batches/read-batches.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Biller } from '../billers/biller.ts';
import { inTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { answerDecision } from '../create/create-rules.ts';
import type { LostLookup } from '../create/create-rules.ts';
import { findEarlier } from '../create/earlier-store.ts';
import { createPayments } from '../create/store.ts';
import { mayBeLost, readRestores } from '../ledger/read-restores.ts';
import type { CreateDecision, NewPayment } from '../create/payment.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { isOfLaterRow, planChunk, REUSED } from './batch.ts';
import type { BulkRow, ChunkPlan } from './batch.ts';

export type BulkChunk = Chunk<BulkRow>;

/** The settings that the rows are decided by, read at that moment. */
export interface Rules {
  readonly vendorById: (vendorId: number) => Vendor | undefined;
  readonly billerOf: (billerCode: string) => Biller | undefined;
  readonly lostOf?: LostLookup | undefined;
}

/**
 * Decides a chunk: creates the accepted payments and stores every row's result, in one commit. A
 * chunk that is no longer next (the result of its commit was lost, or another process was faster)
 * changes nothing: the later process waits for the first, finds that the batch has advanced, and
 * rolls back. A chunk that waits for the end of a quarantine changes nothing either. Returns the
 * payments that were made. Throws: `NotNext` if nothing was changed.
 */
export async function decideChunk(
  db: Queryable,
  chunk: BulkChunk,
  rules: Rules,
): Promise<readonly NewPayment[]> {
  const restores = await readRestores(db);
  const isLost = mayBeLost(restores, chunk.createdAt);
  if (restores.isQuarantine && !isLost) throw new NotNext();
  const plan = planChunk(chunk.rows, chunk.firstRow, {
    batchId: chunk.batchId,
    mayBeLost: isLost,
    vendor: rules.vendorById(chunk.vendorId),
    billerOf: rules.billerOf,
    lostOf: rules.lostOf,
  });
  const accepted = await inTransaction(db, async () => {
    const payments = plan.creates.map((create) => create.payment);
    const decisions = await createPayments(db, payments);
    const decided = plan.creates.map(({ row, payment }, index) => ({
      payment,
      ...resultOf(row, payment, decisions[index]),
    }));
    // Only now: what else is created for this vendor waits for this commit or came before it.
    const refusals = await answerRepeats(db, chunk, plan.refused);
    const taken = decided.filter((item) => item.exception === undefined);
    const exceptions = [...refusals, ...decided.flatMap((item) => item.exception ?? [])];
    await insertChunk(db, {
      ...chunk,
      decidedAt: taken[0]?.postedAt,
      exceptions: exceptions.toSorted((a, b) => a.row - b.row),
    });
    crashPoint('bulk:before-commit');
    return taken.map((item) => item.payment);
  });
  crashPoint('bulk:after-commit');
  return accepted;
}

/**
 * As with single creates, a reference that stands for a payment is answered by it even if a rule would
 * refuse the row today. A later row’s payment is none: rows are decided in their order.
 */
async function answerRepeats(
  db: Queryable,
  { vendorId, batchId }: BulkChunk,
  refused: ChunkPlan['refused'],
): Promise<RowException[]> {
  const rows = refused.filter(({ request }) => (request?.merchantReference ?? null) !== null);
  const requests = rows.flatMap(({ request }) => request ?? []);
  const found = rows.length === 0 ? [] : await findEarlier(db, vendorId, requests);
  const earlier = new Map(found.map((one) => [rows[one.number - 1]?.row, one]));
  return refused.map(({ row, refusal }) => {
    const first = earlier.get(row);
    if (first === undefined || isOfLaterRow(first.paymentId, batchId, row)) {
      return { row, ...refusal };
    }
    return first.isSame ? replayed(row, first.paymentId, first.createdAt) : { row, ...REUSED };
  });
}

function resultOf(
  row: number,
  payment: NewPayment,
  decision: CreateDecision | undefined,
): { readonly exception?: RowException; readonly postedAt?: Date } {
  if (decision === undefined) throw new Error(`row ${row} was not decided`);
  if (decision.kind === 'accepted') return { postedAt: decision.createdAt };
  if (decision.kind === 'replayed') {
    return { exception: replayed(row, decision.paymentId, decision.createdAt) };
  }
  try {
    answerDecision(payment, decision);
  } catch (error) {
    if (error instanceof Refusal) return { exception: { row, ...rowRefusalOf(error) } };
    throw error;
  }
  throw new Error(`row ${row} is neither accepted nor refused`);
}

function replayed(row: number, paymentId: string, postedAt: Date): RowException {
  return { row, payment_id: paymentId, posted_at: postedAt.toISOString() };
}
