import { once } from 'node:events';
import * as net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A network between a client and PostgreSQL that can be broken at a chosen moment. */
export interface TcpProxy {
  /** The same database, through the proxy. */
  readonly url: string;
  /**
   * Drops the answer to the next request that contains the text; the request itself reaches the server.
   * `cut` ends the connection once the server has answered; `silence` leaves it open. Resolves when the
   * server has answered.
   */
  loseAnswerTo(text: string, end: 'cut' | 'silence'): Promise<void>;
  /** Cuts the connection instead of passing on the next request that contains the text. */
  loseRequest(text: string): Promise<void>;
  /** Ends all connections, and every new one at once. */
  goDown(): void;
  comeBack(): void;
  /** Delays all data by this time in each direction from now on; 0: no delay. */
  slowDown(delayMs: number): void;
  close(): Promise<void>;
}

type Trap = { readonly text: string; readonly sprung: () => void } & (
  | { readonly kind: 'answer'; readonly end: 'cut' | 'silence' }
  | { readonly kind: 'request' }
);

// The last message of an answer is ReadyForQuery: Z, length 5, transaction status.
const READY_FOR_QUERY_BYTES = 6;

export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let down = false;
  let trap: Trap | undefined;
  let delayMs = 0;

  const track = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  };
  const spring = (chunk: Buffer, kind: Trap['kind']): Trap | undefined => {
    if (trap?.kind !== kind || !chunk.includes(trap.text)) return undefined;
    const sprung = trap;
    trap = undefined;
    return sprung;
  };

  // Timers of one duration run in the order in which they were set.
  const pass = (chunk: Buffer, to: Socket): void => {
    if (delayMs === 0) to.write(chunk);
    else setTimeout(() => to.write(chunk), delayMs);
  };

  const server = net.createServer((client) => {
    track(client);
    if (down) {
      client.destroy();
      return;
    }
    const upstream = net.connect(Number(target.port), target.hostname);
    track(upstream);
    let losing: Trap | undefined;
    client.on('data', (chunk: Buffer) => {
      const lostRequest = spring(chunk, 'request');
      if (lostRequest !== undefined) {
        client.destroy();
        lostRequest.sprung();
        return;
      }
      losing ??= spring(chunk, 'answer');
      pass(chunk, upstream);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (losing?.kind !== 'answer') {
        pass(chunk, client);
        return;
      }
      if (chunk.at(-READY_FOR_QUERY_BYTES) !== 0x5a) return;
      if (losing.end === 'cut') client.destroy();
      losing.sprung();
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    loseAnswerTo: (text, end) =>
      new Promise((sprung) => {
        trap = { kind: 'answer', text, end, sprung };
      }),
    loseRequest: (text) =>
      new Promise((sprung) => {
        trap = { kind: 'request', text, sprung };
      }),
    goDown: () => {
      down = true;
      for (const socket of open) socket.destroy();
    },
    comeBack: () => {
      down = false;
    },
    slowDown: (ms) => {
      delayMs = ms;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
