import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { consoleRoutes } from '../../src/console/routes/routes.ts';
import type { RoutesOptions } from '../../src/console/routes/routes.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';

let running: InProcessService;
const sockets: Socket[] = [];

beforeAll(async () => {
  const database = await createTestDatabase();
  running = await startInProcess(database.url, {
    environment: { CONSOLE_CHANGES_PER_SECOND: '0' },
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await running.stop();
});

async function signedIn(login: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(running.origin);
  await client.signIn(login);
  return client;
}

/** A connection with the head of a request whose body does not arrive; resolves once the server has it. */
async function begin(path: string, cookie = ''): Promise<Socket> {
  const { hostname, port } = new URL(running.origin);
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const arrived = once(running.service.app.server, 'request');
  socket.write(
    `POST /console/api${path} HTTP/1.1\r\nHost: x\r\nX-Malipo-Console: 1\r\nCookie: ${cookie}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
  );
  await arrived;
  return socket;
}

async function answerOn(socket: Socket): Promise<string> {
  const [answer] = (await once(socket, 'data')) as [string];
  return answer;
}

describe('a request with a file', () => {
  const paths = consoleRoutes({} as RoutesOptions)
    .filter(({ bodyBytes }) => bodyBytes !== undefined)
    .map(({ path }) => path.replaceAll(/:\w+/g, () => randomUUID()));

  test.each(paths)('of nobody is refused before it arrives: %s', async (path) => {
    expect(await answerOn(await begin(path))).toMatch(/^HTTP\/1\.1 401 .*"not_signed_in"/s);
  });

  test('of a person who may not send it is refused before it arrives', async () => {
    const { cookie } = await signedIn('demo-viewer');
    const answer = await answerOn(await begin('/bulk/check', cookie));
    expect(answer).toMatch(/^HTTP\/1\.1 403 .*"not_permitted"/s);
  });

  test('that is still arriving gives way to another one of the same person', async () => {
    const { cookie } = await signedIn('demo-cashier');
    const own: Promise<string>[] = [];
    const other = await signedIn('demo-admin');
    for (let count = 0; count < LIMITS.consoleFilesPerPerson; count += 1) {
      own.push(answerOn(await begin('/bulk/check', cookie)));
    }
    const check = await other.send('POST', '/bulk/check', {
      content: 'biller_name,amount,account\nsafaricom,10,254722000012\n',
    });
    expect(check.status, check.text).toBe(200);
    own.push(answerOn(await begin('/bulk/check', cookie)));
    expect(await Promise.race(own)).toMatch(/^HTTP\/1\.1 503 .*"overloaded"/s);
  });
});
