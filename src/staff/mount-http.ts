import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Cursors } from '../platform/http/cursors.ts';
import { createFileUploads } from '../platform/http/file-uploads.ts';
import { readJsonBody } from '../platform/http/json-object.ts';
import { answerOf, NotedFile, partsOf, Streamed } from './http.ts';
import type { HttpRoute } from './http.ts';
import type { LiveAnswer } from './forms.ts';
import type { By } from './perform.ts';
import type { Asked } from '../platform/http/sealed-cursors.ts';

type Found = Awaited<ReturnType<typeof answerOf>>;

/** A request of somebody who may send it. */
export interface Admitted<Caller> {
  readonly route: HttpRoute;
  readonly asked: Asked;
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** An API that has definitions: whose requests it takes, and what it adds to the answers. */
export interface Surface<Caller> extends Pick<By, 'channel' | 'deps'> {
  /** True: nothing is changed. */
  readonly readOnly: boolean;
  /** Such as `/admin/v1`. */
  readonly prefix: string;
  readonly cursors: Cursors;
  /** Who sends a request, before any byte of a body is read. Throws whatever refuses it. */
  readonly admit: (request: FastifyRequest, route: HttpRoute) => Promise<Caller>;
  readonly viewerOf: (caller: Caller) => By['viewer'];
  /** By whom the places for files are taken. */
  readonly senderOf: Parameters<typeof createFileUploads<Caller>>[0];
  readonly around?: (of: Admitted<Caller>, work: () => Promise<Found>) => Promise<Found>;
  readonly sendLive?: (live: LiveAnswer, of: Admitted<Caller>) => FastifyReply;
}

/** Adds the routes. Each request passes the same steps: it is admitted → its body is read → `perform`. */
export function mountHttp<Caller>(
  app: FastifyInstance,
  routes: readonly HttpRoute[],
  surface: Surface<Caller>,
): void {
  const fileUpload = createFileUploads(surface.senderOf);
  for (const route of routes) {
    const { of, method, path } = route;
    const admitted = new WeakMap<FastifyRequest, Caller>();
    const admit = async (request: FastifyRequest) => await surface.admit(request, route);
    const upload = of.file === undefined ? undefined : fileUpload(of.file.maxBytes, admit);
    app.route({
      method,
      url: surface.prefix + path,
      // Nobody sends HEAD, and each route takes a start 0.2 ms.
      exposeHeadRoute: false,
      onRequest: async (request) => void admitted.set(request, await admit(request)),
      ...upload?.hooks,
      handler: async (request, reply) => {
        void reply.header('cache-control', 'no-store');
        const work = async (caller = admitted.get(request)): Promise<FastifyReply> => {
          if (caller === undefined) throw new Error('the request was not admitted');
          const asked = askedBy(request, route);
          return await answer({ route, asked, caller, request, reply }, surface);
        };
        return await (upload === undefined ? work() : upload.run(request, work));
      },
    });
  }
}

/** Throws: `malformed_request`, `ambiguous_request`. */
function askedBy({ params, query, body }: FastifyRequest, { of }: HttpRoute): Asked {
  if (of.file !== undefined) return { params, query, body };
  const isEmpty = partsOf(of).body === undefined || !Buffer.isBuffer(body) || body.length === 0;
  const read = isEmpty ? {} : readJsonBody(body, 'The body is not one JSON object');
  return { params, query, body: read };
}

async function answer<Caller>(
  of: Admitted<Caller>,
  surface: Surface<Caller>,
): Promise<FastifyReply> {
  const { route, asked, caller, request, reply } = of;
  const { channel, deps, readOnly, cursors, around } = surface;
  const by: By = {
    ...{ viewer: surface.viewerOf(caller), deps, channel, readOnly },
    ...{ address: request.ip, requestId: request.id, isClosed: () => request.isClosed },
  };
  const work = async () => await answerOf(route, asked, by, cursors);
  const found = await (around === undefined ? work() : around(of, work));
  if (reply.sent) return reply;
  if (found instanceof Streamed) {
    if (surface.sendLive === undefined) throw new Error('a stream is for pages only');
    return surface.sendLive(found.live, of);
  }
  if (!(found instanceof NotedFile)) return reply.send(found);
  const { name, type, body, hasFailed } = found.file;
  if (hasFailed === true) void reply.header('malipo-check', 'failed');
  const disposition = `attachment; filename="${name}"`;
  return reply.header('content-disposition', disposition).type(type).send(body);
}
