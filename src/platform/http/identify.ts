import type { KeyObject } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Fields, Reading } from '../base/canonical.ts';
import type { Authenticated, Authenticator } from './authenticator.ts';
import type { RateLimits } from './rate-limits.ts';
import { noteForLog } from './request-log.ts';
import type { KnownNames } from './wire/parameters.ts';

/** The dependencies that all operations share. */
export interface OperationDeps {
  readonly knownNames: KnownNames;
  readonly limits: RateLimits;
  /** The sender that the log names: the one the request names, whether or not it signed. */
  readonly describeSender: (fields: Fields) => Readonly<Record<string, string>>;
  /** Fields that the log records about the key that signed. */
  readonly describeKey: (key: KeyObject) => Readonly<Record<string, string>>;
}

interface Unsigned {
  readonly fields: Fields;
  readonly signer: undefined;
  readonly key: undefined;
}

/** The query string as it stands in the request line. */
export function queryOf(request: FastifyRequest): string {
  const target = request.raw.url ?? '';
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

/** Node joins repeated headers with commas, which no valid header contains. */
export function signatureHeaderOf(request: FastifyRequest): string | undefined {
  return request.headers['x-signature'] as string | undefined;
}

/** The signer of the request. Throws or rejects with the authenticator's refusals. */
export function identify<Signer>(
  request: FastifyRequest,
  by: {
    readonly reading: Reading;
    readonly signedBy: Authenticator<Signer>;
    readonly bodySha256?: string | undefined;
  },
  deps: OperationDeps,
): Authenticated<Signer> | Promise<Authenticated<Signer>> {
  const { reading, signedBy, bodySha256 } = by;
  noteForLog(request, deps.describeSender(reading.fields));
  const noteKey = (of: Authenticated<Signer>): Authenticated<Signer> => {
    noteForLog(request, deps.describeKey(of.key));
    return of;
  };
  const authenticated = signedBy.authenticate({
    method: request.method,
    target: request.raw.url ?? '',
    body: request.body as Buffer | undefined,
    bodySha256,
    reading,
    signatureHeader: signatureHeaderOf(request),
    address: request.ip,
  });
  return authenticated instanceof Promise ? authenticated.then(noteKey) : noteKey(authenticated);
}

/** Applies the rate limit of an operation without a signature. Throws: `too_many_requests`. */
export function admitStranger(
  request: FastifyRequest,
  { fields }: Reading,
  deps: OperationDeps,
): Unsigned {
  noteForLog(request, deps.describeSender(fields));
  deps.limits.forStranger(request.ip);
  return { fields, signer: undefined, key: undefined };
}
