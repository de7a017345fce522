import { connect } from 'node:net';
import type { WireRequest } from '../support/vendor-client.ts';

/** The request as bytes of HTTP/1.1. */
export function toBytes(request: WireRequest): Buffer {
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  const headers = {
    Host: 'localhost',
    ...request.headers,
    ...(body === undefined ? {} : { 'Content-Length': String(body.length) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

/** How long the server may take before we close our side, which ends incomplete requests. */
const PATIENCE_MS = 150;
/** Longer than the server waits for a request. */
const HUNG_MS = 25_000;

/**
 * Sends bytes on a connection of their own and reads what comes back, to the end. Returns the
 * statuses of the answers; `hung` when the server neither answered nor closed.
 */
export async function exchangeBytes(
  port: number,
  bytes: Buffer,
): Promise<{
  readonly statuses: readonly number[];
  readonly hung: boolean;
  readonly text: string;
}> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let hung = false;
    let patience: NodeJS.Timeout | undefined;
    const wait = (): void => {
      clearTimeout(patience);
      patience = setTimeout(() => socket.end(), PATIENCE_MS);
    };
    const giveUp = setTimeout(() => {
      hung = true;
      socket.destroy();
    }, HUNG_MS);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (isWhole(text)) socket.end();
      else wait();
    });
    // A reset is also an answer: the server closed the connection early.
    socket.once('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(patience);
      clearTimeout(giveUp);
      resolve({ statuses: statusesOf(text), hung, text });
    });
    socket.write(bytes);
    wait();
  });
}

function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Whether a complete answer with a length has arrived; without a length only the time limit ends it. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text.slice(0, headEnd + 2))?.[1];
  return headEnd !== -1 && length !== undefined && text.length >= headEnd + 4 + Number(length);
}
