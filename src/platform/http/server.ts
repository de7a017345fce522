import { randomUUID } from 'node:crypto';
import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import fastify from 'fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Refusal } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { PoolEndedError } from '../db/pool.ts';
import { limitConnections, limitRequests, uncountedAddresses } from './admission.ts';
import type { AdmissionLimits } from './admission.ts';
import { removePortsOfClients } from './client-address.ts';
import { asRefusal, refusalBody } from './errors.ts';
import type { RefusalForm } from './operation.ts';
import { followRequests } from './lifecycle.ts';
import { limitPipelining } from './pipelining.ts';
import { noteForLog, noteReference, reportAnswers } from './request-log.ts';
import type { Answer } from './request-log.ts';
import { traceRequests } from './request-spans.ts';
import { endConnectionsAtStop } from './stopping.ts';
import { handleTogether } from './together.ts';

export interface ServerOptions {
  readonly log: Logger;
  /** Called for every response, for metrics. */
  readonly onAnswer?: (answer: Answer) => void;
  /** Addresses and networks of proxies, whose X-Forwarded-For names the client. */
  readonly trustedProxies?: readonly string[];
  /** Default: `SERVER_LIMITS`. */
  readonly limits?: Partial<ServerLimits>;
  /** Chooses the format of a refusal by its path, also where no route matches. Default: the usual one. */
  readonly refusalFormOf?: (path: string) => RefusalForm | undefined;
}

/** Protects the process against many or slow clients. */
export interface ServerLimits extends AdmissionLimits {
  /** A client that takes longer to send a request's headers is disconnected. */
  readonly headersTimeoutMs: number;
  /** A client that takes longer to send a request is disconnected. */
  readonly requestTimeoutMs: number;
  /** Interval of the check for these two time limits. */
  readonly timeoutCheckMs: number;
  /** A stop waits this long for unfinished responses. */
  readonly stopGraceMs: number;
}

const SERVER_LIMITS: ServerLimits = {
  requestsUnderWay: LIMITS.requestsUnderWay,
  requestsPerAddress: 0,
  unfinishedRequests: LIMITS.unfinishedRequests,
  unfinishedPerAddress: 0,
  connections: LIMITS.connections,
  connectionsPerAddress: 0,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  timeoutCheckMs: 2_000,
  stopGraceMs: 5_000,
};

/** Idle keep-alive connections are closed after this time. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Instead of Fastify’s compiler for the schemas of requests, which takes a start 40 ms to load: our own code checks
 * them (`wire/`).
 */
function refuseSchema(): never {
  throw new Error('a route has a schema for its request, which nothing would check');
}

/** The HTTP server without routes: limits, refusals and logs. */
export function createServer(options: ServerOptions): FastifyInstance {
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const { trustedProxies = [] } = options;
  const app: FastifyInstance = fastify({
    logger: false,
    bodyLimit: LIMITS.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // An empty list would parse every address, again for each look at it.
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: () => randomUUID(),
    // A wrong path gets 404, whatever characters it contains.
    frameworkErrors: (error, request, reply) => {
      void sendRefusal(asRefusal(error), request, reply, options);
    },
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket),
    // Node would refuse it without a body; `requireHost` sends our refusal body.
    http: {
      requireHostHeader: false,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
    },
    schemaController: { compilersFactory: { buildValidator: refuseSchema } },
    // Fastify's own answer has another form; `endConnectionsAtStop` ends the connections.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  if (trustedProxies.length > 0) removePortsOfClients(app.server);
  const uncounted = uncountedAddresses(trustedProxies);
  limitConnections(app, limits, uncounted);
  const atClosing = followRequests(app);
  limitPipelining(app, LIMITS.unansweredPerConnection, atClosing);
  endConnectionsAtStop(app, limits.stopGraceMs);
  readBodiesAsBytes(app);
  sendSecurityHeaders(app);
  answerErrors(app, options);
  limitRequests(app, limits, uncounted, atClosing);
  handleTogether(app);
  requireHost(app);
  refuseEncodedBodies(app);
  reportAnswers(app, options, atClosing);
  traceRequests(app);
  return app;
}

/** Only files of this server, nothing inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "script-src-attr 'none'",
].join(';');

/** Against reading data as another type, framing it, or loading it into another site's page. */
const DATA_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
};

/**
 * With those of a page, the headers that helmet sends. Helmet builds the policy again for every response,
 * which costs as much as checking a signature. Strict-Transport-Security is left to the TLS proxy.
 */
const PAGE_HEADERS = {
  ...DATA_HEADERS,
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Programs read the answers, so the headers of pages are left out: they cost 5 % of a short answer. */
    answersData?: boolean;
  }
}

function sendSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { answersData } = request.routeConfig;
    void reply
      .headers(answersData === true ? DATA_HEADERS : PAGE_HEADERS)
      .header(REQUEST_ID_HEADER, request.id);
    done();
  });
}

/** The id in refusal bodies and in the log. Always ours: a client's own id is ignored. */
const REQUEST_ID_HEADER = 'x-request-id';

/**
 * Refuses input that Node's HTTP parser cannot read, or waited too long for. No request object exists
 * then.
 */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Refusal('payload_too_large', {
          text: `The path and the headers have more than ${maxHeaderSize} bytes`,
        })
      : new Refusal('malformed_request', {
          text: 'The request is not valid HTTP, or did not arrive in time',
        });
  refuseOn(socket, refusal);
}

/** Writes to the socket, because these errors have no reply object. */
function refuseOn(socket: Duplex, refusal: Refusal): void {
  const requestId = randomUUID();
  const body = JSON.stringify(refusalBody(refusal, { requestId }));
  socket.end(
    `HTTP/1.1 ${refusal.status} Refused\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

/**
 * HTTP/1.1 without Host, an invalid Host header, and two of a header that a request has once, are
 * refused (RFC 9112 §3.2); an unknown
 * expectation is ignored (RFC 9110 §10.1.1).
 */
function requireHost(app: FastifyInstance): void {
  // Comparing is cheaper than parsing, and nearly all requests name the same host.
  let lastValid: string | undefined;
  app.addHook('onRequest', (request, _reply, done) => {
    // HTTP/1.0 may omit it, but the code that reads it expects one.
    if (request.raw.httpVersion === '1.0') request.raw.headers.host ??= 'localhost';
    const { host } = request.raw.headers;
    const repeated = findRepeated(request.raw.rawHeaders);
    if (repeated !== undefined) {
      const text = `The ${repeated} header was sent more than once`;
      done(new Refusal('malformed_request', { text }));
    } else if (host !== undefined && host === lastValid) {
      done();
    } else if (host === undefined) {
      done(new Refusal('malformed_request', { text: 'The Host header is missing' }));
    } else if (!isHost(host)) {
      done(new Refusal('malformed_request', { text: 'The Host header is not valid' }));
    } else {
      lastValid = host;
      done();
    }
  });
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  // Without a listener Node closes the connection.
  app.server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuseOn(socket, new Refusal('method_not_allowed'));
  });
}

const SENT_ONCE = ['Host', 'Content-Type'] as const;

/** Node keeps the first and drops the others. A proxy may have used another one. */
function findRepeated(rawHeaders: readonly string[]): string | undefined {
  return SENT_ONCE.find((wanted) => {
    let count = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index];
      if (name?.length === wanted.length && name.toLowerCase() === wanted.toLowerCase()) count += 1;
    }
    return count > 1;
  });
}

/**
 * A compressed body would be read as if it were not compressed (RFC 9110 §8.4, RFC 9112 §6.1). Node
 * accepts any list of transfer codings that ends in `chunked`.
 */
function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { 'content-encoding': encoding = '', 'transfer-encoding': coding = 'chunked' } =
      request.headers;
    if (encoding === '' && coding === 'chunked') {
      done();
    } else if (!/^(?:identity)?$/i.test(encoding)) {
      void reply.header('accept-encoding', 'identity');
      const text = 'Bodies are read without Content-Encoding only';
      done(new Refusal('unsupported_media_type', { text }));
    } else if (!/^chunked$/i.test(coding)) {
      const text = 'The only Transfer-Encoding that is read is chunked';
      done(new Refusal('unsupported_media_type', { text }));
    } else {
      done();
    }
  });
}

/** A name or address, optionally with a port. */
function isHost(host: string): boolean {
  return !/[/?#@\\\s]/.test(host) && URL.canParse(`http://${host}`);
}

/**
 * Signatures cover the bytes that were sent, so bodies stay bytes until an operation reads them.
 */
function readBodiesAsBytes(app: FastifyInstance): void {
  // Some clients put the parameters of a GET into its body.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  // Others send a content type, even an invalid one, without a body.
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const length = headers['content-length'] ?? '0';
    if (length === '0' && headers['transfer-encoding'] === undefined)
      delete headers['content-type'];
    done();
  });
  app.removeAllContentTypeParsers();
  // Fastify remembers the parser of a named type; for any other it parses the header every time.
  const types = ['application/json', 'application/x-www-form-urlencoded', '*'];
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

/**
 * A client that disconnected before its request had arrived is neither our fault nor a lost
 * database.
 */
function abortionOf(error: unknown, request: FastifyRequest): Refusal | undefined {
  const wasReset = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
  if (!wasReset || request.raw.complete) return undefined;
  return new Refusal('malformed_request', {
    text: 'The request did not arrive completely',
    cause: error,
  });
}

/** Names the limit, which differs between routes. */
function tooLargeOf(error: unknown, { routeOptions }: FastifyRequest): Refusal | undefined {
  if ((error as Partial<FastifyError>).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return undefined;
  const text = `A body has at most ${routeOptions.bodyLimit} bytes here`;
  return new Refusal('payload_too_large', { text, cause: error });
}

/**
 * Fastify closes the connection of a body that is too large. A client that is still sending would then get
 * a reset instead of the response, so Node reads the rest of a body of moderate length and discards it.
 */
function keepConnection(request: FastifyRequest, reply: FastifyReply): void {
  if (Number(request.headers['content-length']) <= LIMITS.discardedBodyBytes) {
    void reply.removeHeader('connection');
  }
}

function answerErrors(app: FastifyInstance, options: ServerOptions): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = abortionOf(error, request) ?? tooLargeOf(error, request) ?? asRefusal(error);
    if (refusal.code === 'payload_too_large') keepConnection(request, reply);
    return sendRefusal(refusal, request, reply, options);
  });
  const methodsByRoute = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const methods = methodsByRoute.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsByRoute.set(route.url, methods);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = new Set(
      [...methodsByRoute].flatMap(([route, known]) => (isOf(route, path) ? [...known] : [])),
    );
    if (methods.size === 0 || methods.has(request.method)) {
      return sendRefusal(new Refusal('unknown_path'), request, reply, options);
    }
    const allowed = [...methods].join(', ');
    void reply.header('allow', allowed);
    const text = `This path supports only ${allowed}`;
    return sendRefusal(new Refusal('method_not_allowed', { text }), request, reply, options);
  });
}

/** In a route, `:name` stands for one segment and a final `*` for the rest of the path. */
function isOf(route: string, path: string): boolean {
  const [routeParts, pathParts] = [route.split('/'), path.split('/')];
  const isOpen = routeParts.at(-1) === '*';
  if (isOpen ? pathParts.length < routeParts.length : pathParts.length !== routeParts.length) {
    return false;
  }
  return routeParts.every(
    (part, index) =>
      part === pathParts[index] ||
      part === '*' ||
      (part.startsWith(':') && pathParts[index] !== ''),
  );
}

/** The client disconnected before a streamed answer began: nobody is answered, and nothing has failed. */
function hasLeft(request: FastifyRequest, cause: unknown): boolean {
  const isCutOff = (cause as { code?: unknown } | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
  return request.isClosed && isCutOff;
}

/**
 * Refusals that the service or its database causes. The others report a known state: a biller is
 * offline, an operator or a bureau does not respond, a queue is full.
 */
const FAULTS: ReadonlySet<ErrorCode> = new Set([
  'internal_error',
  'unavailable',
  'outcome_unknown',
]);

function sendRefusal(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, refusalFormOf }: Pick<ServerOptions, 'log' | 'refusalFormOf'>,
): FastifyReply {
  if (hasLeft(request, refusal.cause)) return reply.hijack();
  noteForLog(request, { code: refusal.code });
  noteReference(request, { msg: { reference: refusal.reference } });
  const { code, cause } = refusal;
  if (cause instanceof PoolEndedError) {
    // Its client has disconnected, or the grace period is over.
    log.warn({ request_id: request.id }, 'a request was cut off, because the service stops');
  } else if (FAULTS.has(code)) {
    log.error({ request_id: request.id, code, err: cause }, 'a request could not be served');
  }
  if (refusal.retryAfterSeconds !== undefined) {
    void reply.header('retry-after', String(refusal.retryAfterSeconds));
  }
  return reply
    .code(refusal.status)
    .header(REQUEST_ID_HEADER, request.id)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(
      refusalBody(refusal, {
        requestId: request.id,
        form: request.routeOptions.config.refusalForm ?? refusalFormOf?.(request.url),
      }),
    );
}
