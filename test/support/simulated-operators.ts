import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createHttpJsonConnector } from '../../src/connectors/operators/http-json/connector.ts';
import type { HttpJsonOptions } from '../../src/connectors/operators/http-json/connector.ts';
import type { CallbackReading, CallbackRequest } from '../../src/connectors/operator-callbacks.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { createAsk } from '../../sandbox/operators-process.ts';
import type { OperatorsProcess } from '../../sandbox/operators-process.ts';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';

export const OPERATORS_MAIN = fileURLToPath(
  new URL('../../sandbox/operators/main.ts', import.meta.url),
);

interface TruthEntry {
  readonly reference: string;
  readonly biller: string;
  readonly account: string;
  readonly amount: string;
  readonly paid_at: string;
}

export interface SimulatedOperators {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly process: ChildProcess;
  readonly ask: OperatorsProcess['ask'];
  /** Returns what was really paid. */
  truth(): Promise<TruthEntry[]>;
  /** Ends the process and waits until it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the real process on a free port, or on `--port` of `args`. */
export async function startSimulatedOperators(
  dataDir: string,
  args: readonly string[] = [],
): Promise<SimulatedOperators> {
  const child = fork(OPERATORS_MAIN, ['--port', '0', '--data-dir', dataDir, ...args], {
    execArgv: [...NODE_OPTIONS],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    child.once('message', (message) => {
      resolve(message as { port: number });
    });
    child.once('exit', (code) => {
      reject(new Error(`the simulated operators ended with ${code} before they were ready`));
    });
  });
  const origin = `http://127.0.0.1:${port}`;
  return {
    port,
    origin,
    process: child,
    ask: createAsk(child),
    async truth() {
      const answer = await fetch(`${origin}/truth`);
      return (await answer.json()) as TruthEntry[];
    },
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

/** A connector with short time-outs for tests. */
export function connectorTo(baseUrl: string, options: Partial<HttpJsonOptions> = {}): Connector {
  return createHttpJsonConnector({
    operatorCode: 'simulated',
    baseUrl,
    key: SANDBOX_OPERATOR_KEY,
    callbackUrl: 'http://127.0.0.1:9/callbacks/simulated',
    payTimeoutMs: 10_000,
    statusTimeoutMs: 10_000,
    connectTimeoutMs: 5000,
    acceptanceWindowMs: 1000,
    maxConnections: 8,
    answerBytes: 64 * 1024,
    ...options,
  });
}

/** What the connector reads from the callbacks; its payment look-up finds nothing. */
export async function readAll(
  received: readonly CallbackRequest[],
  connector: Connector,
): Promise<(CallbackReading | undefined)[]> {
  const find = { byReference: async () => undefined, byHandle: async () => undefined };
  return await Promise.all(
    received.map(async (request) => await connector.callbacks?.read(request, find)),
  );
}

export interface CallbackReceiver {
  readonly url: string;
  /** All received callbacks, whatever the answer was. */
  readonly received: CallbackRequest[];
  /** Resolves when this many callbacks have been received in total. */
  count(total: number): Promise<void>;
  /** Answers every callback with this HTTP status from now on. */
  answerAll(status: number): void;
  close(): Promise<void>;
}

/**
 * Listens for callbacks on a free port.
 * @param answers HTTP status of the n-th answer; 0 cuts the connection; 200 after the last one.
 */
export async function startCallbackReceiver(
  answers: readonly number[] = [],
): Promise<CallbackReceiver> {
  const received: CallbackRequest[] = [];
  const waiting = new Set<() => void>();
  let forAll: number | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = forAll ?? answers[received.length] ?? 200;
      received.push({
        headers: flat(request.headers),
        path: '',
        body: Buffer.concat(chunks),
      });
      if (status === 0) response.destroy();
      else response.writeHead(status).end();
      for (const check of waiting) check();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks/simulated`,
    received,
    count: (total) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < total) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    answerAll(status) {
      forAll = status;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function flat(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}
