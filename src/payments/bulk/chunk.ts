import { crashPoint } from '#crash-points';
import { Refusal } from '../../platform/base/errors.ts';
import type { Biller } from '../billers/biller.ts';
import { inTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { answerDecision } from '../create/create-rules.ts';
import type { LostLookup } from '../create/create-rules.ts';
import { findEarlier } from '../create/earlier-store.ts';
import { createPayments } from '../create/store.ts';
import type { CreateDecision, NewPayment } from '../create/payment.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { isOfLaterRow, planChunk, REUSED, rowRefusalOf } from './batch.ts';
import type { BulkRow, ChunkPlan } from './batch.ts';
import * as store from './store.ts';
import type { ChunkException } from './store.ts';

/** The next rows of a batch to be decided. */
export interface Chunk {
  readonly vendorId: number;
  readonly batchReference: string;
  readonly batchId: string;
  /** Number of the first row, from 1. */
  readonly firstRow: number;
  readonly rows: readonly BulkRow[];
  readonly leaseMs: number;
}

/** The settings that the rows are decided by, read at that moment. */
export interface Rules {
  readonly vendorById: (vendorId: number) => Vendor | undefined;
  readonly billerOf: (billerCode: string) => Biller | undefined;
  readonly lostOf?: LostLookup | undefined;
}

export interface ChunkOutcome {
  /** The next row of the batch now. */
  readonly nextRow: number;
  /** False if the chunk had been decided before, by this process or another. */
  readonly decided: boolean;
  readonly accepted: readonly NewPayment[];
}

/**
 * Decides a chunk: creates the accepted payments and stores every row's result, in one commit. A
 * chunk that is no longer next (the result of its commit was lost, or another process was faster)
 * changes nothing: the later process waits for the first, finds that the batch has advanced, and
 * rolls back. A chunk that waits for the end of a quarantine changes nothing either.
 */
export async function decideChunk(
  db: Queryable,
  chunk: Chunk,
  rules: Rules,
): Promise<ChunkOutcome> {
  const restore = await store.readRestore(db, chunk);
  if (restore === 'waiting') return await outcomeOf(db, chunk, undefined);
  const plan = planChunk(chunk.rows, chunk.firstRow, {
    batchId: chunk.batchId,
    mayBeLost: restore === 'lost',
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
    const isNext = await store.insertChunk(db, {
      ...chunk,
      rowCount: chunk.rows.length,
      refusedCount: exceptions.filter((exception) => 'code' in exception).length,
      postedAt: taken[0]?.postedAt ?? null,
      exceptions: exceptions.toSorted((a, b) => a.row - b.row),
    });
    crashPoint('bulk:before-commit');
    return isNext ? taken.map((item) => item.payment) : undefined;
  });
  crashPoint('bulk:after-commit');
  return await outcomeOf(db, chunk, accepted);
}

/** Stores rows that the database rejected as refused; alone, so that they do not fail others. */
export async function refuseChunk(
  db: Queryable,
  chunk: Chunk,
  refusal: Refusal,
): Promise<ChunkOutcome> {
  const kept = rowRefusalOf(refusal);
  const isNext = await store.insertChunk(db, {
    ...chunk,
    rowCount: chunk.rows.length,
    refusedCount: chunk.rows.length,
    postedAt: null,
    exceptions: chunk.rows.map((_, index) => ({ row: chunk.firstRow + index, ...kept })),
  });
  return await outcomeOf(db, chunk, isNext ? [] : undefined);
}

async function outcomeOf(
  db: Queryable,
  chunk: Chunk,
  accepted: readonly NewPayment[] | undefined,
): Promise<ChunkOutcome> {
  if (accepted !== undefined) {
    return { nextRow: chunk.firstRow + chunk.rows.length, decided: true, accepted };
  }
  return { nextRow: await store.readNextRow(db, chunk), decided: false, accepted: [] };
}

/**
 * As with single creates, a reference that stands for a payment is answered by it even if a rule would
 * refuse the row today. A later row’s payment is none: rows are decided in their order.
 */
async function answerRepeats(
  db: Queryable,
  { vendorId, batchId }: Chunk,
  refused: ChunkPlan['refused'],
): Promise<ChunkException[]> {
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
): { readonly exception?: ChunkException; readonly postedAt?: Date } {
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

function replayed(row: number, paymentId: string, postedAt: Date): ChunkException {
  return { row, payment_id: paymentId, posted_at: postedAt.toISOString() };
}
