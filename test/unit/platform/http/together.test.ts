import { AsyncLocalStorage } from 'node:async_hooks';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { FastifyInstance, preValidationHookHandler } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handleTogether } from '../../../../src/platform/http/together.ts';
import { until } from '../../../support/until.ts';

let app: FastifyInstance;
let events: string[];
const current = new AsyncLocalStorage<string>();

beforeEach(async () => {
  app = fastify();
  events = [];
  app.addHook('onRequest', (request, _reply, done) => {
    const name = request.url.slice(1);
    events.push(`arrived ${name}`);
    current.run(name, done);
  });
  app.decorateRequest('isAlwaysServed', false);
  app.addHook('onRequest', (request, _reply, done) => {
    request.isAlwaysServed = request.url === '/health';
    done();
  });
  handleTogether(app);
  const preValidation: preValidationHookHandler = (request, _reply, done) => {
    events.push(`complete ${request.url.slice(1)}`);
    done();
  };
  app.get('/:name', { preValidation }, async () => {
    events.push(`handled ${current.getStore()}`);
    await Promise.resolve();
    return 'answer';
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    events.push(`answered ${request.url.slice(1)}`);
    done(null, payload);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => await app.close());

function connect(...names: string[]): net.Socket {
  const { port } = app.server.address() as AddressInfo;
  const requests = names.map((name) => `GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return net.connect({ port, host: '127.0.0.1' }, function (this: net.Socket) {
    this.write(requests.join(''));
  });
}

test('requests that arrive together are handled after the last one has arrived, each in its own context', async () => {
  const socket = connect('1', '2', '3');
  await until('three answers', () => events.length === 12);
  expect(events).toEqual([
    // What a request holds while it arrives is given back at once.
    ...['arrived 1', 'complete 1', 'arrived 2', 'complete 2', 'arrived 3', 'complete 3'],
    ...['handled 1', 'handled 2', 'handled 3'],
    ...['answered 1', 'answered 2', 'answered 3'],
  ]);
  socket.destroy();
});

test('monitoring does not wait for other requests', async () => {
  const socket = connect('health', '1');
  await until('both answers', () => events.length === 8);
  expect(events.indexOf('handled health')).toBeLessThan(events.indexOf('arrived 1'));
  socket.destroy();
});

test('a later request is handled as well', async () => {
  for (const name of ['1', '2']) {
    const socket = connect(name);
    await until('the answer', () => events.includes(`answered ${name}`));
    socket.destroy();
  }
});
