import net from 'node:net';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { followRequests } from '../../../../src/platform/http/lifecycle.ts';
import { limitPipelining } from '../../../../src/platform/http/pipelining.ts';
import { until } from '../../../support/until.ts';

let app: FastifyInstance;
let held: PromiseWithResolvers<void>;
/** The requests that have ended, in order. */
let closed: string[];

beforeEach(async () => {
  app = fastify();
  held = Promise.withResolvers();
  closed = [];
  const atClosing = followRequests(app);
  limitPipelining(app, 10, atClosing);
  atClosing((request) => closed.push(request.id));
  app.get('/held', async () => await held.promise);
  app.get('/', async () => 'answer');
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  held.resolve();
  await app.close();
});

function connect(requests: string): net.Socket {
  const { port } = app.server.address() as AddressInfo;
  const socket = net.connect({ port, host: '127.0.0.1' }, () => socket.write(requests));
  return socket.on('error', () => undefined);
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('each request ends once: when it was answered', async () => {
  const socket = connect(get('/') + get('/'));
  await until('both ends', () => closed.length === 2);
  expect(new Set(closed).size).toBe(2);
  socket.destroy();
});

test('each request ends once: also those that wait for their turn when the client leaves', async () => {
  let arrived = 0;
  app.server.on('request', () => (arrived += 1));
  const socket = connect(get('/held') + get('/').repeat(3));
  await until('all requests', () => arrived === 4);
  socket.destroy();
  await until('all ends', () => new Set(closed).size === 4);
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toHaveLength(4);
});
