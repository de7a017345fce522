import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../../platform/base/limits.ts';
import type { CallbackReceiver } from '../dispatch/callbacks.ts';
import type { RateLimits } from '../../platform/http/rate-limits.ts';

const HTTP_STATUS = { refused: 401, unknown_operator: 404, not_kept: 503 } as const;

interface CallbackRoute {
  Params: { operator: string; '*'?: string };
}

/**
 * Receives operators' reports: the connector defines the protocol, including the signature. Who sends one
 * that is refused, or one that anybody can send, counts as a stranger.
 */
export function addCallbackRoutes(
  app: FastifyInstance,
  receiver: CallbackReceiver,
  limits: RateLimits,
): void {
  const receive = async (
    request: FastifyRequest<CallbackRoute>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const { operator } = request.params;
    // Before the callback costs anything.
    const isStranger = receiver.canBeForged(operator);
    if (isStranger) limits.forStranger(request.ip);
    const answer = await receiver.receive(operator, {
      headers: singleHeaders(request),
      path: request.params['*'] ?? '',
      body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
    });
    if (answer.kind === 'accepted') return await accept(reply, answer.body);
    if (!isStranger && answer.kind !== 'not_kept') limits.forStranger(request.ip);
    return await reply.code(HTTP_STATUS[answer.kind]).send({ status: answer.kind });
  };
  for (const url of ['/callbacks/:operator', '/callbacks/:operator/*']) {
    const options = { bodyLimit: LIMITS.callbackBodyBytes };
    app.post<CallbackRoute>(url, options, receive);
  }
}

async function accept(reply: FastifyReply, body: object | string): Promise<unknown> {
  if (typeof body === 'string') reply.type(body.startsWith('<') ? 'application/xml' : 'text/plain');
  return await reply.code(200).send(body);
}

function singleHeaders(request: FastifyRequest<CallbackRoute>): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
