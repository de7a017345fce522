/** Our float with an operator at one moment, as our books and the operator see it. All in cents. */
export interface FloatFacts {
  /** Our books: topped up, less charges, less what vendors' payments consumed. */
  readonly bookedCents: bigint;
  /** As the operator reported it. */
  readonly reportedCents: bigint;
  /**
   * Payments whose outcome is unknown and that were sent before the report: the operator may have
   * taken them from the float already, with its charges, less the commission that it deducts.
   */
  readonly inFlightCents: bigint;
  /**
   * Our cost at the operator of payments booked since shortly before the report, which may not be in
   * it: their amounts and its charges, less the commission that it deducts.
   */
  readonly settledSinceCents: bigint;
  /** By how much reports rose since the last statement ended: top-ups that are not booked yet. */
  readonly risenCents: bigint;
}

/** The difference between the report and our books, in named parts that sum to it. */
export interface FloatBridge {
  /** Reported less booked. */
  readonly differenceCents: bigint;
  /** Zero or less. */
  readonly inFlightCents: bigint;
  /** Zero or more. */
  readonly settledSinceCents: bigint;
  /** Zero or more. */
  readonly notBookedCents: bigint;
  readonly unexplainedCents: bigint;
}

/**
 * Explains the difference by what is certain first. Payments in flight and payments booked after the
 * report explain at most their own amounts, each in its direction. Pure.
 */
export function explainFloat(facts: FloatFacts): FloatBridge {
  const differenceCents = facts.reportedCents - facts.bookedCents;
  let restCents = differenceCents;
  const take = (cents: bigint): bigint => {
    restCents -= cents;
    return cents;
  };
  const notBookedCents = take(between(restCents, 0n, facts.risenCents));
  const inFlightCents = take(between(restCents, -facts.inFlightCents, 0n));
  const settledSinceCents = take(between(restCents, 0n, facts.settledSinceCents));
  return {
    differenceCents,
    inFlightCents,
    settledSinceCents,
    notBookedCents,
    unexplainedCents: restCents,
  };
}

function between(cents: bigint, min: bigint, max: bigint): bigint {
  if (cents < min) return min;
  return cents > max ? max : cents;
}
