import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { definedRoutes } from '../support/defined-routes.ts';
import { addPerson } from '../../src/parties/people/administer.ts';
import { acceptLink, createLink } from '../../src/parties/people/links.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { databaseTransaction, createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { fresh } from '../support/demo-vendors.ts';
import { useService } from '../support/use-service.ts';
import { staffSignedIn } from '../support/staff-client.ts';
import { peopleDepsOf } from '../support/people-deps.ts';
import { until } from '../support/until.ts';
import { countWaiting } from '../support/waiting.ts';

const running = useService({
  environment: { CONSOLE_CHANGES_PER_SECOND: '0' },
});
let owner: Pool;
const sockets: Socket[] = [];

beforeAll(async () => {
  owner = createPool({ url: running.database.ownerUrl, max: 2, name: 'test owner' });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await owner.end();
});

async function signedIn(login: string): Promise<ConsoleClient> {
  const client = new ConsoleClient(running.origin);
  await client.signIn(login);
  return client;
}

/** A new person of the vendor `demo`, who is signed in. */
async function cookieOfNewPerson(): Promise<string> {
  const login = fresh('cashier').toLowerCase();
  const now = new Date();
  const deps = await peopleDepsOf(running);
  await addPerson(deps, { login, name: 'C', role: 'vendor_cashier', vid: 'demo' }, now);
  const token = await createLink(deps, login, { madeBy: null, now });
  const { masterKeys } = running.sealing;
  const chosen = { token, password: DEMO_PASSWORD, codes: undefined };
  await acceptLink({ ...deps, masterKeys, codesRequired: false }, chosen, now);
  return (await signedIn(login)).cookie;
}

/** A connection with a request; resolves once the server has its head. By default, its body does not arrive. */
async function begin(path: string, cookie = '', body?: string): Promise<Socket> {
  const head = `X-Malipo-Console: 1\r\nCookie: ${cookie}`;
  return await beginAt(`/console/api${path}`, head, body);
}

/** @param head headers that say who sends it. */
async function beginAt(path: string, head: string, body?: string): Promise<Socket> {
  const { hostname, port } = new URL(running.origin);
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const arrived = once(running.service.app.server, 'request');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\n${head}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body?.length ?? 100_000}\r\n\r\n${body ?? ''}`,
  );
  await arrived;
  return socket;
}

async function answerOn(socket: Socket): Promise<string> {
  const [answer] = (await once(socket, 'data')) as [string];
  return answer;
}

describe('a request with a file', async () => {
  const paths = (await definedRoutes())
    .filter(({ of }) => of.file !== undefined)
    .map(({ path }) => path.replaceAll(/:\w+/g, () => randomUUID()));

  test.each(paths)('a file of nobody is refused before it arrives: %s', async (path) => {
    expect(await answerOn(await begin(path))).toMatch(/^HTTP\/1\.1 401 .*"not_signed_in"/s);
  });

  test('a file of a person who may not send it is refused before it arrives', async () => {
    const { cookie } = await signedIn('demo-viewer');
    const answer = await answerOn(await begin('/bulk/check', cookie));
    expect(answer).toMatch(/^HTTP\/1\.1 403 .*"not_permitted"/s);
  });

  test('a file that is still arriving is displaced by another one of the same person', async () => {
    const { cookie } = await signedIn('demo-cashier');
    const own: Promise<string>[] = [];
    const other = await signedIn('demo-admin');
    for (let count = 0; count < LIMITS.consoleFilesPerPerson; count += 1) {
      own.push(answerOn(await begin('/bulk/check', cookie)));
    }
    const content = 'biller_name,amount,account\nsafaricom,10,254722000012\n';
    const check = await other.send('POST', '/bulk/check', Buffer.from(content));
    expect(check.status, check.text).toBe(200);
    own.push(answerOn(await begin('/bulk/check', cookie)));
    expect(await Promise.race(own)).toMatch(/^HTTP\/1\.1 503 .*"overloaded"/s);
  });

  test('a file for the staff API that is still arriving is displaced by another one of the same person', async () => {
    const { token = '' } = await staffSignedIn(running.origin, 'finance');
    const own: Promise<string>[] = [];
    for (let count = 0; count <= LIMITS.consoleFilesPerPerson; count += 1) {
      const socket = await beginAt('/admin/v1/statements', `Authorization: Bearer ${token}`);
      own.push(answerOn(socket));
    }
    expect(await Promise.race(own)).toMatch(/^HTTP\/1\.1 503 .*"overloaded"/s);
  });

  test('keeps its place while it is handled, although its client has disconnected', async () => {
    const { cookie } = await signedIn('demo-cashier');
    const content = 'biller_name,amount,account,merchant_reference\ngotv,60,2012345678,one\n';
    const send = async (): Promise<Socket> => await begin('/bulk/check', cookie, content);
    await databaseTransaction(owner, async (db) => {
      await db.query('set local idle_in_transaction_session_timeout = 0');
      await db.query('lock table payments in access exclusive mode');
      const arrived: IncomingMessage[] = [];
      const note = (request: IncomingMessage): void => void arrived.push(request);
      running.service.app.server.on('request', note);
      for (let count = 1; count <= LIMITS.consoleFilesPerPerson; count += 1) {
        const socket = await send();
        await until('it is handled', async () => (await countWaiting(owner)) === count);
        socket.destroy();
      }
      await until('their ends are noticed', () => arrived.every(({ socket }) => socket.closed));
      running.service.app.server.off('request', note);
      expect(await answerOn(await send())).toMatch(/^HTTP\/1\.1 503 .*"overloaded"/s);
    });
    await until('the files are handled', async () =>
      (await answerOn(await send())).startsWith('HTTP/1.1 200 '),
    );
  });

  test('has no place any more when it was handled, although its answer waits for an earlier one', async () => {
    const { cookie } = await signedIn('finance');
    const send = async (): Promise<Socket> => await begin('/statements', cookie, '{}');
    const { hostname, port } = new URL(running.origin);
    const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8');
    sockets.push(socket);
    const head = `HTTP/1.1\r\nHost: x\r\nX-Malipo-Console: 1\r\nCookie: ${cookie}\r\n`;
    // The answer never ends.
    socket.write(`GET /console/api/home/events ${head}\r\n`);
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 200 /);
    for (let count = 0; count < LIMITS.consoleFilesPerPerson; count += 1) {
      const arrived = once(running.service.app.server, 'request');
      socket.write(`POST /console/api/statements ${head}Content-Length: 2\r\n\r\n{}`);
      await arrived;
    }
    await until(
      'the files are handled',
      async () => (await answerOn(await send())).startsWith('HTTP/1.1 400 '),
      10_000,
    );
  });

  test('people of a vendor cannot displace files of staff or of another vendor, however many they send', async () => {
    const cookies = await Promise.all([1, 2, 3, 4, 5].map(async () => await cookieOfNewPerson()));
    const path = '/bulk/check';
    const others = [
      await begin('/statements', (await signedIn('finance')).cookie),
      await begin(path, (await signedIn('demo2-admin')).cookie),
    ];
    const answers = others.map(async (socket) => await answerOn(socket));
    for (const cookie of [...cookies, ...cookies, ...cookies]) await begin(path, cookie);
    for (const socket of others) socket.write('x\n'.repeat(50_000));
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatch(/^HTTP\/1\.1 400 .*"(?:invalid_file|missing_field)"/s);
    }
  });
});
