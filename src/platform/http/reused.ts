/** Callers within that time get the same result; a failure is not reused. */
export function reused<Answer>(ask: () => Promise<Answer>, forMs: number): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  let staleAtMs = Number.POSITIVE_INFINITY;
  return async () => {
    if (asked !== undefined && performance.now() < staleAtMs) return await asked;
    staleAtMs = Number.POSITIVE_INFINITY;
    asked = ask();
    try {
      return await asked;
    } catch (error) {
      asked = undefined;
      throw error;
    } finally {
      staleAtMs = performance.now() + forMs;
    }
  };
}
