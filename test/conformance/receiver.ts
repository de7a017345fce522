import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallbackRequest } from '../../src/connectors/operator-callbacks.ts';

const PREFIX = '/callbacks/operator';

/** Receives callbacks and keeps them until the test reads them. */
export interface Receiver {
  /** The callback URL of the operator, without a slash at the end. */
  readonly url: string;
  /** The callbacks received since the last call, oldest first. */
  readonly take: () => CallbackRequest[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  let waiting: CallbackRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      waiting.push({
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        path: (request.url ?? '').slice(PREFIX.length).replace(/^\//, ''),
        body: Buffer.concat(chunks),
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    take: () => {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
