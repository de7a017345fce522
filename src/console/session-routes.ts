import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Static, TObject } from 'typebox';
import type { RelyingParty } from '../parties/people/relying-party.ts';
import { acceptLink, readLink } from '../parties/people/links.ts';
import { MAX_LOGIN_LENGTH, loginFrom } from '../parties/people/login.ts';
import { codeUri, newCodeSecret } from '../parties/people/one-time-code.ts';
import { hashOf } from '../parties/people/sessions.ts';
import type { SessionRow } from '../parties/people/read-sessions.ts';
import type { Sessions } from '../parties/people/sessions.ts';
import type { KnownDevice } from '../parties/people/known-devices.ts';
import { isKnownTo, knownDevice, newDeviceToken } from '../parties/people/known-devices.ts';
import { checkSignIn } from '../parties/people/sign-in.ts';
import type { Clock } from '../platform/base/clock.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Mac } from '../platform/base/mac.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Pool } from '../platform/db/pool.ts';
import { networkOf } from '../platform/http/rate-limits.ts';
import type { LinkAnswer, SessionAnswer } from './answers.ts';
import { createJsonReader } from '../platform/http/json-object.ts';
import { signedIn } from '../staff/viewer.ts';
import type { SignedIn } from '../staff/viewer.ts';
import { requireOwnPage, requireShownPerson } from './mount.ts';
import type { PersonLimits } from '../parties/people/person-limits.ts';
import { consoleCookie } from './session-cookie.ts';
import type { ConsoleCookie } from './session-cookie.ts';
import type { SessionLookUps } from '../parties/people/session-look-ups.ts';
import { recorded } from '../parties/people/attempts.ts';
import type { SignInDoor } from '../parties/people/attempts.ts';

/** A device is known for this time, or until the password changes. */
const DEVICE_SECONDS = 180 * 24 * 60 * 60;

export interface SessionOptions {
  readonly prefix: string;
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly masterKeys: MasterKeys;
  readonly sessions: Sessions;
  readonly lookUps: SessionLookUps;
  readonly cookie: ConsoleCookie;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly codesRequired: boolean;
  /** Undefined: browsers allow no passkeys at the configured public URL. */
  readonly party: RelyingParty | undefined;
  readonly limits: PersonLimits;
  /** Shared with the staff API. */
  readonly door: SignInDoor;
  /** Facts that every page of the console needs. */
  readonly about: Pick<SessionAnswer, 'environment' | 'readOnly' | 'timeZone' | 'version'>;
}

const signIn = Type.Object({
  login: Type.String({ maxLength: MAX_LOGIN_LENGTH }),
  password: Type.String({ maxLength: 1024 }),
  code: Type.Optional(Type.String({ maxLength: 16 })),
});
const link = Type.Object({ token: Type.String({ maxLength: 64 }) });
const credentials = Type.Object({
  token: Type.String({ maxLength: 64 }),
  password: Type.String({ maxLength: 1024 }),
  secret: Type.Optional(Type.String({ maxLength: 64 })),
  code: Type.Optional(Type.String({ maxLength: 16 })),
});

/** The routes for which nobody needs to be signed in: sign in, sign out, and one-time links. */
export function addSessionRoutes(app: FastifyInstance, options: SessionOptions): void {
  const { prefix, clock, cookie } = options;
  const { limit, inTurn } = options.door;
  app.get(`${prefix}/session`, async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    const viewer = await viewerOf(request, options);
    if (viewer === undefined) throw new Refusal('not_signed_in');
    requireShownPerson(request, viewer);
    options.limits.forReading(viewer);
    return answerOf(viewer, options);
  });
  app.post(`${prefix}/session/device`, async (request, reply) => {
    requireOwnPage(request);
    const session = await sessionOf(request, options);
    if (session === undefined) throw new Refusal('not_signed_in');
    options.limits.forReading(signedIn(session));
    rememberDevice(request, reply, { ...options, owner: session });
    return await reply.code(204).send();
  });
  app.post(`${prefix}/session`, async (request, reply) => {
    const given = bodyOf(signIn, request);
    const login = loginFrom(given.login);
    const device = deviceOf(request, login, options);
    limit(request, device);
    const from = { network: networkOf(request.ip), device };
    const entry = { action: 'session.start', login };
    const personId = await inTurn(request, () =>
      recorded(request, { ...options, channel: 'console' }, entry, () =>
        checkSignIn(options, { ...given, code: given.code, from }, clock.now()),
      ),
    );
    return await start(request, reply, { ...options, personId });
  });
  app.delete(`${prefix}/session`, async (request, reply) => {
    requireOwnPage(request);
    const viewer = await viewerOf(request, options);
    if (viewer !== undefined) await options.sessions.end(cookie.valueOf(request));
    const attributes = cookie.optionsFor(request);
    return await reply.clearCookie(cookie.nameFor(request), attributes).code(204).send();
  });
  addLinkRoutes(app, options);
}

/** One-time links. */
function addLinkRoutes(app: FastifyInstance, options: SessionOptions): void {
  const { prefix, clock } = options;
  const { limit, inTurn } = options.door;
  app.post(`${prefix}/links/read`, async (request): Promise<LinkAnswer> => {
    limit(request);
    const found = await readLink(options, bodyOf(link, request).token, clock.now());
    const secret = newCodeSecret();
    return {
      login: found.login,
      name: found.name,
      codesRequired: options.codesRequired,
      secret,
      secretUri: codeUri(secret, found.login),
    };
  });
  app.post(`${prefix}/links/use`, async (request, reply) => {
    limit(request);
    const { token, password, secret, code } = bodyOf(credentials, request);
    const codes = secret === undefined || code === undefined ? undefined : { secret, code };
    const personId = await inTurn(request, async () => {
      const { login } = await readLink(options, token, clock.now());
      return await recorded(
        request,
        { ...options, channel: 'console' },
        { action: 'link.use', login },
        () => acceptLink(options, { token, password, codes }, clock.now()),
      );
    });
    return await start(request, reply, { ...options, personId });
  });
}

function bodyOf<Schema extends TObject>(schema: Schema, request: FastifyRequest): Static<Schema> {
  requireOwnPage(request);
  const { headers, body } = request;
  return createJsonReader(schema)(headers['content-type'], body as Buffer | undefined);
}

export async function start(
  request: FastifyRequest,
  reply: FastifyReply,
  options: SessionOptions & { readonly personId: string },
): Promise<FastifyReply> {
  const { sessions, lookUps, cookie, personId } = options;
  // Ends the browser's earlier session, so that its token becomes useless.
  await sessions.end(cookie.valueOf(request));
  const browser = request.headers['user-agent'] ?? '';
  const { token, expiresAt } = await sessions.start({ personId, address: request.ip, browser });
  const viewer = await lookUps.findNew(token);
  if (viewer === undefined) throw new Refusal('sign_in_failed');
  return await reply
    .header('cache-control', 'no-store')
    .setCookie(cookie.nameFor(request), token, {
      ...cookie.optionsFor(request),
      expires: expiresAt,
    })
    .send(answerOf(signedIn(viewer), options));
}

/**
 * What makes a device known: guesses of strangers at a login do not slow down its owner there. One cookie for each
 * login, because several people may use a browser.
 */
function deviceCookie(login: string, { publicUrl }: SessionOptions): ConsoleCookie {
  return consoleCookie(`malipo-device-${hashOf(login).toString('hex', 0, 6)}`, publicUrl);
}

function deviceOf(
  request: FastifyRequest,
  login: string,
  options: SessionOptions,
): KnownDevice | undefined {
  const token = deviceCookie(login, options).valueOf(request);
  return knownDevice(token, login, options.masterKeys);
}

/** The page asks for it after each sign-in. */
function rememberDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  { owner, ...options }: SessionOptions & { readonly owner: SessionRow },
): void {
  const known = deviceOf(request, owner.login, options);
  if (known !== undefined && isKnownTo(known, owner)) return;
  const cookie = deviceCookie(owner.login, options);
  const token = newDeviceToken(owner, options.masterKeys);
  void reply.setCookie(cookie.nameFor(request), token, {
    ...cookie.optionsFor(request),
    maxAge: DEVICE_SECONDS,
  });
}

async function sessionOf(
  request: FastifyRequest,
  { lookUps, cookie }: Pick<SessionOptions, 'lookUps' | 'cookie'>,
): Promise<SessionRow | undefined> {
  return await lookUps.find(cookie.valueOf(request), request);
}

/** Who is signed in, by the cookie. */
export async function viewerOf(
  request: FastifyRequest,
  options: Pick<SessionOptions, 'lookUps' | 'cookie'>,
): Promise<SignedIn | undefined> {
  const session = await sessionOf(request, options);
  return session === undefined ? undefined : signedIn(session);
}

/** Resolves to true while the session of the cookie exists. */
export async function isSignedIn(
  request: FastifyRequest,
  { sessions, cookie }: Pick<SessionOptions, 'sessions' | 'cookie'>,
): Promise<boolean> {
  return await sessions.goesOn(cookie.valueOf(request));
}

function answerOf(viewer: SignedIn, { about }: SessionOptions): SessionAnswer {
  const { login, name, role, vendor, isConfirmed, permissions } = viewer;
  return {
    person: { login, name, role, vid: vendor?.vid ?? null, isConfirmed },
    permissions: [...permissions],
    ...about,
  };
}
