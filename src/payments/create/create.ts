import { crashPoint } from '#crash-points';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Biller } from '../billers/biller.ts';
import { createLane } from '../../platform/db/lane.ts';
import type { Lane, LaneSettings, POSTPONED } from '../../platform/db/lane.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { answerDecision, answerEarlier, normaliseRequest, planPayment } from './create-rules.ts';
import type { Created, LostLookup, PayingVendor } from './create-rules.ts';
import type { CreateRequest } from './payment.ts';
import { findEarlier } from './earlier-store.ts';
import { createOrPostponePayments, createPayments } from './store.ts';
import type { CreateDecision, NewPayment } from './payment.ts';

/** As metrics name it. */
export const CREATE_LANE = 'create lane';

/**
 * Accepts a payment: plan, commit, answer. A reference that stands for a payment gets the answer that
 * follows from it even if a rule would refuse the request today, because the biller went offline or its
 * limits changed since: a refusal would say that nothing was accepted under it.
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
    const earlier = await answerRepeat(normalised, from.vendor.vendorId, through);
    if (earlier === undefined) throw refusal;
    return earlier;
  }
  return answerDecision(payment, await through.lane.add(payment));
}

/**
 * The answer to a request whose reference stands for a payment, also if that one is still in the lane.
 * Throws: `reference_reused`; `outcome_unknown` if that is all that is known of one in the lane.
 */
async function answerRepeat(
  request: CreateRequest,
  vendorId: number,
  through: { readonly lane: CreateLane; readonly pool: Pool },
): Promise<Created | undefined> {
  const { merchantReference } = request;
  if (merchantReference === null) return undefined;
  const doubt = await through.lane.decided(vendorId, merchantReference);
  const [earlier] = await findEarlier(through.pool, vendorId, [request]);
  if (earlier !== undefined) return answerEarlier(vendorId, earlier);
  if (doubt !== undefined) throw doubt;
  return undefined;
}

/** Commits creates. */
export interface CreateLane extends Lane<NewPayment, CreateDecision> {
  /**
   * Resolves when all creates with this reference that are in the lane now have been decided; with an
   * `outcome_unknown` if it is not known of one of them whether it was committed.
   */
  decided(vendorId: number, merchantReference: string): Promise<Refusal | undefined>;
}

interface CreateLaneOptions extends LaneSettings {
  /** Maximum number of creates per commit. Default: the best value for requests over HTTP. */
  readonly maxBatch?: number;
  /**
   * Called after each commit with the accepted payments, so that they are dispatched without a
   * poll.
   */
  readonly onAccepted: (accepted: readonly NewPayment[]) => void;
}

export function createCreateLane(options: CreateLaneOptions): CreateLane {
  const { onAccepted, bucketOf, atOnce, ...given } = options;
  const lane = createLane<NewPayment, CreateDecision>({
    maxBatch: LIMITS.createBatchRows,
    ...given,
    name: CREATE_LANE,
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
  return watchReferences(lane);
}

/** Knows which creates are in the lane, by their references. */
function watchReferences(lane: Lane<NewPayment, CreateDecision>): CreateLane {
  const inLane = new Map<string, Set<Promise<CreateDecision>>>();
  const watch = (key: string, result: Promise<CreateDecision>): void => {
    const results = inLane.get(key) ?? new Set();
    inLane.set(key, results.add(result));
    const forget = (): void => {
      results.delete(result);
      if (results.size === 0) inLane.delete(key);
    };
    result.then(forget, forget);
  };
  return {
    get waiting() {
      return lane.waiting;
    },
    idle: async () => await lane.idle(),
    add: (payment) => {
      const result = lane.add(payment);
      const { vendorId, merchantReference } = payment;
      if (merchantReference !== null) watch(`${vendorId} ${merchantReference}`, result);
      return result;
    },
    decided: async (vendorId, merchantReference) => {
      const results = inLane.get(`${vendorId} ${merchantReference}`) ?? new Set();
      for (const ended of await Promise.allSettled([...results])) {
        if (ended.status === 'fulfilled') continue;
        const error: unknown = ended.reason;
        if (error instanceof Refusal && error.code === 'outcome_unknown') return error;
      }
      return undefined;
    },
  };
}

function isAccepted(decision: CreateDecision | typeof POSTPONED | undefined): boolean {
  return typeof decision === 'object' && decision.kind === 'accepted';
}

function vendorOf({ vendorId }: NewPayment): number {
  return vendorId;
}
