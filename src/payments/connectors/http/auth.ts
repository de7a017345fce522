import { createTokenSource } from '../bearer-token.ts';
import { compileExpression, textOf } from './expression.ts';
import type { Expression } from './expression.ts';
import { compileRequest, readAnswer } from './message.ts';
import type { RequestTemplate } from './message.ts';
import type { HttpSettings } from './settings.ts';
import type { Sender } from './connector.ts';

/** Sends with what the operator wants to know us by. Throws: `Error` with the place. */
export function compileAuth(
  auth: HttpSettings['auth'],
  { context, send }: { readonly context: object; readonly send: Sender },
): Sender {
  switch (auth.kind) {
    case 'none':
      return send;
    case 'headers': {
      const headers = Object.entries(auth.headers).map(
        ([name, text]) => [name, compileExpression(`auth.headers.${name}`, text)] as const,
      );
      return withHeaders(send, async (input) => {
        const given = headers.map(async ([name, one]) => [name, await header(one, input)] as const);
        return Object.fromEntries(await Promise.all(given));
      });
    }
    case 'basic': {
      const user = compileExpression('auth.user', auth.user);
      const password = compileExpression('auth.password', auth.password);
      return withHeaders(send, async (input) => {
        const pair = `${await header(user, input)}:${await header(password, input)}`;
        return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
      });
    }
    case 'oauth':
      return compileOauth(auth, { context, send });
  }
}

function withHeaders(
  send: Sender,
  headersFor: (input: object) => Promise<Record<string, string>>,
): Sender {
  return async (template, input, limit) => {
    const authorised: RequestTemplate = async (given) => {
      const [request, headers] = [await template(given), await headersFor(given)];
      return { ...request, headers: { ...request.headers, ...headers } };
    };
    return await send(authorised, input, limit);
  };
}

async function header(expression: Expression, input: object): Promise<string> {
  const text = textOf(await expression.evaluate(input));
  if (text === undefined || !/^[\x20-\x7e]+$/.test(text)) {
    throw new Error('an expression of auth yields no header');
  }
  return text;
}

function compileOauth(
  auth: Extract<HttpSettings['auth'], { kind: 'oauth' }>,
  { context, send }: { readonly context: object; readonly send: Sender },
): Sender {
  const template = compileRequest('auth', auth);
  const token = compileExpression('auth.token', auth.token);
  const life = compileExpression('auth.life_seconds', auth.life_seconds);
  const tokens = createTokenSource({
    request: async (deadlineMs) =>
      await send(template, context, { deadlineMs, signal: new AbortController().signal }),
    read: async (ending) => {
      const body = readAnswer(ending, [200, 201]);
      if (typeof body === 'string') return undefined;
      const text = textOf(await token.evaluate({ body }));
      const seconds = Number(textOf(await life.evaluate({ body })));
      if (text === undefined || !/^[\x21-\x7e]{1,4000}$/.test(text)) return undefined;
      return { token: text, lifeMs: seconds > 0 ? seconds * 1000 : 60_000 };
    },
  });
  return async (request, input, limit) => {
    const endsAtMs = performance.now() + limit.deadlineMs;
    const given = await tokens.get(limit.deadlineMs);
    if (given.kind === 'no_token') return { kind: 'nothing_written', reason: given.reason };
    const leftMs = Math.max(1, endsAtMs - performance.now());
    const authorisation = { authorization: `Bearer ${given.token}` };
    const sending = withHeaders(send, async () => authorisation);
    const ending = await sending(request, input, { ...limit, deadlineMs: leftMs });
    // The next call asks for another token. This one stays what its table says of it.
    if (ending.kind === 'answer' && ending.httpStatus === 401) tokens.refused(given.token);
    return ending;
  };
}
