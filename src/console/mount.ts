import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PersonLimits } from '../parties/people/person-limits.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Definition } from '../staff/definition.ts';
import { countsAsChange, httpRoutesOf } from '../staff/http.ts';
import type { HttpRoute } from '../staff/http.ts';
import { mountHttp } from '../staff/mount-http.ts';
import type { Surface } from '../staff/mount-http.ts';
import type { SignedIn } from '../staff/viewer.ts';
import { createLiveAnswers } from './live.ts';

export interface MountOptions extends Pick<
  Surface<SignedIn>,
  'prefix' | 'deps' | 'cursors' | 'readOnly'
> {
  /** Who is signed in, by the request's cookie. Undefined: nobody. */
  readonly viewerOf: (request: FastifyRequest) => Promise<SignedIn | undefined>;
  /** Resolves to true while the session exists. The check does not count as use. */
  readonly isSignedIn: (request: FastifyRequest) => Promise<boolean>;
  readonly limits: PersonLimits;
}

/**
 * The definitions of `src/staff` for pages. Each request comes from our own page → somebody is signed in → not too many
 * requests → the role may do this.
 */
export function mountDefinitions(
  app: FastifyInstance,
  definitions: readonly Definition[],
  options: MountOptions,
): void {
  const { prefix, deps, cursors, readOnly } = options;
  const sendLive = createLiveAnswers(app, options);
  mountHttp<SignedIn>(app, httpRoutesOf(definitions), {
    ...{ prefix, deps, cursors, readOnly, channel: 'console' },
    admit: async (request, route) => await admit(request, route, options),
    viewerOf: (viewer) => viewer,
    senderOf: (viewer) => viewer,
    sendLive: (live, { request, reply, caller }) => sendLive(live, request, reply, caller),
  });
  // An unknown path of the API is not a page.
  app.all(`${prefix}/*`, async (request) => {
    requireOwnPage(request);
    const viewer = await options.viewerOf(request);
    if (viewer === undefined) throw new Refusal('not_signed_in');
    options.limits.forReading(viewer);
    throw new Refusal('not_found');
  });
}

/** Throws: `not_signed_in`, `too_many_requests`, `not_permitted`, `not_confirmed`. */
async function admit(
  request: FastifyRequest,
  route: HttpRoute,
  options: MountOptions,
): Promise<SignedIn> {
  requireOwnPage(request);
  const viewer = await options.viewerOf(request);
  if (viewer === undefined) throw new Refusal('not_signed_in');
  requireShownPerson(request, viewer);
  // Before everything else, so that refused requests count as well.
  if (countsAsChange(route)) options.limits.forChange(viewer);
  else if (route.of.kind !== 'stream') options.limits.forReading(viewer);
  // Somebody else may have used the person's link: what the role may see, such as personal data, is not for them.
  if (!viewer.isConfirmed) throw new Refusal('not_confirmed');
  if (!viewer.permissions.has(route.of.permission)) throw new Refusal('not_permitted');
  return viewer;
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
export function requireShownPerson(
  request: FastifyRequest,
  { login }: Pick<SignedIn, 'login'>,
): void {
  const shown = request.headers['x-malipo-person'];
  if (shown === undefined || shown === login) return;
  throw new Refusal('not_signed_in', {
    text: 'Somebody else has signed in in another tab of this browser',
  });
}
