import { exchange } from '../../../platform/outbound/exchange.ts';
import type { Call, Ending } from '../../../platform/outbound/exchange.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import type { Limit } from '../../with-token.ts';
import type { RequestTemplate } from './message.ts';
import type { FilledRequest } from './filled-request.ts';

export type Sender = (request: FilledRequest, limit: Limit) => Promise<Ending>;

export function createSender(
  pool: Parameters<typeof exchange>[0],
  answerBytes: Call['answerBytes'],
): Sender {
  return async (request, limit) => await exchange(pool, { ...request, ...limit, answerBytes });
}

/** One kind of request to the operator. */
export interface Route {
  readonly template: RequestTemplate;
  readonly send: Sender;
}

/** Where the configuration does not fit the input, it says so, and nothing leaves. */
export async function ask({ template, send }: Route, input: object, limit: Limit): Promise<Ending> {
  let request;
  try {
    request = await template(input);
  } catch (error) {
    return { kind: 'nothing_written', reason: cleanMessage((error as Error).message) };
  }
  return await send(request, limit);
}
