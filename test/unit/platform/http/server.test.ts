import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createServer } from '../../../../src/platform/http/server.ts';

test('a route with a schema for its request is refused: nothing would check it', async () => {
  const app = createServer({ log: pino({ level: 'silent' }) });
  const schema = { querystring: { type: 'object', required: ['vid'] } };
  app.get('/', { schema }, () => 'unchecked');
  await expect(app.ready()).rejects.toThrow('a route has a schema for its request');
  await app.close();
});

test('a client that leaves before a file for it begins is no failure of the service', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const app = createServer({ log });
  const left = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const body = Promise.withResolvers<Readable>();
  app.post('/file', async (request, reply) => {
    request.raw.socket.once('close', left.resolve);
    arrived.resolve();
    await left.promise;
    const made = Readable.from(['a', 'b']);
    body.resolve(made);
    return reply.send(made);
  });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const leaving = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const answer = fetch(`${origin}/file`, {
    method: 'POST',
    body: '{}',
    headers,
    signal: leaving.signal,
  });
  await arrived.promise;
  leaving.abort();
  await expect(answer).rejects.toThrow('aborted');
  const made = await body.promise;
  if (!made.closed) await once(made, 'close');
  await app.close();
  expect(lines).toEqual([]);
});
