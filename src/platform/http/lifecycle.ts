import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its headers had arrived, by `performance.now()`. */
    receivedAtMs: number;
    /** True once the response was sent or the connection has ended. */
    isClosed: boolean;
    /**
     * Config of the route; without `url` if no route matches. Kept, because Fastify builds
     * `routeOptions` anew each time.
     */
    routeConfig: FastifyRequest['routeOptions']['config'];
  }
}

type Closing = (request: FastifyRequest, reply: FastifyReply) => void;
export type AtClosing = (closing: Closing) => void;

/**
 * Notes what other hooks need to know of each request. The returned function adds what is done once for each
 * request, when its answer was sent or its connection has ended. All share one listener, because each one
 * costs more than most hooks.
 */
export function followRequests(app: FastifyInstance): AtClosing {
  const closings: Closing[] = [];
  app.decorateRequest('receivedAtMs', 0);
  app.decorateRequest('isClosed', false);
  app.decorateRequest('routeConfig');
  app.addHook('onRequest', (request, reply, done) => {
    request.receivedAtMs = performance.now();
    request.routeConfig = request.routeOptions.config;
    reply.raw.on('close', () => {
      // Reported twice of an answer that waits for earlier ones (pipelining.ts).
      if (request.isClosed) return;
      request.isClosed = true;
      for (const closing of closings) closing(request, reply);
    });
    done();
  });
  return (closing) => {
    closings.push(closing);
  };
}
