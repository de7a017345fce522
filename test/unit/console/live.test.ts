import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { createLiveAnswers } from '../../../src/console/live.ts';
import { Live } from '../../../src/console/route.ts';

let app: FastifyInstance;
afterEach(async () => {
  await app.close();
});

interface Source {
  readonly origin: string;
  readonly listeners: Set<(data: unknown) => void>;
  isSignedIn: boolean;
}

async function serve(): Promise<Source> {
  app = Fastify({ forceCloseConnections: 'idle' });
  const source = { origin: '', listeners: new Set<(data: unknown) => void>(), isSignedIn: true };
  const send = createLiveAnswers(app, {
    isSignedIn: async () => source.isSignedIn,
    checkEveryMs: 10,
  });
  const live = new Live((listener) => {
    source.listeners.add(listener);
    listener({ first: true });
    return () => source.listeners.delete(listener);
  });
  app.get('/', (request, reply) => send(live, request, reply, 'asha'));
  source.origin = await app.listen({ port: 0, host: '127.0.0.1' });
  return source;
}

async function readUntil(response: Response, text: string): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = '';
  while (!read.includes(text)) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    read += value;
  }
  reader?.releaseLock();
  return read;
}

test('each change is an event, which proxies must not buffer', async () => {
  const source = await serve();
  const response = await fetch(source.origin);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  for (const listener of source.listeners) listener({ second: 'line\nbreak' });
  const read = await readUntil(response, 'second');
  expect(read).toContain('data: {"first":true}\n\n');
  expect(read).toContain('data: {"second":"line\\nbreak"}\n\n');
});

test('it ends with the session, and no listener is left', async () => {
  const source = await serve();
  const response = await fetch(source.origin);
  source.isSignedIn = false;
  expect(await response.text()).toMatch(/event: end\ndata: \n\n$/);
  expect(source.listeners.size).toBe(0);
});

test('a stop of the service ends it without the end of the session', async () => {
  const source = await serve();
  const response = await fetch(source.origin);
  const [text] = await Promise.all([response.text(), app.close()]);
  expect(text).not.toContain('event: end');
  expect(source.listeners.size).toBe(0);
});

test('one person cannot take all streams', async () => {
  const source = await serve();
  const open = await Promise.all(Array.from({ length: 20 }, () => fetch(source.origin)));
  expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await fetch(source.origin)).ok).toBe(false);
  await open[0]?.body?.cancel();
  await vi.waitFor(() => expect(source.listeners.size).toBeLessThan(20));
  expect((await fetch(source.origin)).status).toBe(200);
});
