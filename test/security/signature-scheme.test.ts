import { beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { OPERATIONS, usualParams } from '../support/operation-samples.ts';
import { expectCallersFault } from '../support/refusals.ts';
import { PATHS, UNSIGNED, encode, send, signatureOf, signed } from '../support/vendor-client.ts';
import type {
  Answer,
  OperationName,
  Params,
  VendorClient,
  WireRequest,
} from '../support/vendor-client.ts';

const running = useService();
let vendor: VendorClient;
beforeAll(async () => {
  vendor = running.demo();
  await vendor.fund();
});

const SIGNED = OPERATIONS.filter((name) => !UNSIGNED.has(name) && name !== 'collect');

async function ask(operation: OperationName, params: Params): Promise<Answer> {
  return await send(running.origin, encode(PATHS[operation], params, 'json'));
}

describe('a forged request', () => {
  test('moving the boundaries between parameters is refused, on either side', async () => {
    const honest = {
      vid: 'demo',
      account: '0712345678&amount=5000.00&biller_name=safaricom&merchant_reference=',
      amount: '50.00',
      biller_name: 'airtel',
    };
    const forged = {
      vid: 'demo',
      account: '0712345678',
      amount: '5000.00',
      biller_name: 'safaricom',
      merchant_reference: '&amount=50.00&biller_name=airtel',
    };
    // One text and so one hash: this is the weakness of the scheme.
    expect(signatureOf(honest, vendor.key)).toBe(signatureOf(forged, vendor.key));
    for (const params of [honest, forged]) {
      const answer = await ask('create', signed(params, vendor.key));
      expect(expectCallersFault(answer, 'forged').code).toBe('ambiguous_value');
    }
  });

  test.each(SIGNED)(
    '%s signed with another vendor’s key, or in another’s name, is refused',
    async (name) => {
      const ours = signed(usualParams(name, 'demo'), vendor.key);
      for (const params of [
        { ...ours, vid: 'demo2' },
        signed(usualParams(name, 'demo2'), vendor.key),
      ]) {
        const answer = await ask(name, params);
        expect(expectCallersFault(answer, name)).toEqual({
          code: 'signature_invalid',
          field: 'hash',
        });
      }
    },
  );

  test('nothing else accepts the balance’s constant hash', async () => {
    const { hash = null } = signed({ vid: 'demo' }, vendor.key);
    for (const name of SIGNED.filter((other) => other !== 'balance')) {
      const answer = await ask(name, { ...usualParams(name, 'demo'), hash });
      expect(expectCallersFault(answer, name).code).toBe('signature_invalid');
    }
  });
});

describe('a replayed request', () => {
  test('replaying a fund moves nothing more', async () => {
    const params = signed(usualParams('fund', 'demo'), vendor.key);
    for (const _time of [1, 2]) {
      const answer = await ask('fund', params);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('"text":"Nothing to move","amount":0');
    }
  });

  test('replaying a create pays nothing again', async () => {
    const params = signed(
      {
        ...usualParams('create', 'demo'),
        biller_name: 'safaricom',
        account: '254722000011',
        amount: '5.00',
      },
      vendor.key,
    );
    const before = await vendor.balance();
    const answers = [await ask('create', params), await ask('create', params)];
    expect(answers[0]?.status, answers[0]?.text).toBe(200);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(await vendor.balance()).toBe(before - 5);
  });

  test('a generic score replayed as a mobile-loan score is another enquiry, because the hash is the same', async () => {
    const params = signed(usualParams('genericScore', 'demo'), vendor.key);
    const first = await ask('genericScore', params);
    expect(first.status, first.text).toBe(200);
    expect((await ask('genericScore', params)).text).toBe(first.text);
    // The two operations have the same parameters, and a reference counts per operation, so the
    // specification's signature is valid for both. The header signature covers the path.
    const elsewhere = await ask('mobileLoanScore', params);
    expect(elsewhere.status, elsewhere.text).toBe(200);
    expect(elsewhere.text).not.toBe(first.text);
    expect((await ask('mobileLoanScore', params)).text).toBe(elsewhere.text);
  });
});

describe('what is not flat and plain', () => {
  const body = (text: string): WireRequest => ({
    method: 'POST',
    path: PATHS.balance,
    headers: { 'content-type': 'application/json' },
    body: text,
  });
  const hash = signatureOf({ vid: 'demo' }, 'demo-security-key');

  test.each([
    ['a name twice', `{"vid":"demo","vid":"demo","hash":"${hash}"}`, 'ambiguous_request'],
    ['__proto__', `{"vid":"demo","__proto__":"x","hash":"${hash}"}`, 'unknown_field'],
    ['constructor', `{"vid":"demo","constructor":"x","hash":"${hash}"}`, 'unknown_field'],
    ['an unknown name', `{"vid":"demo","is_admin":"1","hash":"${hash}"}`, 'unknown_field'],
    ['an object', `{"vid":{"$ne":""},"hash":"${hash}"}`, 'nested_value'],
    ['thousands of arrays', `{"vid":${'['.repeat(8000)}`, 'nested_value'],
    ['a bidirectional control', `{"vid":"demo\u202e","hash":"${hash}"}`, 'malformed_request'],
    ['a lone surrogate', `{"vid":"demo\\ud800","hash":"${hash}"}`, 'malformed_request'],
    ['too long a body', `{"vid":"${'x'.repeat(17_000)}"}`, 'payload_too_large'],
    ['too long a value', `{"vid":"${'x'.repeat(1100)}"}`, 'payload_too_large'],
  ])('%s is refused', async (_what, text, code) => {
    expect(expectCallersFault(await send(running.origin, body(text)), text).code).toBe(code);
  });

  test('parameters in two places are refused', async () => {
    const both = { ...body(`{"vid":"demo","hash":"${hash}"}`), path: `${PATHS.balance}?vid=demo2` };
    const answer = await send(running.origin, both);
    expect(expectCallersFault(answer, 'pollution').code).toBe('ambiguous_request');
  });

  test('a text is signed as sent: composed and decomposed forms differ', async () => {
    const usual = usualParams('idDecision', 'demo');
    const composed = { ...usual, name1: 'Am\u00e1ni', name2: 'Baraka' };
    const decomposed = { ...usual, name1: 'Ama\u0301ni', name2: 'Baraka' };
    const crossed = { ...decomposed, hash: signatureOf(composed, vendor.key) };
    expect((await ask('idDecision', crossed)).status).toBe(401);
    expect((await ask('idDecision', signed(decomposed, vendor.key))).status).not.toBe(401);
  });
});

describe('what answers and logs reveal', () => {
  test('no response shows a stack, a path or the program behind it', async () => {
    const answers = await Promise.all([
      ask('create', { vid: 'demo' }),
      send(running.origin, { method: 'GET', path: '/nothing' }),
      send(running.origin, { method: 'DELETE', path: PATHS.create }),
      send(running.origin, { method: 'GET', path: `${PATHS.list}?vid=demo` }),
    ]);
    for (const { text, headers } of answers) {
      expect(text).not.toMatch(/node_modules|\.ts\b|\bat \w+ \(|fastify|postgres/i);
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-frame-options']).toBe('SAMEORIGIN');
      expect(headers['content-security-policy']).toContain(`default-src 'self'`);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  test('no input adds a line to the log or appears in it', async () => {
    const canary = 'canary-4711';
    const lines = `${canary}%0d%0a{"level":"fatal"}\n`;
    await send(running.origin, {
      method: 'GET',
      path: `/${canary}%0a{"level":"fatal"}?x=${canary}`,
    });
    await ask('create', { vid: canary, hash: canary });
    await send(running.origin, {
      method: 'POST',
      path: `/callbacks/${canary}`,
      headers: { 'webhook-id': canary, 'user-agent': canary, 'X-Signature': canary },
      body: lines,
    });
    await ask('balance', signed({ vid: 'demo', [canary]: canary }, vendor.key));
    expect(running.logged()).not.toContain(canary);
    for (const line of running.logged().split('\n').filter(Boolean)) {
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) as string });
      expect(line).not.toMatch(/\d\.\d{4}/);
    }
    expect(running.logged()).not.toContain('"level":"fatal"');
    for (const secret of [vendor.key, signatureOf({ vid: 'demo' }, vendor.key), '900000001']) {
      expect(running.logged()).not.toContain(secret);
    }
  });
});

describe('the time of a refusal', () => {
  const ROUNDS = 300;

  // In rounds, so that a slow machine slows all cases equally.
  test('does not reveal an unknown vendor, or how much of a hash was right', async () => {
    const right = signatureOf({ vid: 'demo' }, vendor.key);
    const almost = `${right.slice(0, 63)}${right.endsWith('0') ? '1' : '0'}`;
    const kinds: Readonly<Record<string, Params>> = {
      wrong: { vid: 'demo', hash: '0'.repeat(64) },
      almost: { vid: 'demo', hash: almost },
      unknown: { vid: 'none', hash: '0'.repeat(64) },
    };
    const times: Record<string, number[]> = { wrong: [], almost: [], unknown: [] };
    for (let round = -30; round < ROUNDS; round += 1) {
      for (const [kind, params] of Object.entries(kinds)) {
        const begun = performance.now();
        const { status } = await ask('balance', params);
        if (round >= 0) times[kind]?.push(performance.now() - begun);
        expect(status).toBe(401);
      }
    }
    const medians = Object.values(times).map(
      (taken) => taken.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0,
    );
    // One more query or digest would multiply the time; medians vary by a few per cent.
    expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(1.6);
  });
});
