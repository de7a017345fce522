/**
 * Counts transport failures in a row, per biller. A circuit breaker that is open lives in the
 * database, where every process sees it; this only says when to open one.
 */
export interface FailureCounter {
  /**
   * Notes the end of a call.
   * @param answered true for any well-formed answer, a decline too.
   * @returns true when the failures in a row are enough to open the breaker: from then on each
   * further one is, until there is an answer, so that an operator that is still down after the
   * cool-down costs one failure and not as many as before.
   */
  note(billerCode: string, answered: boolean): boolean;
}

export function createFailureCounter(openAfter: number): FailureCounter {
  const failures = new Map<string, number>();
  return {
    note: (billerCode, answered) => {
      if (answered) {
        failures.delete(billerCode);
        return false;
      }
      const count = (failures.get(billerCode) ?? 0) + 1;
      failures.set(billerCode, count);
      return count >= openAfter;
    },
  };
}
