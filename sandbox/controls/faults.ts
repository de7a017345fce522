import { Refusal } from '../../src/platform/base/errors.ts';
import type { Around } from '../../src/platform/http/operation.ts';

/** Refusals that the API can give instead of its usual answer. */
export const ANSWERS = ['overloaded', 'outcome_unknown', 'unavailable'] as const;
export type FaultAnswer = (typeof ANSWERS)[number];

export interface Fault {
  readonly answer: FaultAnswer;
  /** Requests that still get it; null: no limit. */
  readonly requests: number | null;
  /** Null: no end. */
  readonly until: Date | null;
}

/** As long as the service itself says in each case. */
const RETRY_AFTER_SECONDS: Readonly<Record<FaultAnswer, number>> = {
  overloaded: 1,
  outcome_unknown: 1,
  unavailable: 5,
};

/**
 * Faults of the API, at most one for each vendor. They stand between the signature and the handler, so
 * an invalid signature is refused as usual and uses none. A restart ends them.
 */
export class Faults {
  readonly #byVendor = new Map<number, Fault>();

  set(vendorId: number, fault: Fault): void {
    this.#byVendor.set(vendorId, fault);
  }

  end(vendorId: number): void {
    this.#byVendor.delete(vendorId);
  }

  of(vendorId: number): Fault | undefined {
    const fault = this.#byVendor.get(vendorId);
    const until = fault?.until ?? null;
    if (until === null || until.getTime() > Date.now()) return fault;
    this.end(vendorId);
    return undefined;
  }

  readonly around: Around = async (operation, signer, handle) => {
    const { vendorId } = (signer ?? {}) as { readonly vendorId?: number };
    const fault = vendorId === undefined ? undefined : this.of(vendorId);
    // Only what changes something can leave its outcome unknown.
    const fits = fault?.answer !== 'outcome_unknown' || 'outcome_unknown' in operation.refusals;
    if (vendorId === undefined || fault === undefined || !fits) return await handle();
    this.#use(vendorId, fault);
    const { answer } = fault;
    // What it refuses, it refuses as usual: that is known.
    if (answer === 'outcome_unknown') await handle();
    throw new Refusal(answer, { retryAfterSeconds: RETRY_AFTER_SECONDS[answer] });
  };

  #use(vendorId: number, fault: Fault): void {
    if (fault.requests === null) return;
    if (fault.requests > 1) this.set(vendorId, { ...fault, requests: fault.requests - 1 });
    else this.end(vendorId);
  }
}
