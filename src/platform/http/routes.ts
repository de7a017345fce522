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
import { FileAnswer, HeadedAnswer, StoredAnswer } from './operation.ts';
import type { AnyOperation, AnyParametersOperation, RefusalForm } from './operation.ts';
import { noteReference } from './request-log.ts';
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
  const { response } = operation;
  const route: Pick<RouteOptions, 'url' | 'config'> = {
    url: operation.path,
    config: { refusalForm: operation.refusalForm },
  };
  if ('file' in operation) {
    const { handle, ...hooks } = createUpload(operation, deps);
    app.route({
      ...route,
      ...hooks,
      method: 'POST',
      handler: async (request, reply) =>
        sendAnswer(request, reply, { answer: await handle(request, reply), response }),
    });
    return;
  }
  const handler = createHandler(operation, deps);
  const methods = operation.method === 'GET' ? (['GET', 'POST'] as const) : (['POST'] as const);
  for (const method of methods) app.route({ ...route, method, handler });
}

function createHandler(operation: AnyParametersOperation, deps: OperationDeps): RouteHandlerMethod {
  const { signedBy } = operation;
  const names = Object.keys(operation.request.properties);
  const parameters =
    signedBy === undefined
      ? deps.knownNames.unsigned(names)
      : deps.knownNames.signed(names, operation.anyText);
  const validate = createValidator(operation.request);
  return async (request, reply) => {
    const reading = await readFields(
      {
        contentType: request.headers['content-type'],
        body: request.body as Buffer | undefined,
        query: queryOf(request),
      },
      parameters,
    );
    const { fields, signer, key } =
      signedBy === undefined
        ? admitStranger(request, reading, deps)
        : await identify(request, { reading, signedBy }, deps);
    const answer = await operation.handle(validate(fields), signer, { key });
    return sendAnswer(request, reply, { answer, response: operation.response });
  };
}

/** Sends the members of the response's schema, and no others. */
export function serializedBy(reply: FastifyReply, response: TSchema): FastifyReply {
  // Compiled at the first answer and not with the route, because a start would have to wait for all of them.
  const serialize = reply.compileSerializationSchema(response as Record<string, unknown>);
  return reply.type('application/json; charset=utf-8').serializer(serialize);
}

function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, response }: { readonly answer: unknown; readonly response: TSchema },
): FastifyReply {
  noteReference(request, answer);
  if (answer instanceof FileAnswer) {
    void reply.header('content-disposition', `attachment; filename="${answer.fileName}"`);
    return reply.type(answer.contentType).send(Buffer.from(answer.text, 'utf8'));
  }
  if (answer instanceof HeadedAnswer) {
    return serializedBy(reply, response).headers(answer.headers).send(answer.body);
  }
  if (!(answer instanceof StoredAnswer)) return serializedBy(reply, response).send(answer);
  // Bytes are sent unchanged; a string would be serialized again.
  return reply.type('application/json; charset=utf-8').send(Buffer.from(answer.json, 'utf8'));
}
