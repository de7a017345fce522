import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../../platform/base/limits.ts';
import type { RateLimits } from '../../platform/http/rate-limits.ts';
import type { ReceiptReceiver } from '../receipts/receiver.ts';

const HTTP_STATUS = { refused: 401, not_kept: 503 } as const;

interface ReceiptRoute {
  Params: { source: string; '*': string };
}

/** Receives what providers of money call: validations and confirmations of receipts. */
export function addReceiptRoutes(
  app: FastifyInstance,
  receiver: ReceiptReceiver,
  limits: RateLimits,
): void {
  const receive = async (
    request: FastifyRequest<ReceiptRoute>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const answer = await receiver.receive({
      sourceCode: request.params.source,
      path: request.params['*'],
      address: request.ip,
      body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
    });
    if (answer.kind === 'answer') return await reply.code(200).send(answer.body);
    if (answer.kind === 'refused') limits.forStranger(request.ip);
    return await reply.code(HTTP_STATUS[answer.kind]).send({ status: answer.kind });
  };
  const options = { bodyLimit: LIMITS.callbackBodyBytes };
  app.post<ReceiptRoute>('/receipts/:source/*', options, receive);
}
