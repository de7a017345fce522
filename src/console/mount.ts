import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Clock } from '../platform/base/clock.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Pool } from '../platform/db/pool.ts';
import { refusePlainErrors } from '../platform/http/errors.ts';
import { createProblemFinder, readJsonBody } from '../platform/http/json-object.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import { createFileUploads } from '../platform/http/file-uploads.ts';
import { NotedFile } from '../staff/http.ts';
import { storable } from '../staff/read-input.ts';
import { sealedCursors } from '../staff/sealed-cursors.ts';
import type { Asked } from '../staff/sealed-cursors.ts';
import { audited } from './audited.ts';
import { isAllowed } from '../parties/people/permissions.ts';
import type { PersonLimits } from '../parties/people/person-limits.ts';
import { createLiveAnswers } from './live.ts';
import { Live } from './route.ts';
import type { AnyRoute, RouteContext, Viewer } from './route.ts';

export interface MountOptions {
  /** Such as `/console/api`. */
  readonly prefix: string;
  readonly pool: Pool;
  readonly clock: Clock;
  /** Who is signed in, by the request's cookie. Undefined: nobody. */
  readonly viewerOf: (request: FastifyRequest) => Promise<Viewer | undefined>;
  /** Resolves to true while the session exists. The check does not count as use. */
  readonly isSignedIn: (request: FastifyRequest) => Promise<boolean>;
  readonly limits: PersonLimits;
  readonly cursors: Cursors;
  /** True: nothing is changed through the console. */
  readonly readOnly: boolean;
}

/**
 * Adds the routes. Each request passes the same steps: it comes from our own page → somebody is
 * signed in → not too many requests → the role may do this → the parameters are valid → it is noted in the audit log, if it
 * changes something or shows what the log has to keep → handle. A body with a file is only read after
 * the role was checked.
 */
export function mountRoutes(
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  options: MountOptions,
): void {
  const sendLive = createLiveAnswers(app, options);
  const fileUpload = createFileUploads((viewer: Viewer) => viewer);
  for (const route of routes) {
    const handle = createHandler(route, options);
    const { bodyBytes } = route;
    const admitted = async (request: FastifyRequest) => await admit(request, route, options);
    const upload = bodyBytes === undefined ? undefined : fileUpload(bodyBytes, admitted);
    app.route({
      method: route.method,
      url: `${options.prefix}${route.path}`,
      // No page sends HEAD, and each route takes a start 0.2 ms.
      exposeHeadRoute: false,
      ...upload?.hooks,
      handler: async (request, reply) => {
        void reply.header('cache-control', 'no-store');
        const work = async (viewer: Viewer): Promise<Handled> => await handle(request, viewer);
        const handled =
          upload === undefined
            ? await work(await admitted(request))
            : await upload.run(request, work);
        return reply.sent ? reply : await send(request, reply, handled, sendLive);
      },
    });
  }
  // An unknown path of the API is not a page.
  app.all(`${options.prefix}/*`, async (request) => {
    requireOwnPage(request);
    const viewer = await options.viewerOf(request);
    if (viewer === undefined) throw new Refusal('not_signed_in');
    options.limits.forReading(viewer);
    throw new Refusal('not_found');
  });
}

interface Handled {
  readonly viewer: Viewer;
  readonly answer: unknown;
}

function createHandler(
  route: AnyRoute,
  options: MountOptions,
): (request: FastifyRequest, viewer: Viewer) => Promise<Handled> {
  if (route.isDefined === true) {
    return async (request, viewer) => {
      const input = askedBy(request, route) as Input;
      return { viewer, answer: await route.handle(input, contextOf(request, viewer), request) };
    };
  }
  const read = createInputReader(route);
  const pages = sealedCursors(route, options.cursors);
  const { action } = route;
  return async (request, viewer) => {
    const asked = askedBy(request, route);
    const input = read(pages?.open(asked, viewer) ?? asked);
    const handle = async (): Promise<unknown> =>
      await refusePlainErrors(() => route.handle(input, contextOf(request, viewer), request));
    const answer =
      action === undefined
        ? await handle()
        : await audited({ request, viewer, action, input }, options, handle);
    return { viewer, answer: pages?.seal(answer, asked, viewer) ?? answer };
  };
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { viewer, answer }: Handled,
  sendLive: ReturnType<typeof createLiveAnswers>,
): Promise<FastifyReply> {
  if (answer instanceof Live) return sendLive(answer, request, reply, viewer);
  if (!(answer instanceof NotedFile)) {
    return answer === undefined ? reply.code(204).send() : reply.send(answer);
  }
  const { name, type, body } = answer.file;
  void reply.header('content-disposition', `attachment; filename="${name}"`).type(type);
  return reply.send(body);
}

/**
 * Throws: `not_signed_in`, `too_many_requests`, `not_permitted`, `not_found`, `console_read_only`,
 * `not_confirmed`.
 */
async function admit(
  request: FastifyRequest,
  route: AnyRoute,
  options: MountOptions,
): Promise<Viewer> {
  requireOwnPage(request);
  const viewer = await options.viewerOf(request);
  if (viewer === undefined) throw new Refusal('not_signed_in');
  requireShownPerson(request, viewer);
  // Before everything else, so that refused requests count as well.
  const isChange = route.action !== undefined || route.countsAsChange === true;
  if (isChange) options.limits.forChange(viewer);
  else if (route.isLive !== true) options.limits.forReading(viewer);
  // Somebody else may have used the person's link: what the role may see, such as personal data, is not for them.
  if (!viewer.isConfirmed) throw new Refusal('not_confirmed');
  if (!isAllowed(viewer.role, route.permission)) throw new Refusal('not_permitted');
  requireOwnVendor(viewer, request.params as object);
  if (route.action === undefined) return viewer;
  if (options.readOnly) throw new Refusal('console_read_only');
  return viewer;
}

/**
 * A route that names a vendor in its path is for staff and for this vendor's people. For them,
 * another vendor does not exist. Throws: `not_found`.
 */
function requireOwnVendor({ vendor }: Viewer, params: object): void {
  const { vid } = params as { readonly vid?: string };
  if (vid === undefined || vendor === undefined || vendor.vid === vid) return;
  throw new Refusal('not_found', { text: 'Unknown vendor' });
}

function contextOf(request: FastifyRequest, viewer: Viewer): RouteContext {
  const isClosed = (): boolean => request.isClosed;
  return { viewer, address: request.ip, requestId: request.id, isClosed };
}

/**
 * A page of another site can make a browser send a request with our cookie, but not with this
 * header; and browsers say where a request comes from (Fetch Metadata).
 */
export function requireOwnPage(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  // `none`: typed into the address bar, such as the download of an export.
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isOwn && (isReading || request.headers['x-malipo-console'] === '1')) return;
  throw new Refusal('not_permitted', { text: 'The request does not come from the console' });
}

/**
 * A browser has one session. If somebody else signs in in another tab, a page that shows the former person
 * must not act for the new one. Throws: `not_signed_in`.
 */
export function requireShownPerson(request: FastifyRequest, { login }: Viewer): void {
  const shown = request.headers['x-malipo-person'];
  if (shown === undefined || shown === login) return;
  throw new Refusal('not_signed_in', {
    text: 'Somebody else has signed in in another tab of this browser',
  });
}

/** Throws: `malformed_request`, `ambiguous_request`. */
export function jsonOf(request: FastifyRequest): unknown {
  const body = request.body as Buffer | undefined;
  if (body === undefined || body.length === 0) return {};
  return readJsonBody(body, 'The body is not valid JSON');
}

type Input = Parameters<AnyRoute['handle']>[0];

function askedBy(request: FastifyRequest, route: AnyRoute): Asked {
  const { params, query } = request;
  return { params, query, body: route.body === undefined ? {} : jsonOf(request) };
}

function createInputReader(route: AnyRoute): (asked: Asked) => Input {
  const params = createReader(route.params, 'params');
  const query = createReader(route.query, 'query');
  const body = createReader(route.body, 'body');
  return (asked) => ({
    params: params(asked.params),
    query: query(asked.query),
    body: body(asked.body),
  });
}

/** Throws: `invalid_field`, naming the first field at fault. */
export function createReader(
  schema: TSchema | undefined,
  part: 'params' | 'query' | 'body',
): (value: unknown) => Record<string, unknown> {
  if (schema === undefined) return () => ({});
  const problemOf = createProblemFinder(schema);
  return (value) => {
    const problem = problemOf(value);
    if (problem === undefined) return storable(value as Record<string, unknown>);
    const { field, text } = problem;
    throw new Refusal('invalid_field', {
      ...(field === undefined ? {} : { field }),
      text: `${field ?? `The ${part}`} ${text}`,
    });
  };
}
