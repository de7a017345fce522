import { TOTP, Secret } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../sandbox/data.ts';
import { addPerson, changePerson } from '../../src/parties/people/administer.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { acceptLink, createLink, readLink } from '../../src/parties/people/links.ts';
import type { PeopleDeps } from '../../src/parties/people/authenticity.ts';
import { newCodeSecret } from '../../src/parties/people/one-time-code.ts';
import type { KnownDevice } from '../../src/parties/people/known-devices.ts';
import { knownDevice, newDeviceToken } from '../../src/parties/people/known-devices.ts';
import { createSessions, removeEndedSessions } from '../../src/parties/people/sessions.ts';
import { checkSignIn } from '../../src/parties/people/sign-in.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

let running: InProcessService;
let client: ConsoleClient;

beforeAll(async () => {
  const database = await createServiceDatabase();
  running = await startInProcess(database.url);
});
afterAll(async () => {
  await running.stop();
});

const { stringify } = JSON;
const fresh = (): ConsoleClient => new ConsoleClient(running.origin);

describe('over HTTP', () => {
  test('signing in starts a session, which signing out ends', async () => {
    client = fresh();
    const signedIn = await client.signIn('ADMIN ');
    expect(signedIn.status).toBe(200);
    expect(signedIn.body).toMatchObject({
      person: { login: 'admin', role: 'administrator', vid: null },
      environment: 'sandbox',
      readOnly: false,
      timeZone: 'Africa/Nairobi',
    });
    const cookie = signedIn.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^malipo=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    expect(signedIn.headers.get('cache-control')).toBe('no-store');
    expect((await client.get('/session')).body).toEqual(signedIn.body);

    const before = client.cookie;
    expect((await client.send('DELETE', '/session')).status).toBe(204);
    client.cookie = before;
    expect((await client.get('/session')).code).toBe('not_signed_in');
  });

  test('every demo person can sign in, and sees the vendor’s name if it has one', async () => {
    for (const person of DEMO_PEOPLE) {
      const { body } = await fresh().signIn(person.login);
      const vid = 'vid' in person ? person.vid : null;
      expect(body['person']).toMatchObject({ login: person.login, role: person.role, vid });
    }
  });

  test('an unknown name and a wrong password get the same answer', async () => {
    const answers = [
      await fresh().signIn('admin', 'not the password'),
      await fresh().signIn('nobody-here', 'not the password'),
    ].map(({ status, body }) => stringify({ status, ...body, request_id: '' }));
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]).toContain('sign_in_failed');
  });

  test.each([undefined, 'malipo=', `malipo=${'x'.repeat(43)}`, "malipo=' or 1=1"])(
    'the cookie %j is nobody’s',
    async (cookie) => {
      const stranger = fresh();
      stranger.cookie = cookie ?? '';
      for (const path of ['/session', '/payments', '/no-such-path']) {
        expect(await stranger.get(path)).toMatchObject({ status: 401, code: 'not_signed_in' });
      }
    },
  );

  test.each(['\0', 'x\0y', '../..', 'a b'])('the passkey %j is nobody’s', async (id) => {
    const answer = await fresh().send('POST', '/session/passkey', { response: { id } });
    expect(answer).toMatchObject({ status: 400, code: 'invalid_field' });
  });

  test('requests that another site makes the browser send are refused', async () => {
    const person = fresh();
    await person.signIn('support');
    for (const site of ['cross-site', 'same-site']) {
      expect((await person.get('/session-less', { 'sec-fetch-site': site })).code).toBe(
        'not_permitted',
      );
      const out = await person.send('DELETE', '/session', undefined, { 'sec-fetch-site': site });
      expect(out.code).toBe('not_permitted');
    }
    const withoutHeader = { 'x-malipo-console': '' };
    const out = await person.send('DELETE', '/session', undefined, withoutHeader);
    expect(out.code).toBe('not_permitted');
    expect((await person.get('/session')).status).toBe(200);
  });

  test('a body that cannot be read names the field', async () => {
    const answer = await fresh().send('POST', '/session', { login: 'admin', password: 1 });
    expect(answer).toMatchObject({ status: 400, code: 'invalid_field' });
    expect(stringify(answer.body)).toContain('"field":"password"');
  });

  test('sign-ins are in the audit log, with their result and without the password', async () => {
    await fresh().signIn('finance', 'a wrong password');
    await fresh().signIn('finance');
    const rows = await listAudit(running.service.pool, { login: 'finance', limit: 2 });
    expect(rows.map(({ action, result }) => [action, result])).toEqual([
      ['session.start', 'done'],
      ['session.start', 'refused'],
    ]);
    expect(stringify(rows)).not.toContain('password');
    expect(running.logged()).not.toContain(DEMO_PASSWORD);
  });

  test('a changed role, and being disabled, end the sessions', async () => {
    const deps = await peopleDepsOf(running);
    await addPerson(deps, { login: 'temp', name: 'Temp', role: 'support' }, new Date());
    const token = await createLink(deps, 'temp', {
      madeBy: null,
      now: new Date(),
    });
    const person = fresh();
    const used = await person.send('POST', '/links/use', { token, password: 'a long enough one' });
    expect(used.status).toBe(200);
    expect((await person.get('/session')).status).toBe(200);
    await changePerson(deps, 'temp', { role: 'finance' });
    expect((await person.get('/session')).code).toBe('not_signed_in');
    await changePerson(deps, 'temp', { status: 'disabled' });
    expect((await person.signIn('temp', 'a long enough one')).code).toBe('sign_in_failed');
  });
});

test('with an https PUBLIC_URL the cookie is Secure and bound to the host, whatever the proxy says', async () => {
  const { url } = await createServiceDatabase();
  const environment = { PUBLIC_URL: 'https://pay.example' };
  const behindProxy = await startInProcess(url, { environment, logLevel: 'warn' });
  try {
    const person = new ConsoleClient(behindProxy.origin);
    const { status, headers } = await person.signIn('admin');
    expect(status).toBe(200);
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-malipo=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect((await person.get('/session')).status).toBe(200);
    const out = await person.send('DELETE', '/session');
    expect(out.headers.get('set-cookie')).toContain('; Secure');
    expect((await person.get('/session')).code).toBe('not_signed_in');
  } finally {
    await behindProxy.stop();
  }
});

test.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['warns', { PUBLIC_URL: 'https://pay.example' }, true],
  ['is quiet', { PUBLIC_URL: 'https://pay.example', TRUSTED_PROXIES: '10.0.0.0/8' }, false],
  ['is quiet', { PUBLIC_URL: 'http://127.0.0.1:8080' }, false],
])('a start %s about proxies that nobody named with %j', async (_what, environment, warns) => {
  const { url } = await createServiceDatabase();
  const started = await startInProcess(url, { environment, logLevel: 'warn' });
  try {
    expect(started.logged().includes('TRUSTED_PROXIES is empty')).toBe(warns);
  } finally {
    await started.stop();
  }
});

describe('with one-time codes', () => {
  const masterKeys = { current: Buffer.alloc(32, 'test master key'), previous: undefined };
  let deps: PeopleDeps & { masterKeys: MasterKeys; codesRequired: true };
  beforeAll(async () => {
    deps = { ...(await peopleDepsOf(running)), masterKeys, codesRequired: true };
  });
  const password = 'three little words';
  const from: { network: string; device: KnownDevice | undefined } = {
    ...{ network: '192.0.2.1', device: undefined },
  };
  const codeAt = (secret: string, now: Date): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() });
  let people = 0;

  async function newPerson(): Promise<{ login: string; token: string }> {
    const login = `person${(people += 1)}`;
    await addPerson(deps, { login, name: 'Person', role: 'support' }, new Date());
    return { login, token: await createLink(deps, login, { madeBy: null, now: new Date() }) };
  }

  async function enrolled(now: Date): Promise<{ login: string; secret: string }> {
    const { login, token } = await newPerson();
    const secret = newCodeSecret();
    const codes = { secret, code: codeAt(secret, now) };
    await acceptLink(deps, { token, password, codes }, now);
    return { login, secret };
  }

  test('a person signs in with password and code, and no code counts twice', async () => {
    const now = new Date();
    const { login, secret } = await enrolled(now);
    const later = new Date(now.getTime() + 60_000);
    const code = codeAt(secret, later);
    await expect(
      checkSignIn(deps, { login, password, code: undefined, from }, later),
    ).rejects.toThrow('Enter the code');
    await checkSignIn(deps, { login, password, code, from }, later);
    await expect(checkSignIn(deps, { login, password, code, from }, later)).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
  });

  test('the code that proved the app is used up', async () => {
    const now = new Date();
    const { login, secret } = await enrolled(now);
    const code = codeAt(secret, now);
    await expect(checkSignIn(deps, { login, password, code, from }, now)).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
  });

  test('a link works once, and a second link ends the first', async () => {
    const now = new Date();
    const { login, token } = await newPerson();
    const second = await createLink(deps, login, { madeBy: null, now });
    await expect(readLink(deps, token, now)).rejects.toMatchObject({ code: 'link_invalid' });
    const secret = newCodeSecret();
    const use = () =>
      acceptLink(
        deps,
        { token: second, password, codes: { secret, code: codeAt(secret, now) } },
        now,
      );
    const results = await Promise.allSettled([use(), use(), use()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(use()).rejects.toMatchObject({ code: 'link_invalid' });
  });

  test('a link expires, and a weak password or a wrong code does not use it up', async () => {
    const now = new Date();
    const { token } = await newPerson();
    const secret = newCodeSecret();
    const codes = { secret, code: codeAt(secret, now) };
    const expired = new Date(now.getTime() + 73 * 60 * 60 * 1000);
    await expect(readLink(deps, token, expired)).rejects.toMatchObject({ code: 'link_invalid' });
    for (const [chosen, field] of [
      [{ token, password: 'short', codes }, 'password'],
      [{ token, password, codes: { secret, code: '000000' } }, 'code'],
      [{ token, password, codes: undefined }, 'code'],
    ] as const) {
      await expect(acceptLink(deps, chosen, now)).rejects.toMatchObject({ field });
    }
    await acceptLink(deps, { token, password, codes }, now);
  });

  test('guesses sent at the same time are counted, and then have to wait', async () => {
    const now = new Date();
    const { login } = await enrolled(now);
    const waiting = await guessesOf(login, now);
    expect(waiting).toEqual(await guessesOf('no-such-person', now));
    expect(waiting.filter((code) => code === 'sign_in_failed')).toHaveLength(5);
    expect(waiting.filter((code) => code === 'too_many_requests')).toHaveLength(3);
    // The right password has to wait as well, so that the wait does not show whether a guess was right.
    await expect(
      checkSignIn(deps, { login, password, code: '123456', from }, now),
    ).rejects.toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 5 });
  });

  test('strangers who guess neither shut out the owner’s device, nor people at other addresses', async () => {
    const now = new Date();
    const { login, secret } = await enrolled(now);
    const later = new Date(now.getTime() + 60_000);
    const [person] = (
      await deps.pool.query<{ login: string; credentialsAt: Date }>(
        'select login, credentials_at as "credentialsAt" from people where login = $1',
        [login],
      )
    ).rows;
    if (person === undefined) throw new Error(`no person ${login}`);
    const token = newDeviceToken(person, masterKeys);
    const device = knownDevice(token, login, masterKeys);
    expect(device).toBeDefined();
    const right = (ms: number, network: string, on?: KnownDevice) => {
      const at = new Date(later.getTime() + ms);
      const given = { login, password, code: codeAt(secret, at) };
      return checkSignIn(deps, { ...given, from: { network, device: on } }, at);
    };
    await guessesOf(login, later);
    await expect(right(0, from.network)).rejects.toMatchObject({ code: 'too_many_requests' });
    await right(0, '192.0.2.2');
    // From everywhere: a hundred guesses are checked, and no more.
    await deps.pool.query('update sign_in_failures set failed_count = 100 where login = $1', [
      login,
    ]);
    await expect(right(60_000, '192.0.2.3')).rejects.toMatchObject({
      code: 'too_many_requests',
    });
    await right(60_000, '192.0.2.3', device);
    // One is forgotten every 864 seconds.
    await right(900_000, '192.0.2.3');
    // Nobody makes a token, or uses that of somebody else.
    const forged = `${token.slice(0, -43)}${'A'.repeat(43)}`;
    const prolonged = token.replace(/\.\d+\./, '.1.');
    for (const other of ['', 'x', forged, prolonged]) {
      expect(knownDevice(other, login, masterKeys)).toBeUndefined();
    }
    expect(knownDevice(token, 'another', masterKeys)).toBeUndefined();
    // After another password was chosen, it is a stranger's.
    const earlier = newDeviceToken({ login, credentialsAt: new Date(1) }, masterKeys);
    const former = { network: '192.0.2.4', device: knownDevice(earlier, login, masterKeys) };
    expect(former.device).toBeDefined();
    await guessesOf(login, later, { ...former, device: undefined });
    await expect(right(0, former.network, former.device)).rejects.toMatchObject({
      code: 'too_many_requests',
    });
    // The device has five guesses of its own.
    const guesses = await guessesOf(login, later, { network: '192.0.2.5', device });
    expect(guesses.filter((code) => code === 'too_many_requests')).toHaveLength(3);
  });

  /** The answers to eight guesses at once, sorted. */
  async function guessesOf(login: string, now: Date, place = from): Promise<string[]> {
    const guess = (): Promise<string> =>
      checkSignIn(
        deps,
        { login, password: 'a wrong guess', code: undefined, from: place },
        now,
      ).catch((error: { code: string }) => error.code);
    const codes = await Promise.all(Array.from({ length: 8 }, guess));
    return codes.toSorted();
  }

  test('a session ends after an hour without use, and after twelve hours', async () => {
    let now = new Date();
    const { pool } = running.service;
    const sessions = createSessions({ ...deps, clock: { now: () => now } });
    const { login } = await newPerson();
    const [person] = (
      await pool.query<{ person_id: string }>('select person_id from people where login = $1', [
        login,
      ])
    ).rows;
    const start = () =>
      sessions.start({ personId: person?.person_id ?? '', address: '127.0.0.1', browser: 'test' });
    const minutes = (count: number): Date => new Date(now.getTime() + count * 60_000);

    const unused = await start();
    now = minutes(59);
    expect(await sessions.find(unused.token)).toMatchObject({ login });
    now = minutes(59);
    expect(await sessions.find(unused.token)).toMatchObject({ login });
    now = minutes(61);
    expect(await sessions.find(unused.token)).toBeUndefined();

    const used = await start();
    for (let passed = 0; passed < 11 * 60 + 30; passed += 30) {
      now = minutes(30);
      expect(await sessions.find(used.token)).toBeDefined();
    }
    now = minutes(30);
    expect(await sessions.find(used.token)).toBeUndefined();
    await removeEndedSessions(pool, now);
    const left = await pool.query('select from sessions where person_id = $1', [person?.person_id]);
    expect(left.rowCount).toBe(0);
  });
});
