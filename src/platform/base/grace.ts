/** The remaining grace period in milliseconds. It begins with the first call. */
export function createGrace(graceMs: number): () => number {
  let endsAtMs: number | undefined;
  return () => {
    endsAtMs ??= performance.now() + graceMs;
    return Math.max(0, endsAtMs - performance.now());
  };
}
