import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A call to an operator. */
export interface OperatorCall {
  /** `/payments`, `/payments/status` or `/balance`. */
  readonly path: string;
  readonly content: { readonly reference?: string; readonly account?: string };
}

/** Answers a call itself, or passes it on to the operator and returns what it answered. */
export type Answerer = (call: OperatorCall, passOn: () => Promise<string>) => Promise<string>;

/** A server between the service and the simulated operators, which can answer in their place. */
export interface Gateway {
  readonly origin: string;
  answer: Answerer;
  /** Ends all connections and refuses new ones. */
  goDown(): void;
  comeBack(): Promise<void>;
  close(): void;
}

const honest: Answerer = async (_call, passOn) => await passOn();

export async function startGateway(target: string): Promise<Gateway> {
  let answer = honest;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { url = '/', headers } = request;
    const passOn = async (): Promise<string> => {
      const signed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'));
      const passed = await fetch(new URL(url, target), {
        method: 'POST',
        headers: [['content-type', 'application/json'], ...(signed as [string, string][])],
        body,
      });
      return await passed.text();
    };
    const path = url.replace(/^\/operators\/\w+/, '');
    const content = JSON.parse(body) as OperatorCall['content'];
    response.setHeader('content-type', 'application/json');
    response.end(await answer({ path, content }, passOn));
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  // Longer than a client is stopped: a connection that closes at the moment of a request fails it.
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const goDown = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    get answer() {
      return answer;
    },
    set answer(next) {
      answer = next;
    },
    goDown,
    comeBack: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: goDown,
  };
}

export { honest as passOnEverything };
