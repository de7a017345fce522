import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { recorded } from '../parties/people/attempts.ts';
import { loginFrom, MAX_LOGIN_LENGTH } from '../parties/people/login.ts';
import { checkSignIn } from '../parties/people/sign-in.ts';
import { Refusal } from '../platform/base/errors.ts';
import { createJsonReader } from '../platform/http/json-object.ts';
import { networkOf } from '../platform/http/rate-limits.ts';
import type { Viewer } from '../staff/viewer.ts';
import { callerOf, tokenOf } from './callers.ts';
import type { CallerDeps } from './callers.ts';
import type { StaffApiOptions } from './options.ts';

export const signInBody = Type.Object(
  {
    login: Type.String({ maxLength: MAX_LOGIN_LENGTH, description: 'The login.' }),
    password: Type.String({ maxLength: 1024, description: 'The password.' }),
    code: Type.Optional(
      Type.String({ maxLength: 16, description: 'The code of the authenticator app.' }),
    ),
  },
  { additionalProperties: false },
);

const whoView = {
  login: Type.String({ description: 'Of a program’s token: of its owner.' }),
  token: Type.Union([Type.String(), Type.Null()], {
    description: 'The name of the program’s token; null: a person’s.',
  }),
  role: Type.Union([Type.String(), Type.Null()]),
  permissions: Type.Array(Type.String()),
  environment: Type.Enum(['sandbox', 'production']),
  time_zone: Type.String({
    description: 'Days and times that people write are those of this zone.',
  }),
  version: Type.String(),
};
export const sessionView = Type.Object(whoView);
export const startedView = Type.Object({
  token: Type.String({ description: 'For `Authorization: Bearer …`. Shown once.' }),
  expires_at: Type.String({ format: 'date-time' }),
});

/** A person’s token is a session, which begins with password and code. */
export function addSessionRoutes(
  app: FastifyInstance,
  options: StaffApiOptions & { readonly callers: CallerDeps; readonly prefix: string },
): void {
  const { prefix, callers, sessions, door, deps, masterKeys, ledgerMac, codesRequired } = options;
  const { pool, clock } = deps;
  const read = createJsonReader(signInBody);
  const url = `${prefix}/session`;
  app.get(url, { exposeHeadRoute: false }, async (request, reply) => {
    const { viewer, id } = await callerOf(request, callers);
    callers.limits.forReading({ personId: id, vendor: undefined });
    void reply.header('cache-control', 'no-store');
    return viewOf(viewer, options);
  });
  app.post(url, async (request, reply): Promise<Static<typeof startedView>> => {
    void reply.header('cache-control', 'no-store');
    const given = read(request.headers['content-type'], request.body as Buffer | undefined);
    const login = loginFrom(given.login);
    door.limit(request);
    const from = { network: networkOf(request.ip), device: undefined };
    const checked = { pool, masterKeys, ledgerMac, codesRequired };
    const personId = await door.inTurn(request, () =>
      recorded(request, { pool, clock, channel: 'api' }, { action: 'session.start', login }, () =>
        checkSignIn(checked, { ...given, code: given.code, from }, clock.now()),
      ),
    );
    const browser = request.headers['user-agent'] ?? '';
    const started = await sessions.start({ personId, address: request.ip, browser });
    const row = await options.lookUps.findNew(started.token);
    if (row?.vendorId !== null) {
      await sessions.end(started.token);
      throw new Refusal('not_permitted', { text: 'Only staff use this API' });
    }
    return { token: started.token, expires_at: started.expiresAt.toISOString() };
  });
  app.delete(url, async (request, reply) => {
    const { viewer } = await callerOf(request, callers);
    if (viewer.token !== null) {
      throw new Refusal('not_permitted', { text: 'A program’s token is revoked, not signed out' });
    }
    await sessions.end(tokenOf(request));
    return await reply.code(204).send();
  });
}

function viewOf(
  { login, token, role, permissions }: Viewer,
  { environment, timeZone, version }: StaffApiOptions,
): Static<typeof sessionView> {
  const rights = Array.from(permissions).toSorted();
  return { login, token, role, permissions: rights, environment, time_zone: timeZone, version };
}
