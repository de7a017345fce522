import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { PATHS } from '../support/vendor-client.ts';

const running = useService();

test('a client that disconnects in the middle of its body is not an error of ours', async () => {
  const { server } = running.service.app;
  const heard = once(server, 'request');
  const socket = connect(Number(new URL(running.origin).port), '127.0.0.1');
  socket.write(`POST ${PATHS.create} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nvid=demo`);
  const [request] = (await heard) as [IncomingMessage];
  const gone = new Promise((resolve) => request.socket.once('close', resolve));
  socket.resetAndDestroy();
  await gone;
  expect((await running.demo().call('balance')).status).toBe(200);
  expect(running.logged()).not.toMatch(/"level":"(error|fatal)"/);
});
