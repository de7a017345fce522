/**
 * Work that is awaited through the returned function fails at SIGINT or SIGTERM, so that everything that
 * was started for it is stopped, as after any failure. A second signal ends the process.
 */
export function endOnSignals(): <Result>(work: Promise<Result>) => Promise<Result> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  // A signal between two pieces of work makes the next one fail at once.
  interrupted.catch(() => undefined);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => reject(new Error(`Ended by ${signal}`)));
  }
  return async (work) => await Promise.race([work, interrupted]);
}
