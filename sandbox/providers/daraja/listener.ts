import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import type { DarajaEmulator } from './emulator.ts';
import type { MoneyInEmulator } from './money-in.ts';
import type { Ids } from './results.ts';

export interface Gateway {
  readonly listener: RequestListener;
  /** Ends the token that is valid. */
  expireTokens(): void;
  /** Refuses this many of the next calls with spike arrest. */
  limitRate(requests: number): void;
}

/**
 * The HTTP side of an app: tokens, then the operations.
 * @param emulator undefined for an app that may not pay.
 */
export function createGateway(
  emulator: DarajaEmulator | undefined,
  credentials: { readonly consumerKey: string; readonly consumerSecret: string },
  moneyIn?: MoneyInEmulator,
): Gateway {
  const { consumerKey, consumerSecret } = credentials;
  const basic = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
  let token: string | undefined;
  let refusals = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const url = request.url ?? '';
    if (url === '/truth') return sendJson(response, 200, (moneyIn ?? emulator)?.truth() ?? []);
    if (moneyIn !== undefined && url === '/customer') {
      const made = await moneyIn.customerPays(parsed(body) ?? {});
      return sendJson(response, 'error' in made ? 400 : 200, made);
    }
    if (url.startsWith('/oauth/v1/generate')) {
      if (request.headers.authorization !== basic) {
        return refuse(response, 400, '400.008.01', 'Invalid Authentication passed');
      }
      // The one before is no longer valid.
      token = randomUUID();
      return sendJson(response, 200, { access_token: token, expires_in: '3599' });
    }
    if (refusals > 0) {
      refusals -= 1;
      return refuse(
        response,
        500,
        '500.003.02',
        'System is busy. Please try again in few minutes.',
      );
    }
    if (token === undefined || request.headers.authorization !== `Bearer ${token}`) {
      return refuse(response, 404, '404.001.03', 'Invalid Access Token');
    }
    const content = parsed(body);
    if (content === undefined) {
      return refuse(response, 400, '400.002.02', 'Bad Request - Invalid Payload');
    }
    const answer = moneyIn?.operate(url, content);
    if (answer !== undefined) return sendJson(response, answer.status, answer.body);
    if (emulator === undefined) return refuse(response, 404, '404.001.01', 'Resource not found');
    operate(emulator, { url, content, response });
  };
  return {
    listener: (request, response) => {
      serve(request, response).catch(() => response.destroy());
    },
    expireTokens: () => {
      token = undefined;
    },
    limitRate: (requests) => {
      refusals = requests;
    },
  };
}

function operate(
  emulator: DarajaEmulator,
  by: {
    readonly url: string;
    readonly content: Readonly<Record<string, unknown>>;
    readonly response: ServerResponse;
  },
): void {
  const { url, content, response } = by;
  switch (url) {
    case '/mpesa/b2b/v1/paymentrequest': {
      const problem = problemOf(content);
      if (problem !== undefined) return refuse(response, 400, '400.002.02', problem);
      const delivery = emulator.deliveryOf(String(content['AccountReference']));
      const order = delivery === 'lost' ? undefined : emulator.pay(content);
      return emulator.deliveries.answer(response, delivery, () => {
        if (order !== undefined) acknowledge(response, order);
      });
    }
    case '/mpesa/transactionstatus/v1/query':
      return acknowledge(response, emulator.queryStatus(content));
    case '/mpesa/accountbalance/v1/query':
      return acknowledge(response, emulator.queryBalance(content));
    default:
      return refuse(response, 404, '404.001.01', 'Resource not found');
  }
}

const REQUIRED = [
  'Initiator',
  'SecurityCredential',
  'SenderIdentifierType',
  'RecieverIdentifierType',
  'Amount',
  'PartyA',
  'PartyB',
  'AccountReference',
  'Remarks',
  'QueueTimeOutURL',
  'ResultURL',
] as const;

function problemOf(content: Readonly<Record<string, unknown>>): string | undefined {
  const missing = REQUIRED.find((name) => typeof content[name] !== 'string');
  if (missing !== undefined) return `Bad Request - Invalid ${missing}`;
  if (content['CommandID'] !== 'BusinessPayBill') return 'Bad Request - Invalid CommandID';
  if (!/^[1-9]\d{0,8}$/.test(String(content['Amount']))) return 'Bad Request - Invalid Amount';
  return undefined;
}

function acknowledge(response: ServerResponse, ids: Ids): void {
  sendJson(response, 200, {
    OriginatorConversationID: ids.originatorConversationId,
    ConversationID: ids.conversationId,
    ResponseCode: '0',
    ResponseDescription: 'Accept the service request successfully.',
  });
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, status, { requestId: randomUUID(), errorCode: code, errorMessage: message });
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
