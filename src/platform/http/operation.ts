import type { KeyObject } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Fields, Reading } from '../base/canonical.ts';
import { Refusal } from '../base/errors.ts';
import type { Authenticator } from './authenticator.ts';
import type { RateLimits } from './rate-limits.ts';
import { noteForLog, noteReference } from './request-log.ts';
import { refusalSchema } from './schemas.ts';
import type { KnownNames } from './wire/parameters.ts';
import { readFields } from './wire/request.ts';

/**
 * One operation of the contract: its parameters, its answer, and what it does. The rest is the same
 * for all: read → refuse ambiguity → verify the signature → validate → handle.
 */
export interface Operation<Request extends TObject, Response extends TSchema, Signer> {
  readonly name: string;
  /** A GET operation answers POST too (real clients do both), and reads a body as POST does. */
  readonly method: 'GET' | 'POST';
  /** Below the prefix that the operation is mounted at. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Undefined: nobody signs, and names that the operation does not know are ignored. */
  readonly signedBy: Authenticator<Signer> | undefined;
  /** Parameters without those of the signature; every one is text. */
  readonly request: Request;
  readonly response: Response;
  /** Group in the reference. */
  readonly tag: string;
  /** `status` and `text` at top level of refusals too. */
  readonly refusesAtTopLevel?: boolean;
  /** `bureau_code` of a refusal, for operations that speak a credit bureau's vocabulary. */
  readonly bureauCodeOf?: (refusal: Refusal) => string;
  // A method, so that lists may hold operations with different requests.
  handle(
    request: Static<Request>,
    signer: Signer,
    signature: Signature,
  ): Promise<AnswerOf<Response>> | AnswerOf<Response>;
}

/** An operation as lists hold it. */
export type AnyOperation = Operation<TObject, TSchema, unknown>;

/** What all operations share. */
export interface OperationDeps {
  readonly knownNames: KnownNames;
  readonly limits: RateLimits;
  /** What the log says of whom a request names as its sender, whether or not it signed. */
  readonly describeSender: (fields: Fields) => Readonly<Record<string, string>>;
}

/** What a handler may know of the signature. */
export interface Signature {
  /** The key that signed, for records that name it; undefined when nothing is signed. */
  readonly key: KeyObject | undefined;
}

/** An answer that is sent byte for byte as it is given: kept from before, or in another form. */
export class StoredAnswer {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** An answer to be saved as a file. */
export class FileAnswer {
  readonly text: string;
  readonly contentType: string;
  /** Letters, digits, dots and hyphens. */
  readonly fileName: string;
  constructor(text: string, contentType: string, fileName: string) {
    this.text = text;
    this.contentType = contentType;
    this.fileName = fileName;
  }
}

/** An answer with headers of its own. */
export class HeadedAnswer<Body> {
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
  constructor(body: Body, headers: Readonly<Record<string, string>>) {
    this.body = body;
    this.headers = headers;
  }
}

type AnswerOf<Response extends TSchema> =
  Static<Response> | HeadedAnswer<Static<Response>> | StoredAnswer | FileAnswer;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Refusals of this route have `status` and `text` at top level too. */
    refusesAtTopLevel?: boolean;
    /** `bureau_code` of this route's refusals. */
    bureauCodeOf?: (refusal: Refusal) => string;
  }
}

interface Identified {
  readonly fields: Fields;
  readonly signer: unknown;
  readonly key: KeyObject | undefined;
}

type Pipeline = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The same operations below a prefix. */
export function mountAt(prefix: string, operations: readonly AnyOperation[]): AnyOperation[] {
  return operations.map((operation) => ({ ...operation, path: `${prefix}${operation.path}` }));
}

/** Adds the operation's routes. */
export function addOperation(
  app: FastifyInstance,
  operation: AnyOperation,
  deps: OperationDeps,
): void {
  const pipeline = createPipeline(operation, deps);
  const parameters = Type.Object({
    ...operation.request.properties,
    ...operation.signedBy?.parameters,
  });
  const methods = operation.method === 'GET' ? (['GET', 'POST'] as const) : (['POST'] as const);
  for (const method of methods) {
    app.route({
      method,
      url: operation.path,
      config: {
        refusesAtTopLevel: operation.refusesAtTopLevel ?? false,
        ...(operation.bureauCodeOf === undefined ? {} : { bureauCodeOf: operation.bureauCodeOf }),
      },
      schema: {
        operationId: method === operation.method ? operation.name : `${operation.name}_post`,
        summary: operation.summary,
        description: operation.description,
        tags: [operation.tag],
        ...(method === 'GET' ? { querystring: parameters } : { body: parameters }),
        response: { 200: operation.response, default: refusalSchema },
      },
      // Parameters are read and checked below, from whichever form they came in.
      validatorCompiler: () => () => true,
      handler: pipeline,
    });
  }
}

function createPipeline(operation: AnyOperation, deps: OperationDeps): Pipeline {
  const { signedBy } = operation;
  const names = Object.keys(operation.request.properties);
  const parameters =
    signedBy === undefined ? deps.knownNames.unsigned(names) : deps.knownNames.signed(names);
  const validate = createValidator(operation.request);

  const identify = (
    request: FastifyRequest,
    reading: Reading,
  ): Identified | Promise<Identified> => {
    if (signedBy === undefined) {
      deps.limits.forStranger(request.ip);
      return { fields: reading.fields, signer: undefined, key: undefined };
    }
    return signedBy.authenticate({
      method: request.method,
      target: request.raw.url ?? '',
      body: request.body as Buffer | undefined,
      reading,
      // Several are joined by commas, which no good one has.
      signatureHeader: request.headers['x-signature'] as string | undefined,
      address: request.ip,
    });
  };

  return async (request, reply) => {
    const url = request.raw.url ?? '';
    const mark = url.indexOf('?');
    const reading = readFields(
      {
        contentType: request.headers['content-type'],
        body: request.body as Buffer | undefined,
        query: mark === -1 ? '' : url.slice(mark + 1),
      },
      parameters,
    );
    const read = reading instanceof Promise ? await reading : reading;
    noteForLog(request, deps.describeSender(read.fields));
    const identified = identify(request, read);
    const { fields, signer, key } = identified instanceof Promise ? await identified : identified;
    const answer = await operation.handle(validate(fields), signer, { key });
    noteReference(request, answer);
    if (answer instanceof FileAnswer) {
      void reply.header('content-disposition', `attachment; filename="${answer.fileName}"`);
      return reply.type(answer.contentType).send(Buffer.from(answer.text, 'utf8'));
    }
    if (answer instanceof HeadedAnswer) return reply.headers(answer.headers).send(answer.body);
    if (!(answer instanceof StoredAnswer)) return reply.send(answer);
    // Bytes pass through unchanged; a text would be serialized once more.
    return reply.type('application/json; charset=utf-8').send(Buffer.from(answer.json, 'utf8'));
  };
}

function missingField(name: string): Refusal {
  return new Refusal('missing_field', { field: name, text: `${name} is required` });
}

/**
 * From fields to the operation's request: null and empty text count as absent.
 * Throws: `missing_field`, `invalid_field`, each naming the first parameter at fault.
 */
export function createValidator<Request extends TObject>(
  schema: Request,
): (fields: Fields) => Static<Request> {
  const compiled = Compile(schema);
  const names = Object.keys(schema.properties);
  const required = new Set(schema.required ?? []);
  return (fields) => {
    const request: Record<string, string> = {};
    for (const name of names) {
      const value = fields.get(name);
      if (value !== undefined && value !== null && value !== '') request[name] = value;
      else if (required.has(name)) throw missingField(name);
    }
    if (compiled.Check(request)) return request;
    for (const name of names) {
      const property: { pattern?: string; form?: string } | undefined = schema.properties[name];
      const value = request[name];
      if (value === undefined || property?.pattern === undefined) continue;
      if (!new RegExp(property.pattern, 'u').test(value)) {
        throw new Refusal('invalid_field', {
          field: name,
          text: `${name} must be ${property.form ?? 'in another form'}`,
        });
      }
    }
    throw new Refusal('invalid_field');
  };
}
