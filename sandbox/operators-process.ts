import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { StartError } from '../src/run.ts';

export interface OperatorsProcess {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 3_000;

/**
 * Starts the simulated operators as a separate process, which ends with this one.
 * Throws: `StartError` if it does not start; its own error is on stderr.
 */
export async function startOperators(options: {
  readonly port: number;
  /** Where they keep their journals. */
  readonly folder: string;
  /** Where emulated providers call back; undefined: without them. */
  readonly providersCallBack: string | undefined;
  readonly onUnexpectedExit: () => void;
}): Promise<OperatorsProcess> {
  const { port: wanted, folder, providersCallBack } = options;
  const child = fork(
    path.join(import.meta.dirname, 'operators/main.ts'),
    [
      ...['--port', String(wanted), '--data-dir', folder],
      ...(providersCallBack === undefined ? [] : ['--providers', providersCallBack]),
    ],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] },
  );
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', () => reject(new StartError('The simulated operators did not start.')));
  });
  let stopping = false;
  child.once('exit', () => {
    if (!stopping) options.onUnexpectedExit();
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}
