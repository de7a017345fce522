/** What is left of a grace period, in milliseconds. It begins when this is first asked. */
export function createGrace(graceMs: number): () => number {
  let endsAtMs: number | undefined;
  return () => {
    endsAtMs ??= performance.now() + graceMs;
    return Math.max(0, endsAtMs - performance.now());
  };
}
