import { spawn } from 'node:child_process';

/** How long a program may take to stop its own processes. */
const STOPS_WITHIN_MS = 20_000;

export interface Captured {
  /** 1 if a signal ended it. */
  readonly exitCode: number;
  /** The output of the program on stdout and stderr, in the order of its arrival. */
  readonly output: string;
  readonly seconds: number;
}

/**
 * Runs a program to its end and keeps its output.
 * @param options.limitMs it is ended after this time, with all processes of its group.
 */
export async function captured(
  [command = '', ...args]: readonly string[],
  options: {
    readonly environment?: Readonly<Record<string, string>> | undefined;
    readonly limitMs?: number;
  } = {},
): Promise<Captured> {
  const { environment, limitMs } = options;
  const beganMs = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    detached: limitMs !== undefined,
  });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? 0), signal);
    } catch {
      // It has ended.
    }
  };
  const timers =
    limitMs === undefined
      ? []
      : [
          setTimeout(signalGroup, limitMs, 'SIGTERM'),
          setTimeout(signalGroup, limitMs + STOPS_WITHIN_MS, 'SIGKILL'),
        ];
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    });
    const seconds = (performance.now() - beganMs) / 1_000;
    return { exitCode, output: Buffer.concat(parts).toString(), seconds };
  } finally {
    timers.forEach(clearTimeout);
  }
}
