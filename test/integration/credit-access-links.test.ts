import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { MAX_ATTEMPTS, makeAccessLink } from '../../src/credit/reports/access-links.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { useService } from '../support/use-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';

const DAY_MS = 86_400_000;
const BORN = '1984-03-12';

const running = useService({
  environment: { TRUSTED_PROXIES: '127.0.0.1' },
});
let addresses = 0;

async function link(expiresInMs = DAY_MS): Promise<string> {
  const at = new Date();
  const expiresAt = new Date(at.getTime() + expiresInMs);
  return await makeAccessLink(await peopleDepsOf(running), {
    crn: 1_000_001n,
    evidence: 'ID card',
    at,
    expiresAt,
  });
}

async function enter(fields: Record<string, string>, from?: string) {
  addresses += 1;
  return await running.service.app.inject({
    method: 'POST',
    url: '/my-report',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': from ?? `10.0.0.${addresses}`,
    },
    payload: new URLSearchParams(fields).toString(),
  });
}

test('one link shows the report once, to the person who knows the birth date', async () => {
  const code = await link();
  const page = await running.service.app.inject({ method: 'GET', url: '/my-report' });
  expect(page.statusCode).toBe(200);
  expect(page.body).toContain('<form method="post">');
  const first = await enter({ code, dateOfBirth: BORN, language: 'en', format: 'html' });
  expect(first.statusCode).toBe(200);
  expect(first.body).toContain('Amani Baraka Wanjiru');
  const again = await enter({ code, dateOfBirth: BORN, language: 'en', format: 'html' });
  expect(again.statusCode).toBe(404);
  expect(again.body).not.toContain('Amani');
  const pdf = await enter({ code: await link(), dateOfBirth: BORN, language: 'sw', format: 'pdf' });
  expect(pdf.headers['content-type']).toBe('application/pdf');
  expect(pdf.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
});

test('simultaneous uses of a link give one report', async () => {
  const code = await link();
  const answers = await Promise.all(
    Array.from({ length: 4 }, async () => await enter({ code, dateOfBirth: BORN })),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
});

test('whatever is wrong, the answer is the same', async () => {
  const bodies = new Set<string>();
  for (const fields of [
    { code: 'x', dateOfBirth: BORN },
    { code: 'A'.repeat(43), dateOfBirth: BORN },
    { code: await link(), dateOfBirth: '1990-01-01' },
    { code: await link(-1), dateOfBirth: BORN },
    { code: await link() },
  ]) {
    const { statusCode, body } = await enter(fields);
    expect(statusCode).toBe(404);
    bodies.add(body);
  }
  expect(bodies.size).toBe(1);
});

test('a link that is written into the database, or changed there, gives no report', async () => {
  const { pool } = running.service;
  const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest();
  for (const mac of [Buffer.alloc(0), randomBytes(32)]) {
    const code = randomBytes(32).toString('base64url');
    await pool.query(
      `insert into access_links (token_hash, crn, evidence, made_at, expires_at, mac)
       values ($1, 1000001, 'ID card', now(), now() + interval '1 day', $2)`,
      [hashOf(code), mac],
    );
    expect((await enter({ code, dateOfBirth: BORN })).statusCode).toBe(404);
  }
  const owner = createPool({ url: running.database.ownerUrl, max: 1, name: 'owner' });
  for (const change of ['crn = crn + 1, attempts = 0', `expires_at = 'infinity'`]) {
    const code = await link();
    await owner.query(`update access_links set ${change} where token_hash = $1`, [hashOf(code)]);
    expect((await enter({ code, dateOfBirth: BORN })).statusCode).toBe(404);
  }
  await owner.end();
});

test('a link ends after too many wrong birth dates', async () => {
  const code = await link();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    expect((await enter({ code, dateOfBirth: '1990-01-01' })).statusCode).toBe(404);
  }
  expect((await enter({ code, dateOfBirth: BORN })).statusCode).toBe(404);
});

test('one address has a limited number of attempts', async () => {
  const codes: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    codes.push((await enter({ code: 'x' }, '10.9.9.9')).statusCode);
  }
  expect(codes.slice(0, 10)).toEqual(Array<number>(10).fill(404));
  expect(codes.at(-1)).toBe(429);
});

test('the token is in no database, log or address', async () => {
  const code = await link();
  const page = await enter({ code, dateOfBirth: BORN, format: 'html' });
  expect(page.statusCode).toBe(200);
  const stored = await running.service.pool.query(
    'select access_links::text as row from access_links',
  );
  expect(JSON.stringify(stored.rows)).not.toContain(code);
  expect(running.logged()).not.toContain(code);
  expect(page.headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none';.*frame-ancestors 'none'/,
    ),
  });
});
