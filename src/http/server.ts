import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import helmet from '@fastify/helmet';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Refusal } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { asRefusal, refusalBody } from './errors.ts';
import { addOpenApi } from './openapi.ts';

export interface ServerOptions {
  readonly log: Logger;
  /** Told of every answer, for metrics. */
  readonly onAnswer?: (answer: Answer) => void;
}

export interface Answer {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

/** How long a client may take to send a request. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Keep-alive connections that are idle longer are closed. */
const KEEP_ALIVE_MS = 65_000;

/** The HTTP server without routes: limits, refusals, logs, and what OpenAPI is generated from. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    logger: false,
    bodyLimit: LIMITS.bodyBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    genReqId: () => randomUUID(),
    // A wrong path says so, whatever its characters.
    frameworkErrors: (error, request, reply) => {
      void sendRefusal(asRefusal(error), request, reply, options.log);
    },
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket),
    // Node would refuse it without a body; `requireHost` does it with ours.
    http: { requireHostHeader: false },
    return503OnClosing: true,
    forceCloseConnections: 'idle',
  });
  readBodiesAsBytes(app);
  await app.register(helmet, {
    // The reference page needs its own script and styles, inline.
    contentSecurityPolicy: {
      directives: {
        defaultSrc: [`'self'`],
        scriptSrc: [`'self'`, `'unsafe-inline'`],
        styleSrc: [`'self'`, `'unsafe-inline'`],
        imgSrc: [`'self'`, 'data:'],
        fontSrc: [`'self'`, 'data:'],
        upgradeInsecureRequests: null,
      },
    },
    strictTransportSecurity: false,
  });
  await addOpenApi(app);
  answerErrors(app, options.log);
  requireHost(app);
  reportAnswers(app, options);
  return app;
}

/** What Node's HTTP parser cannot read, or waited too long for, has no request to answer to. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'payload_too_large' : 'malformed_request';
  const refusal = new Refusal(code, {
    text: 'The request is not valid HTTP, or did not arrive in time',
  });
  const body = JSON.stringify(refusalBody(refusal, { requestId: randomUUID(), atTopLevel: false }));
  socket.end(
    `HTTP/1.1 ${refusal.status} Refused\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** HTTP/1.1 without Host is refused (RFC 9112 §3.2); an unknown expectation is ignored (RFC 9110 §10.1.1). */
function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isMissing = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    done(
      isMissing
        ? new Refusal('malformed_request', { text: 'The Host header is missing' })
        : undefined,
    );
  });
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
}

/** Signatures are over what was sent, so bodies stay bytes until an operation reads them. */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error, request, reply) =>
    sendRefusal(asRefusal(error), request, reply, log),
  );
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const methods = methodsByPath.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsByPath.set(route.url, methods);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = methodsByPath.get(path);
    if (methods === undefined || methods.has(request.method)) {
      return sendRefusal(new Refusal('unknown_path'), request, reply, log);
    }
    void reply.header('allow', [...methods].join(', '));
    return sendRefusal(new Refusal('method_not_allowed'), request, reply, log);
  });
}

function sendRefusal(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): FastifyReply {
  if (refusal.status >= 500) {
    log.error(
      { request_id: request.id, code: refusal.code, err: refusal.cause },
      'a request could not be served',
    );
  }
  if (refusal.retryAfterSeconds !== undefined) {
    void reply.header('retry-after', String(refusal.retryAfterSeconds));
  }
  return reply
    .code(refusal.status)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(
      refusalBody(refusal, {
        requestId: request.id,
        atTopLevel: request.routeOptions.config.refusesAtTopLevel ?? false,
        bureauCode: request.routeOptions.config.bureauCodeOf?.(refusal),
      }),
    );
}

/** One line per request, without anything it carried: no query, no body, no header. */
function reportAnswers(app: FastifyInstance, options: ServerOptions): void {
  const logged = options.log.isLevelEnabled('info');
  app.addHook('onResponse', (request, reply, done) => {
    const answer = {
      route: request.routeOptions.url ?? 'unknown',
      method: request.method,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    };
    options.onAnswer?.(answer);
    if (logged) options.log.info({ request_id: request.id, ...answer }, 'request');
    done();
  });
}
