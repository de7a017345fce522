import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { findFreePort } from './service-process.ts';

/**
 * `down`: connections are refused. `garbage`: requests arrive, the answers are HTML or cut in half.
 * `slow`: requests arrive, the answers come after the trouble.
 */
export type Trouble = 'none' | 'down' | 'garbage' | 'slow';

/** An emulated provider behind a network with faults that a test switches on and off. */
export interface TroubledProvider {
  readonly origin: string;
  strike(trouble: Trouble): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param isSpared requests with this line (`POST /path`), which always work unless the provider is down.
 */
export async function startTroubledProvider(
  target: string,
  isSpared: (line: string) => boolean,
): Promise<TroubledProvider> {
  let trouble: Trouble = 'none';
  let garbled = 0;
  const port = await findFreePort();
  const held = new Set<() => void>();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await forward(request, target);
    const body = Buffer.from(await answer.arrayBuffer());
    const send = (content: Buffer | string): void => {
      const type = answer.headers.get('content-type') ?? 'application/json';
      response.writeHead(answer.status, { 'content-type': type }).end(content);
    };
    if (isSpared(`${request.method} ${request.url}`)) return send(body);
    switch (trouble) {
      case 'slow':
        return void held.add(() => send(body));
      case 'garbage':
        garbled += 1;
        return send(garbled % 2 === 0 ? body.subarray(0, body.length / 2) : '<html>Welcome!');
      default:
        return send(body);
    }
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  await listen();
  return {
    origin: `http://127.0.0.1:${port}`,
    strike: async (next) => {
      trouble = next;
      if (next === 'down') await stop();
      else if (!server.listening) await listen();
      if (next === 'slow') return;
      for (const release of held) release();
      held.clear();
    },
    close: stop,
  };
}

async function forward(request: IncomingMessage, target: string): Promise<Response> {
  const { method = 'GET', url = '/', headers } = request;
  const body = await buffer(request);
  return await fetch(target + url, {
    method,
    headers: {
      authorization: headers.authorization ?? '',
      'content-type': headers['content-type'] ?? 'application/json',
    },
    ...(body.length === 0 ? {} : { body }),
  });
}
