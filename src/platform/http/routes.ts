import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import type { TSchema } from 'typebox';
import { admitStranger, identify, queryOf } from './identify.ts';
import type { OperationDeps } from './identify.ts';
import { HeadedAnswer, StoredAnswer } from './operation.ts';
import type { AnyOperation, AnyParametersOperation, RefusalForm } from './operation.ts';
import { noteReference } from './request-log.ts';
import { StreamedAnswer } from './streamed-answer.ts';
import { createUpload } from './upload.ts';
import { createValidator } from './validate.ts';
import { readFields } from './wire/request.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The schemas of this route's refusals. */
    refusalForm?: RefusalForm | undefined;
  }
}

/** Adds the operation's routes. */
export function addOperation(
  app: FastifyInstance,
  operation: AnyOperation,
  deps: OperationDeps,
): void {
  const prepare = createPreparation(operation.response);
  const route: Pick<RouteOptions, 'url' | 'config'> = {
    url: operation.path,
    config: { refusalForm: operation.refusalForm, answersData: true },
  };
  if ('file' in operation) {
    const { handle, ...hooks } = createUpload(operation, deps);
    app.route({
      ...route,
      ...hooks,
      method: 'POST',
      handler: async (request, reply) => prepare(request, reply, await handle(request)),
    });
    return;
  }
  const handler = createHandler(operation, prepare, deps);
  const methods = operation.method === 'GET' ? (['GET', 'POST'] as const) : (['POST'] as const);
  for (const method of methods) app.route({ ...route, method, handler });
}

function createHandler(
  operation: AnyParametersOperation,
  prepare: Prepare,
  deps: OperationDeps,
): RouteHandlerMethod {
  const { signedBy } = operation;
  const names = Object.keys(operation.request.properties);
  const parameters =
    signedBy === undefined
      ? deps.knownNames.unsigned(names)
      : deps.knownNames.signed(names, operation.anyText);
  const validate = createValidator(operation.request);
  return async (request, reply) => {
    const read = readFields(
      {
        contentType: request.headers['content-type'],
        body: request.body as Buffer | undefined,
        query: queryOf(request),
      },
      parameters,
    );
    const reading = read instanceof Promise ? await read : read;
    const identified =
      signedBy === undefined
        ? admitStranger(request, reading, deps)
        : identify(request, { reading, signedBy }, deps);
    const { fields, signer, key } = identified instanceof Promise ? await identified : identified;
    const answer = await operation.handle(validate(fields), signer, { key });
    return prepare(request, reply, answer);
  };
}

/** Sends the members of the response's schema, and no others. */
export function createSerializer(response: TSchema): (reply: FastifyReply) => FastifyReply {
  // Compiled at the first answer and not with the route, because a start would have to wait for all of them.
  let serialize: ReturnType<FastifyReply['compileSerializationSchema']> | undefined;
  return (reply) => {
    serialize ??= reply.compileSerializationSchema(response as Record<string, unknown>);
    return reply.type('application/json; charset=utf-8').serializer(serialize);
  };
}

/** Sets what the reply needs to send the answer; returns what is sent. */
type Prepare = (request: FastifyRequest, reply: FastifyReply, answer: unknown) => unknown;

function createPreparation(response: TSchema): Prepare {
  const serialized = createSerializer(response);
  return (request, reply, answer) => {
    noteReference(request, answer);
    if (answer instanceof StreamedAnswer) return answer.prepare(reply);
    if (answer instanceof HeadedAnswer) {
      void serialized(reply).headers(answer.headers);
      return answer.body;
    }
    if (answer instanceof StoredAnswer) {
      void reply.type('application/json; charset=utf-8');
      // Bytes are sent unchanged; a string would be serialized again.
      return Buffer.from(answer.json, 'utf8');
    }
    void serialized(reply);
    return answer;
  };
}
