import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startOperators } from '../../sandbox/operators-process.ts';
import { startNeighbour } from '../load/neighbour.ts';
import type { NeighbourOptions } from '../load/neighbour.ts';
import { serveParent } from './child.ts';

/**
 * Everything of the suite `neighbour` that would have computers of its own: the neighbour's programs and its
 * receiver of webhooks, and the simulated operators.
 */
export interface Elsewhere {
  readonly operators: string;
  readonly receiver: string;
}

/** Starts the neighbour, or without options ends it. */
export interface NeighbourQuestion {
  readonly start: NeighbourOptions | undefined;
}

const operators = await startOperators({
  port: 0,
  folder: process.env['OPERATORS_FOLDER'] ?? '',
  providersCallBack: undefined,
  onUnexpectedExit: () => process.stderr.write('the simulated operators ended\n'),
});
const receiver = await startReceiver();
let neighbour: ReturnType<typeof startNeighbour> | undefined;

serveParent({
  ready: { operators: operators.origin, receiver: receiver.url } satisfies Elsewhere,
  answer: async ({ start }: NeighbourQuestion) => {
    const answers = (await neighbour?.stop()) ?? new Map<string, never>();
    neighbour = start === undefined ? undefined : startNeighbour(start);
    return answers;
  },
  stop: async () => {
    await neighbour?.stop();
    await operators.stop();
    receiver.close();
  },
});

/** Refuses each call, slowly, so that it is repeated. */
async function startReceiver(): Promise<{ readonly url: string; readonly close: () => void }> {
  const SLOW_MS = 200;
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.writeHead(500).end(), SLOW_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
