import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../base/errors.ts';
import { refusePlainErrors } from './errors.ts';
import { identify, queryOf } from './identify.ts';
import type { OperationDeps } from './identify.ts';
import { createJsonReader } from './json-object.ts';
import type { AnyResource } from './resource.ts';
import { createSerializer } from './routes.ts';
import { StreamedAnswer } from './streamed-answer.ts';
import { createValidator } from './validate.ts';
import type { Parameters } from './wire/parameters.ts';
import { readFields } from './wire/request.ts';

/** Adds the resource's route. */
export function addResource(
  app: FastifyInstance,
  resource: AnyResource,
  deps: OperationDeps,
): void {
  const { response } = resource;
  const prepare =
    typeof response === 'string' ? (reply: FastifyReply) => reply : createSerializer(response);
  const read = createReader(resource, deps);
  app.route({
    method: resource.method,
    url: resource.path,
    config: { refusalForm: resource.refusalForm },
    handler: async (request, reply) => {
      const { input, context } = await read(request);
      const answer = await refusePlainErrors(async () => await resource.handle(input, context));
      void reply.header('cache-control', 'no-store');
      if (answer instanceof StreamedAnswer) return reply.send(answer.prepare(reply));
      return prepare(reply).send(answer);
    },
  });
}

type Handled = globalThis.Parameters<AnyResource['handle']>;

interface Received {
  readonly input: Handled[0];
  readonly context: Handled[1];
}

/** Reads and authenticates a request. Nothing but its query is read before its signature is verified. */
function createReader(
  resource: AnyResource,
  deps: OperationDeps,
): (request: FastifyRequest) => Promise<Received> {
  const { signedBy, body } = resource;
  const all = Type.Object({ ...resource.query?.properties, ...signedBy.parameters });
  const parameters = signedAsAWhole(Object.keys(all.properties));
  const validate = createValidator(all);
  const readBody = body === undefined ? refuseBody : createJsonReader(body);
  return async (request) => {
    const wire = { contentType: undefined, body: undefined, query: queryOf(request) };
    const reading = await readFields(wire, parameters);
    const { fields, signer, key } = await identify(request, { reading, signedBy }, deps);
    const query = validate(fields);
    if (hasUnreadBody(request)) throw bodyRefusal();
    return {
      input: {
        params: request.params as Readonly<Record<string, string>>,
        query,
        body: readBody(request.headers['content-type'], request.body as Buffer | undefined),
      },
      context: {
        signer,
        keyId: deps.describeKey(key)['key_id'],
        address: request.ip,
        requestId: request.id,
        isClosed: () => request.isClosed,
      },
    };
  };
}

/** Everything is signed byte for byte, so no value can be mistaken for another parameter. */
function signedAsAWhole(names: readonly string[]): Parameters {
  return {
    names: new Set(names),
    ignoresUnknown: false,
    known: { occurIn: () => false },
    anyText: new Set(),
  };
}

/** Detects a body on a method whose body the server does not read. */
function hasUnreadBody({ headers, body }: FastifyRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return body === undefined && (length !== '0' || encoding !== undefined);
}

function refuseBody(
  _contentType: string | undefined,
  body: Buffer | undefined,
): Handled[0]['body'] {
  if (body === undefined || body.length === 0) return {};
  throw bodyRefusal();
}

function bodyRefusal(): Refusal {
  return new Refusal('malformed_request', { text: 'This operation has no body' });
}
