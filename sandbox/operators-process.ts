import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { CommandMessage, Commands } from './operators/control.ts';
import { NODE_OPTIONS } from '../scripts/node-options.ts';
import { StartError } from '../src/run.ts';

export interface OperatorsProcess {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Has them do something. Rejects if they have ended. */
  ask<Name extends keyof Commands>(
    name: Name,
    asked: Commands[Name]['asked'],
  ): Promise<Commands[Name]['answer']>;
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
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [...NODE_OPTIONS] },
  );
  const port = await new Promise<number>((resolve, reject) => {
    child.on('message', (message) => {
      // Below `node --watch`, Node also reports each file that the operators load.
      if ('port' in (message as object)) resolve((message as { port: number }).port);
    });
    child.once('exit', () => reject(new StartError('The simulated operators did not start.')));
  });
  let stopping = false;
  child.once('exit', () => {
    if (!stopping) options.onUnexpectedExit();
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    ask: createAsk(child),
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

/** Sends commands to the process and waits for their answers. */
export function createAsk(child: ChildProcess): OperatorsProcess['ask'] {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  child.on('message', (message) => {
    const { number, answer } = message as { readonly number: number; readonly answer: unknown };
    waiting.get(number)?.resolve(answer);
    waiting.delete(number);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the simulated operators ended'));
    waiting.clear();
  });
  return async <Name extends keyof Commands>(name: Name, asked: Commands[Name]['asked']) => {
    if (!child.connected) throw new Error('the simulated operators have ended');
    const answered = Promise.withResolvers<unknown>();
    last += 1;
    waiting.set(last, answered);
    child.send({ number: last, name, asked } satisfies CommandMessage);
    return (await answered.promise) as Commands[Name]['answer'];
  };
}
