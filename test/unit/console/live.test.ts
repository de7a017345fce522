import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { createLiveAnswers } from '../../../src/console/live.ts';
import type { LiveAnswer } from '../../../src/staff/forms.ts';

let app: FastifyInstance;
afterEach(async () => {
  await app.close();
});

interface Source {
  readonly origin: string;
  /** The answer that a person gets. Without a vendor: a member of staff. */
  readonly open: (personId: string, vendorId?: number) => Promise<Response>;
  readonly listeners: Set<(data: unknown) => void>;
  isSignedIn: boolean;
}

async function serve(checkEveryMs = 10): Promise<Source> {
  app = Fastify({ forceCloseConnections: 'idle' });
  const source = {
    origin: '',
    open: async (personId: string, vendorId = 0) => {
      const response = await fetch(`${source.origin}/${personId}/${vendorId}`);
      // Its connection would otherwise not be idle when the server closes.
      if (!response.ok) await response.arrayBuffer();
      return response;
    },
    listeners: new Set<(data: unknown) => void>(),
    isSignedIn: true,
  };
  const send = createLiveAnswers(app, {
    isSignedIn: async () => source.isSignedIn,
    checkEveryMs,
  });
  const live: LiveAnswer = {
    subscribe: (listener) => {
      source.listeners.add(listener);
      listener({ first: true });
      return () => source.listeners.delete(listener);
    },
  };
  app.get<{ Params: { personId: string; vendorId: string } }>(
    '/:personId/:vendorId',
    (request, reply) => {
      const { personId, vendorId } = request.params;
      const vendor =
        vendorId === '0' ? undefined : { vendorId: Number(vendorId), vid: `shop${vendorId}` };
      return send(live, request, reply, { personId, vendor });
    },
  );
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
  const response = await source.open('asha');
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
  const response = await source.open('asha');
  source.isSignedIn = false;
  expect(await response.text()).toMatch(/event: end\ndata: \n\n$/);
  expect(source.listeners.size).toBe(0);
});

test('a stop of the service ends it without the end of the session', async () => {
  const source = await serve();
  const response = await source.open('asha');
  const [text] = await Promise.all([response.text(), app.close()]);
  expect(text).not.toContain('event: end');
  expect(source.listeners.size).toBe(0);
});

test('one person cannot take all streams', async () => {
  const source = await serve();
  const open = await Promise.all(Array.from({ length: 20 }, () => source.open('asha')));
  expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await source.open('asha')).ok).toBe(false);
  await open[0]?.body?.cancel();
  await vi.waitFor(() => expect(source.listeners.size).toBeLessThan(20));
  expect((await source.open('asha')).status).toBe(200);
});

const HOUR_MS = 3_600_000;

/** Opens as many streams as a vendor's people can, without connections. Returns how many were accepted. */
async function openMany(vendorId: number, people: number): Promise<number> {
  const asked = Array.from({ length: people * 20 }, async (_, index) => {
    const url = `/${vendorId}-${index % people}/${vendorId}`;
    const { statusCode } = await app.inject({ url, payloadAsStream: true });
    return statusCode === 200;
  });
  return (await Promise.all(asked)).filter(Boolean).length;
}

test('the people of one vendor cannot take the streams of other vendors and of staff', async () => {
  const source = await serve(HOUR_MS);
  expect(await openMany(1, 4)).toBe(50);
  expect((await source.open('another', 1)).status).toBe(429);
  expect((await source.open('baraka', 2)).status).toBe(200);
  expect((await source.open('asha')).status).toBe(200);
});

test('all vendors together cannot take the streams of staff', async () => {
  const source = await serve(HOUR_MS);
  for (let vendorId = 1; vendorId <= 16; vendorId += 1) {
    expect(await openMany(vendorId, 3)).toBe(50);
  }
  expect((await source.open('baraka', 17)).status).toBe(503);
  expect((await source.open('asha')).status).toBe(200);
});
