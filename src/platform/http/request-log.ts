import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AtClosing } from './lifecycle.ts';

export interface Answer {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  /** Further fields of the log line, such as `vid` and `code`. */
  readonly fields: LogFields | undefined;
}

/**
 * Additional fields of a request's log line; nothing personal. `code` is the refusal's; `reference`
 * is ours, of the payment that the request was about.
 */
type LogFields = Readonly<Record<string, string>>;

declare module 'fastify' {
  interface FastifyRequest {
    logFields: LogFields | undefined;
  }
}

/** @param fields an object that nothing else uses: later notes are added to it. */
export function noteForLog(request: FastifyRequest, fields: LogFields): void {
  if (request.logFields === undefined) request.logFields = fields;
  else Object.assign(request.logFields, fields);
}

/** The form of our references. */
const REFERENCE = /^[0-9A-Z]{32}$/;

/** Records what a response is about, if it has a reference of ours. */
export function noteReference(request: FastifyRequest, answer: unknown): void {
  const { msg } = answer as { readonly msg?: Readonly<Record<string, unknown>> };
  const reference = msg?.['ipay_reference'] ?? msg?.['reference'];
  if (typeof reference !== 'string' || !REFERENCE.test(reference)) return;
  noteForLog(request, { reference });
}

/** One line per request, without anything the client sent: no query, no body, no header. */
export function reportAnswers(
  app: FastifyInstance,
  options: { readonly log: Logger; readonly onAnswer?: (answer: Answer) => void },
  atClosing: AtClosing,
): void {
  const logged = options.log.isLevelEnabled('info');
  app.decorateRequest('logFields', undefined);
  // With an onResponse hook, Fastify has two more listeners for each request.
  atClosing((request, reply) => {
    if (!reply.raw.writableFinished) return;
    const answer: Answer = {
      route: request.routeConfig.url ?? 'unknown',
      method: request.method,
      status: reply.statusCode,
      // Rounded to microseconds; further digits are noise.
      durationMs: Math.round((performance.now() - request.receivedAtMs) * 1000) / 1000,
      requestId: request.id,
      fields: request.logFields,
    };
    options.onAnswer?.(answer);
    if (logged) logAnswer(options.log, answer);
  });
}

function logAnswer(log: Logger, { requestId, fields, ...answer }: Answer): void {
  log.info({ request_id: requestId, ...answer, ...fields }, 'request');
}
