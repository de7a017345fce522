/**
 * Counts transport failures in a row, per biller. A circuit breaker that is open lives in the
 * database, where every process sees it; this only says when to open one.
 */
export interface FailureCounter {
  /**
   * Notes the end of a call.
   * @param answered true for any well-formed answer, a decline too.
   * @returns true when this failure is the one that opens the breaker.
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
      failures.set(billerCode, count >= openAfter ? 0 : count);
      return count >= openAfter;
    },
  };
}
