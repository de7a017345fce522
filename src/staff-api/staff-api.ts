import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createSessionLookUps } from '../parties/people/session-look-ups.ts';
import { createPersonLimits } from '../parties/people/person-limits.ts';
import { createTokens } from '../parties/people/tokens.ts';
import { Refusal } from '../platform/base/errors.ts';
import { createFileUploads } from '../platform/http/file-uploads.ts';
import { readJsonBody } from '../platform/http/json-object.ts';
import { answerOf, countsAsChange, httpRoutesOf, NotedFile, Streamed } from '../staff/http.ts';
import type { HttpRoute } from '../staff/http.ts';
import type { Noun } from '../staff/definition.ts';
import { once } from '../staff/once.ts';
import type { By } from '../staff/perform.ts';
import { isVendorsOnly } from '../staff/viewer.ts';
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
  const callers: CallerDeps = { lookUps, tokenLookUps, limits };
  const definitions = nouns.flatMap((noun) => noun.definitions);
  const isGet = { exposeHeadRoute: false };
  app.get(`${STAFF_API}/openapi.json`, isGet, () => staffDocument(options));
  app.get(`${STAFF_API}/postman.json`, isGet, () => staffCollection(options));
  addSessionRoutes(app, { ...options, sessions, callers, prefix: STAFF_API });
  const fileUpload = createFileUploads(({ viewer, id }: Caller) => ({
    ...{ personId: viewer.personId ?? id, vendor: undefined },
  }));
  for (const route of httpRoutesOf(definitions)) {
    addRoute(app, route, { options, callers, fileUpload });
  }
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
      const definitions = noun.definitions.filter((of) => !isVendorsOnly(of));
      return { ...noun, definitions };
    })
    .filter(({ definitions }) => definitions.length > 0);
}

function addRoute(
  app: FastifyInstance,
  route: HttpRoute,
  {
    options,
    callers,
    fileUpload,
  }: {
    readonly options: StaffApiOptions;
    readonly callers: CallerDeps;
    readonly fileUpload: ReturnType<typeof createFileUploads<Caller>>;
  },
): void {
  const { of, method, path } = route;
  if (of.kind === 'stream') return;
  const { file: sent } = of;
  const admitted = new WeakMap<FastifyRequest, Caller>();
  const admitting = async (request: FastifyRequest) => await admit(request, route, callers);
  const upload = sent === undefined ? undefined : fileUpload(sent.maxBytes, admitting);
  app.route({
    method,
    url: STAFF_API + path,
    exposeHeadRoute: false,
    // Before any byte of a body is read.
    onRequest: async (request) => void admitted.set(request, await admitting(request)),
    ...upload?.hooks,
    handler: async (request, reply) => {
      void reply.header('cache-control', 'no-store').header('malipo-time-zone', options.timeZone);
      const work = async (caller = admitted.get(request)): Promise<Found> => {
        if (caller === undefined) throw new Error('the request was not admitted');
        const body = sent === undefined ? bodyOf(request) : request.body;
        const asked = { params: request.params, query: request.query, body };
        return await answer(route, asked, { request, reply, caller, options });
      };
      return await send(reply, await (upload === undefined ? work() : upload.run(request, work)));
    },
  });
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
  if (!caller.viewer.permissions.has(route.of.permission)) throw new Refusal('not_permitted');
  return caller;
}

/** Throws: `malformed_request`, `ambiguous_request`. */
function bodyOf({ body }: FastifyRequest): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  return readJsonBody(body, 'The body is not one JSON object');
}

type Found = Awaited<ReturnType<typeof answerOf>>;

async function answer(
  route: HttpRoute,
  asked: Parameters<typeof answerOf>[1],
  of: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly caller: Caller;
    readonly options: StaffApiOptions;
  },
): Promise<Found> {
  const { request, reply, caller, options } = of;
  const by: By = {
    ...{ viewer: caller.viewer, deps: options.deps, channel: 'api', address: request.ip },
    ...{ requestId: request.id, isClosed: () => request.isClosed, readOnly: options.readOnly },
  };
  const work = async () => await answerOf(route, asked, by, options.cursors);
  const key = request.headers['idempotency-key'];
  if (typeof key === 'string' && route.of.kind === 'action') {
    const { pool, clock } = options.deps;
    // A file is known by its bytes.
    const input = Buffer.isBuffer(asked.body)
      ? { ...asked, body: asked.body.toString('base64') }
      : asked;
    const kept = { caller: caller.id, key, input, at: clock.now() };
    const { answer: done, isReplayed } = await once(pool, route.of, kept, work);
    if (isReplayed) void reply.header('idempotency-replayed', 'true');
    return done as Found;
  }
  return await work();
}

async function send(reply: FastifyReply, found: Found): Promise<unknown> {
  if (found instanceof Streamed) throw new Error('a stream is for pages only');
  if (!(found instanceof NotedFile)) return await reply.send(found);
  const { name, type, body, hasFailed } = found.file;
  if (hasFailed === true) void reply.header('malipo-check', 'failed');
  const disposition = `attachment; filename="${name}"`;
  return await reply.header('content-disposition', disposition).type(type).send(body);
}
