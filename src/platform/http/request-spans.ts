import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, startRequestSpan } from '../base/tracing.ts';
import type { RequestSpan } from '../base/tracing.ts';

/** A span for each request, with what its log line has; nothing that the client sent. */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { url: route = 'unknown', config } = request.routeOptions;
    if ('alwaysServed' in config) {
      done();
      return;
    }
    const { method } = request;
    const attributes = { 'http.request.method': method, 'http.route': route };
    const { headers } = request;
    const span = startRequestSpan(`${method} ${route}`, { headers, attributes });
    if (span !== undefined) spans.set(request, span);
    done();
  });
  // Reading a body leaves the span, so it is entered after that.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.enter(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const fields = Object.entries(request.logFields ?? {});
    const attributes = Object.fromEntries(
      [...fields, ['request_id', request.id]].map(([name, value]) => [`malipo.${name}`, value]),
    ) as Record<string, string>;
    spans.get(request)?.end(reply.statusCode, attributes);
    done();
  });
}
