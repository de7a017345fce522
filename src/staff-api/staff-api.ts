import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createSessionLookUps } from '../parties/people/session-look-ups.ts';
import { createPersonLimits } from '../parties/people/person-limits.ts';
import { createTokens } from '../parties/people/tokens.ts';
import { Refusal } from '../platform/base/errors.ts';
import { once } from '../platform/http/once.ts';
import { countsAsChange, httpRoutesOf } from '../staff/http.ts';
import type { HttpRoute } from '../staff/http.ts';
import { propertiesOf } from '../staff/definition.ts';
import type { Noun } from '../staff/definition.ts';
import type { StaffDeps } from '../staff/deps.ts';
import { mountHttp } from '../staff/mount-http.ts';
import type { Admitted } from '../staff/mount-http.ts';
import { isForPages } from '../staff/viewer.ts';
import { callerOf } from './callers.ts';
import type { Caller, CallerDeps } from './callers.ts';
import type { StaffApiOptions } from './options.ts';
import { staffDocument } from './openapi.ts';
import { staffCollection } from './postman.ts';
import { addSessionRoutes } from './session-routes.ts';

export const STAFF_API = '/admin/v1';

/** The definitions of `src/staff` for programs and remote commands, with a token in each request. */
export function addStaffApi(app: FastifyInstance, given: StaffApiOptions): void {
  const options = { ...given, nouns: nounsOfStaff(given) };
  const { deps, nouns, environment, sessions, lookUps } = options;
  const { pool, clock } = deps;
  const tokens = createTokens({ ...options, pool, clock, isSandbox: environment === 'sandbox' });
  const tokenLookUps = createSessionLookUps(tokens);
  const limits = createPersonLimits(options);
  const callers: CallerDeps = { lookUps, tokens, tokenLookUps, limits };
  const definitions = nouns.flatMap((noun) => noun.definitions);
  const isGet = { exposeHeadRoute: false };
  app.get(`${STAFF_API}/openapi.json`, isGet, () => staffDocument(options));
  app.get(`${STAFF_API}/postman.json`, isGet, () => staffCollection(options));
  addSessionRoutes(app, { ...options, sessions, callers, prefix: STAFF_API });
  mountHttp<Caller>(app, httpRoutesOf(definitions), {
    ...{
      prefix: STAFF_API,
      channel: 'api',
      deps,
      cursors: given.cursors,
      readOnly: given.readOnly,
    },
    admit: async (request, route) => await admit(request, route, callers),
    viewerOf: ({ viewer }) => viewer,
    senderOf: ({ viewer, id }) => ({ personId: viewer.personId ?? id, vendor: undefined }),
    around: async (of, work) => {
      void of.reply.header('malipo-time-zone', given.timeZone);
      return await onceUnderKey(of, { pool, clock }, work);
    },
  });
  // An unknown path tells nobody whether it exists.
  app.all(`${STAFF_API}/*`, async (request) => {
    const { id } = await callerOf(request, callers);
    limits.forReading({ personId: id, vendor: undefined });
    throw new Refusal('unknown_path');
  });
}

/** Definitions that no caller may use are left out. */
function nounsOfStaff({ nouns }: StaffApiOptions): Noun[] {
  return nouns
    .map((noun) => {
      const definitions = noun.definitions.filter((of) => !isForPages(of));
      return { ...noun, definitions };
    })
    .filter(({ definitions }) => definitions.length > 0);
}

/** Throws: `not_signed_in`, `too_many_requests`, `not_permitted`. */
async function admit(
  request: FastifyRequest,
  route: HttpRoute,
  callers: CallerDeps,
): Promise<Caller> {
  const caller = await callerOf(request, callers);
  const sender = { personId: caller.id, vendor: undefined };
  if (countsAsChange(route)) callers.limits.forChange(sender);
  else callers.limits.forReading(sender);
  const { permissions, token } = caller.viewer;
  const { permission } = route.of;
  if (permissions.has(permission)) return caller;
  const whose = token === null ? 'your role' : `the token ${token}`;
  throw new Refusal('not_permitted', {
    text: `This needs the permission ${permission}, which ${whose} does not have`,
  });
}

/** An action with a key is carried out once. */
async function onceUnderKey<Found extends object>(
  { route, asked, caller, request, reply }: Admitted<Caller>,
  { pool, clock }: Pick<StaffDeps, 'pool' | 'clock'>,
  work: () => Promise<Found>,
): Promise<Found> {
  const key = request.headers['idempotency-key'];
  const { of } = route;
  if (typeof key !== 'string' || of.kind !== 'action') return await work();
  const { params, query, body } = asked;
  const onReplay = (): void => void reply.header('idempotency-replayed', 'true');
  // A file is known by its bytes.
  const sent = Buffer.isBuffer(body) ? body.toString('base64') : body;
  const kept = {
    caller: caller.id,
    key,
    input: { params, query, body: sent },
    at: clock.now(),
    onReplay,
  };
  const hasSecret = propertiesOf(of.output).some(([, { secret }]) => secret === true);
  return (await once(pool, { ...of, hasSecret }, kept, work)) as Found;
}
