import { expect, test, vi } from 'vitest';
import { createTokenSource } from '../../../src/connectors/bearer-token.ts';

// Fake timers replace only the global function.
vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms)),
}));

test('calls share one token and one request for it, until it is refused', async () => {
  let requests = 0;
  const tokens = createTokenSource({
    request: async () => {
      requests += 1;
      return { kind: 'answer', httpStatus: 200, body: Buffer.from(`t${requests}`) };
    },
    read: ({ body }) => ({ token: body.toString(), lifeMs: 600_000 }),
  });
  expect(await Promise.all([tokens.get(100), tokens.get(100)])).toEqual([
    { kind: 'token', token: 't1' },
    { kind: 'token', token: 't1' },
  ]);
  tokens.refused('t1');
  expect(await tokens.get(100)).toEqual({ kind: 'token', token: 't2' });
  // A late refusal of the old one says nothing about the new one.
  tokens.refused('t1');
  await tokens.get(100);
  expect(requests).toBe(2);
});

test.each([
  [{ kind: 'no_answer', reason: 'gone' } as const, false],
  [{ kind: 'answer', httpStatus: 400, body: Buffer.from('') } as const, true],
  [{ kind: 'answer', httpStatus: 502, body: Buffer.from('') } as const, false],
])('%j gives no token', async (ending, answered) => {
  const tokens = createTokenSource({ request: async () => ending, read: () => undefined });
  expect(await tokens.get(100)).toMatchObject({ kind: 'no_token', answered });
});

test('after twenty requests within twenty seconds, the next one waits', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'Date'] });
  try {
    let requests = 0;
    const tokens = createTokenSource({
      request: async () => {
        requests += 1;
        return { kind: 'answer', httpStatus: 200, body: Buffer.from(`t${requests}`) };
      },
      read: ({ body }) => ({ token: body.toString(), lifeMs: 600_000 }),
    });
    for (let count = 1; count <= 20; count += 1) {
      expect(await tokens.get(100)).toEqual({ kind: 'token', token: `t${count}` });
      tokens.refused(`t${count}`);
    }
    const late = tokens.get(100);
    await vi.advanceTimersByTimeAsync(100);
    expect(await late).toMatchObject({ kind: 'no_token', answered: true });
    const patient = tokens.get(30_000);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await patient).toEqual({ kind: 'token', token: 't21' });
  } finally {
    vi.useRealTimers();
  }
});
