/**
 * Counts consecutive transport failures per route. An open circuit breaker is in the database,
 * where every process sees it; this only decides when to open one.
 */
export interface FailureCounter {
  /**
   * Records the end of a call.
   * @param answered true for any well-formed answer, including a decline.
   * @returns true if the consecutive failures are enough to open the breaker. After that every
   * further failure returns true until there is an answer, so that an operator that is still down
   * after the cool-down costs one failure and not as many as before.
   */
  note(route: string, answered: boolean): boolean;
}

export function createFailureCounter(openAfter: number): FailureCounter {
  const failures = new Map<string, number>();
  return {
    note: (route, answered) => {
      if (answered) {
        failures.delete(route);
        return false;
      }
      const count = (failures.get(route) ?? 0) + 1;
      failures.set(route, count);
      return count >= openAfter;
    },
  };
}
