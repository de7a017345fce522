/** `unreachable`: no answer arrives. `unavailable`: something answers for the service, which cannot work. */
type Connection = 'good' | 'unreachable' | 'unavailable';

let connection: Connection = 'good';
let failedAtMs = -Infinity;
const listeners = new Set<() => void>();

/** As the last answer showed it. */
export function currentConnection(): Connection {
  return connection;
}

/** @param askedAtMs when the request began, of `performance.now()`. */
export function noteConnection(found: Connection, askedAtMs: number): void {
  // The answer may have been on its way when the connection was lost.
  if (found === 'good' && askedAtMs <= failedAtMs) return;
  if (found !== 'good') failedAtMs = performance.now();
  if (found === connection) return;
  connection = found;
  for (const listener of listeners) listener();
}

/** Returns what ends it. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Resolves at once if answers arrive. */
export async function untilConnected(): Promise<void> {
  if (connection === 'good') return;
  await new Promise<void>((resolve) => {
    const end = onConnection(() => {
      if (connection !== 'good') return;
      end();
      resolve();
    });
  });
}
