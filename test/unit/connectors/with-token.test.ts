import { expect, test } from 'vitest';
import { createTokenSource } from '../../../src/connectors/bearer-token.ts';
import { withToken } from '../../../src/connectors/with-token.ts';
import type { Ending } from '../../../src/platform/outbound/exchange.ts';

const LIMIT = { deadlineMs: 10_000, signal: new AbortController().signal };

function answer(httpStatus: number, text = ''): Ending {
  return { kind: 'answer', httpStatus, body: Buffer.from(text) };
}

function setUp(tokenEndings: readonly Ending[]) {
  const sent: string[] = [];
  let requests = 0;
  const tokens = createTokenSource({
    request: async () => tokenEndings[requests++] ?? { kind: 'no_answer', reason: 'gone' },
    read: ({ body }) => ({ token: body.toString(), lifeMs: 600_000 }),
  });
  const call = async (accepted: string) =>
    await withToken(tokens, LIMIT, {
      send: async (token) => {
        sent.push(token);
        return answer(token === accepted ? 200 : 401);
      },
      refusesToken: (ending) => ending.kind === 'answer' && ending.httpStatus === 401,
    });
  return { sent, call };
}

test('a refused token is replaced once', async () => {
  const { sent, call } = setUp([answer(200, 't1'), answer(200, 't2')]);
  expect(await call('t2')).toMatchObject({ httpStatus: 200 });
  expect(sent).toEqual(['t1', 't2']);
});

test('a second refusal is final: no third request is sent', async () => {
  const { sent, call } = setUp([answer(200, 't1'), answer(200, 't2')]);
  expect(await call('t9')).toMatchObject({ httpStatus: 401 });
  expect(sent).toEqual(['t1', 't2']);
});

test('without a token nothing is written; a refusal stands when there is no second token', async () => {
  const none = setUp([]);
  expect(await none.call('t1')).toMatchObject({ kind: 'nothing_written' });
  expect(none.sent).toEqual([]);
  const one = setUp([answer(200, 't1')]);
  expect(await one.call('t9')).toMatchObject({ httpStatus: 401 });
  expect(one.sent).toEqual(['t1']);
});

test('sends nothing if the token comes after the deadline of the call', async () => {
  const sent: string[] = [];
  const tokens = createTokenSource({
    request: async () => {
      // As if the process had been stopped, or another call had asked for the token and had more time.
      await new Promise((resolve) => setTimeout(resolve, 60));
      return answer(200, 't1');
    },
    read: ({ body }) => ({ token: body.toString(), lifeMs: 600_000 }),
  });
  const ending = await withToken(
    tokens,
    { ...LIMIT, deadlineMs: 20 },
    {
      send: async (token) => {
        sent.push(token);
        return answer(200);
      },
      refusesToken: () => false,
    },
  );
  expect(ending).toMatchObject({ kind: 'nothing_written' });
  expect(sent).toEqual([]);
});
