import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Fields } from '../base/canonical.ts';
import { decodeReference } from '../base/ids.ts';
import type { VendorDirectory } from '../../parties/directory.ts';

export interface Answer {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

/** What a request's line in the log says besides how it was answered; nothing personal. */
interface LogFields {
  /** The vendor that the request names, if it exists. With `signature_invalid` the sender is not known. */
  readonly vid?: string;
  /** The same of a collector. */
  readonly collector?: string;
  /** Of the refusal. */
  readonly code?: string;
  /** Ours, of the payment that the request was about. */
  readonly reference?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    logFields: LogFields | undefined;
  }
}

export function noteForLog(request: FastifyRequest, fields: LogFields): void {
  request.logFields = { ...request.logFields, ...fields };
}

/** Notes whom a request names as its sender. Only names that exist: others could be anything. */
export function noteSigner(
  request: FastifyRequest,
  fields: Fields,
  directory: Pick<VendorDirectory, 'vendor' | 'collector'>,
): void {
  const [vid, collector] = [fields.get('vid') ?? '', fields.get('collector') ?? ''];
  if (directory.vendor(vid) !== undefined) noteForLog(request, { vid });
  if (directory.collector(collector) !== undefined) noteForLog(request, { collector });
}

/** Notes the payment that an answer is about, if it is about one. */
export function noteReference(request: FastifyRequest, answer: unknown): void {
  const { msg } = answer as { readonly msg?: Readonly<Record<string, unknown>> };
  const reference = msg?.['ipay_reference'] ?? msg?.['reference'];
  if (typeof reference !== 'string' || decodeReference(reference) === undefined) return;
  noteForLog(request, { reference });
}

/** One line per request, without anything that was sent: no query, no body, no header. */
export function reportAnswers(
  app: FastifyInstance,
  options: { readonly log: Logger; readonly onAnswer?: (answer: Answer) => void },
): void {
  const logged = options.log.isLevelEnabled('info');
  app.decorateRequest('logFields', undefined);
  app.addHook('onResponse', (request, reply, done) => {
    const answer = {
      route: request.routeOptions.url ?? 'unknown',
      method: request.method,
      status: reply.statusCode,
      // To the microsecond: what follows is noise.
      durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
    };
    options.onAnswer?.(answer);
    if (logged) {
      options.log.info({ request_id: request.id, ...answer, ...request.logFields }, 'request');
    }
    done();
  });
}
