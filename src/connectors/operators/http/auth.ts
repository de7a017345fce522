import { createTokenSource, issuedToken } from '../../bearer-token.ts';
import type { TokenSource } from '../../bearer-token.ts';
import { withToken } from '../../with-token.ts';
import { readAnswer, readBody } from './answer.ts';
import { compileExpression, textOf } from './expression.ts';
import { compileRequest } from './message.ts';
import { compileHeaders, headerOf } from './headers.ts';
import type { HeaderTemplate } from './headers.ts';
import type { HttpSettings } from './settings.ts';
import type { Sender } from './send.ts';
import { ask } from './send.ts';

export type AuthSettings = NonNullable<HttpSettings['auth']>;
export type OauthSettings = Extract<AuthSettings, { kind: 'oauth' }>;

/** The credentials of every request, except a token. Throws: `Error` naming the setting. */
export function compileCommonHeaders({
  headers,
  auth,
  answer_format: format,
}: HttpSettings): HeaderTemplate {
  const common = compileHeaders('headers', headers);
  const accept = { accept: format === 'xml' ? 'application/xml, text/xml' : 'application/json' };
  if (auth?.kind !== 'basic') return async (input) => ({ ...accept, ...(await common(input)) });
  const user = compileExpression('auth.user', auth.user);
  const password = compileExpression('auth.password', auth.password);
  return async (input) => {
    const name = await headerOf('auth.user', user, input);
    const pair = `${name}:${await headerOf('auth.password', password, input)}`;
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    return { ...accept, ...(await common(input)), authorization };
  };
}

/** Sends with a token. Throws: `Error` naming the setting. */
export function compileOauth(
  auth: OauthSettings,
  by: {
    readonly context: object;
    readonly format: 'json' | 'xml';
    readonly send: Sender;
    /** Sends to the token server, whose paths begin with `prefix`. */
    readonly tokenSend: Sender;
    readonly prefix: string;
  },
): Sender {
  const tokens = compileTokens(auth, by);
  const refused =
    auth.refused === undefined ? null : compileExpression('auth.refused', auth.refused);
  return async (request, limit) =>
    await withToken(tokens, limit, {
      send: async (token, left) => {
        const headers = { ...request.headers, authorization: `Bearer ${token}` };
        const ending = await by.send({ ...request, headers }, left);
        // The next call requests a new token. The outcome of this call follows from its own table.
        if (refused === null && ending.kind === 'answer' && ending.httpStatus === 401) {
          tokens.refused(token);
        }
        return ending;
      },
      refusesToken: async (ending) => {
        if (refused === null || ending.kind !== 'answer') return false;
        const body = readBody(by.format, ending.body);
        if (body === undefined) return false;
        const input = { ...by.context, body, http_status: ending.httpStatus };
        return await refused.evaluate(input).then(
          (answer) => answer === true,
          () => false,
        );
      },
    });
}

const acceptJson: HeaderTemplate = async () => ({ accept: 'application/json' });

function compileTokens(
  auth: OauthSettings,
  { context, tokenSend, prefix }: Parameters<typeof compileOauth>[1],
): TokenSource {
  const template = compileRequest('auth', auth, { prefix, headers: acceptJson, signing: null });
  const tokenOf = compileExpression('auth.token', auth.token);
  const life = compileExpression('auth.life_seconds', auth.life_seconds);
  return createTokenSource({
    request: async (deadlineMs) =>
      // Not aborted with a call, because several calls share it.
      await ask({ template, send: tokenSend }, context, {
        deadlineMs,
        signal: new AbortController().signal,
      }),
    read: async (ending) => {
      const body = readAnswer(ending, { format: 'json', httpStatus: [200, 201] });
      if (typeof body === 'string') return undefined;
      const evaluated = Promise.all([tokenOf.evaluate({ body }), life.evaluate({ body })]);
      const [token, seconds] = await evaluated.then(
        ([first, second]) => [textOf(first), Number(textOf(second))] as const,
        () => [undefined, 0] as const,
      );
      return issuedToken(token, seconds);
    },
  });
}
