import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from './child.ts';
import { HELLO_ANSWER } from './hello-answer.ts';

/**
 * What one would write first: Node's own HTTP, the same form and JSON, and HMAC by `createHmac`; no framework,
 * limits, log or metrics, and no defence against what clients should not send.
 */

/** Keys by vid. */
export type BareQuestion = ReadonlyMap<string, string>;

const MAX_KEEP_ALIVE_MS = 60_000;
const keys = new Map<string, KeyObject>();

function receive(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const isSigned = isSignedForm(Buffer.concat(chunks).toString());
    const text = JSON.stringify(isSigned ? HELLO_ANSWER : { header_status: 401 });
    response.writeHead(isSigned ? 200 : 401, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
}

function isSignedForm(body: string): boolean {
  const fields = new URLSearchParams(body);
  const key = keys.get(fields.get('vid') ?? '');
  const claimed = Buffer.from(fields.get('hash') ?? '', 'hex');
  if (key === undefined || claimed.length !== 32) return false;
  fields.delete('hash');
  fields.sort();
  const text = [...fields].map(([name, value]) => `${name}=${value}`).join('&');
  return timingSafeEqual(createHmac('sha256', key).update(text).digest(), claimed);
}

const server = createServer({ keepAliveTimeout: MAX_KEEP_ALIVE_MS }, receive);
const listening = Promise.withResolvers<void>();
server.listen(0, '127.0.0.1', listening.resolve);
await listening.promise;

serveParent({
  ready: { port: (server.address() as AddressInfo).port },
  answer: async (question: BareQuestion) => {
    for (const [vid, key] of question) keys.set(vid, createSecretKey(key, 'utf8'));
    return {};
  },
  stop: async () => {
    server.closeAllConnections();
    server.close();
  },
});
