import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of the webhook, as received. */
export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The parsed body. */
  readonly event: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** A vendor's receiver of events, which keeps every call. */
export interface WebhookReceiver {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** Number of calls that have not been answered yet. */
  readonly open: number;
  close(): Promise<void>;
}

/**
 * @param answer default: 204 at once.
 * @param port default: a free one.
 */
export async function startWebhookReceiver(
  answer: (response: ServerResponse, call: ReceivedCall) => void = (response) =>
    response.writeHead(204).end(),
  port = 0,
): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    open += 1;
    response.once('close', () => (open -= 1));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const call: ReceivedCall = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: JSON.parse(body) as ReceivedCall['event'],
      };
      calls.push(call);
      answer(response, call);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events?of=malipo`,
    calls,
    get open() {
      return open;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
