import { crashPoint } from '#crash-points';
import { encodeReference } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Timers } from '../../platform/base/timers.ts';
import type { Biller } from '../billers/biller.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { BucketOf, CallLimits, Lane, OnBatch, POSTPONED } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { answerDecision, isSameRequest, normaliseRequest, planPayment } from './decide.ts';
import type { Created, CreateRequest, LostLookup, PayingVendor } from './decide.ts';
import { createOrPostponePayments, createPayments, readPaymentByReference } from './store.ts';
import type { CreateDecision, NewPayment } from './payment.ts';

/**
 * Accepts a payment: plan, commit, answer. A repeat gets its first answer even if a rule would
 * refuse it today, because the biller went offline or its limits changed since.
 * Throws: the errors of `planPayment` and `answerDecision`, and `overloaded`, `unavailable`,
 * `outcome_unknown` of the lane.
 */
export async function acceptPayment(
  request: CreateRequest,
  from: {
    readonly vendor: PayingVendor;
    readonly biller: Biller | undefined;
    readonly lostOf?: LostLookup | undefined;
  },
  through: {
    readonly lane: CreateLane;
    readonly pool: Pool;
    /** Default: a new time-ordered id. */
    readonly newId?: () => string;
  },
): Promise<Created> {
  let payment: NewPayment;
  try {
    payment = planPayment(request, from.vendor, from.biller, {
      lostOf: from.lostOf,
      ...(through.newId && { paymentId: through.newId() }),
    });
  } catch (refusal) {
    const normalised = normaliseRequest(request, from.biller);
    const first = await findFirst(normalised, from.vendor.vendorId, through.pool);
    if (first === undefined) throw refusal;
    return first;
  }
  return answerDecision(payment, await through.lane.add(payment));
}

/** The answer that the same reference with the same content received before. */
async function findFirst(
  request: CreateRequest,
  vendorId: number,
  pool: Pool,
): Promise<Created | undefined> {
  if (request.merchantReference === null) return undefined;
  const row = await readPaymentByReference(pool, vendorId, request.merchantReference);
  if (row === undefined || !isSameRequest(row, request)) return undefined;
  const reference = encodeReference(vendorId, row.paymentId);
  return { reference, createdAt: row.createdAt, feeCents: row.feeCents, replayed: true };
}

/** Commits creates. */
export type CreateLane = Lane<NewPayment, CreateDecision>;

export function createCreateLane(options: {
  readonly pool: Pool;
  /** Default: one batch is committed at a time. */
  readonly atOnce?: CallLimits;
  readonly deadlineMs: number;
  /** Default: all vendors are in one bucket. */
  readonly bucketOf?: BucketOf | undefined;
  /** Default: the system's timers. */
  readonly timers?: Timers;
  readonly onBatch?: OnBatch;
  /** Maximum number of creates per commit. Default: the best value for requests over HTTP. */
  readonly maxBatch?: number;
  /**
   * Called after each commit with the accepted payments, so that they are dispatched without a
   * poll.
   */
  readonly onAccepted: (accepted: readonly NewPayment[]) => void;
}): CreateLane {
  const { onAccepted, bucketOf, atOnce, ...given } = options;
  return createLane<NewPayment, CreateDecision>({
    maxBatch: LIMITS.createBatchRows,
    ...given,
    name: 'create lane',
    atOnce: atOnce && { ...atOnce, vendorOf },
    partOf: bucketOf && ((payment) => bucketOf(payment.vendorId)),
    maxWaiting: LIMITS.laneQueueRows,
    call: async (db, batch, mayPostpone) => {
      crashPoint('create:before-commit');
      const create = mayPostpone ? createOrPostponePayments : createPayments;
      const decisions: readonly (CreateDecision | typeof POSTPONED)[] = await create(db, batch);
      crashPoint('create:after-commit');
      onAccepted(batch.filter((_, row) => isAccepted(decisions[row])));
      return decisions;
    },
  });
}

function isAccepted(decision: CreateDecision | typeof POSTPONED | undefined): boolean {
  return typeof decision === 'object' && decision.kind === 'accepted';
}

function vendorOf({ vendorId }: NewPayment): number {
  return vendorId;
}
