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
    readonly content: Content;
    readonly response: ServerResponse;
  },
): void {
  const { url, content, response } = by;
  switch (url) {
    case '/mpesa/b2b/v1/paymentrequest':
      return pay(emulator, { content, response }, BUSINESS);
    case '/mpesa/b2c/v1/paymentrequest':
      return pay(emulator, { content, response }, PHONE_V1);
    case '/mpesa/b2c/v3/paymentrequest':
      return pay(emulator, { content, response }, PHONE_V3);
    case '/mpesa/transactionstatus/v1/query':
      return acknowledge(response, emulator.queryStatus(content));
    case '/mpesa/accountbalance/v1/query':
      return acknowledge(response, emulator.queryBalance(content));
    default:
      return refuse(response, 404, '404.001.01', 'Resource not found');
  }
}

type Content = Readonly<Record<string, unknown>>;

/** One kind of payment requests. */
interface Operation {
  /** The account that decides what happens. */
  readonly account: string;
  /** The caller's own id of the payment, which must be new. */
  readonly id?: string;
  readonly texts: readonly string[];
  readonly commands: readonly string[];
  readonly pay: (emulator: DarajaEmulator, content: Content) => Ids;
}

const EVERYWHERE = ['SecurityCredential', 'PartyA', 'PartyB', 'Remarks'];
const URLS = ['QueueTimeOutURL', 'ResultURL'];
const IDENTIFIERS = ['SenderIdentifierType', 'RecieverIdentifierType'];

const BUSINESS: Operation = {
  account: 'AccountReference',
  texts: [...EVERYWHERE, ...URLS, ...IDENTIFIERS, 'Initiator', 'Amount', 'AccountReference'],
  commands: ['BusinessPayBill', 'BusinessBuyGoods'],
  pay: (emulator, content) => emulator.pay(content),
};

const PHONE_V1: Operation = {
  account: 'PartyB',
  texts: [...EVERYWHERE, ...URLS, 'InitiatorName'],
  commands: ['SalaryPayment', 'BusinessPayment', 'PromotionPayment'],
  pay: (emulator, content) => emulator.payPhone(content),
};

const PHONE_V3: Operation = {
  ...PHONE_V1,
  id: 'OriginatorConversationID',
  texts: [...PHONE_V1.texts, 'OriginatorConversationID'],
  pay: (emulator, content) =>
    emulator.payPhone(content, textOf(content['OriginatorConversationID'])),
};

function pay(
  emulator: DarajaEmulator,
  { content, response }: { readonly content: Content; readonly response: ServerResponse },
  operation: Operation,
): void {
  const problem = problemOf(content, operation);
  if (problem !== undefined) return refuse(response, 400, '400.002.02', problem);
  if (!emulator.acceptsReceiver(content)) {
    return refuse(response, 400, '400.002.02', 'Bad Request - Invalid RecieverIdentifierType');
  }
  const { id } = operation;
  if (id !== undefined && emulator.knowsOriginator(textOf(content[id]))) {
    return refuse(response, 500, '500.002.1001', 'Duplicate OriginatorConversationID.');
  }
  const account = textOf(content[operation.account]);
  const delivery = emulator.deliveryOf(account);
  const ids = delivery === 'lost' ? undefined : operation.pay(emulator, content);
  return emulator.deliveries.answer(response, delivery, () => {
    if (ids === undefined) return;
    // It was taken nevertheless.
    if (/99(?:17|22)$/.test(account)) {
      return refuse(response, 500, '500.002.1001', 'System internal error.');
    }
    acknowledge(response, ids);
  });
}

function problemOf(content: Content, { texts, commands, account }: Operation): string | undefined {
  const missing = texts.find((name) => textOf(content[name]) === '');
  if (missing !== undefined) return `Bad Request - Invalid ${missing}`;
  if (!commands.includes(textOf(content['CommandID']))) return 'Bad Request - Invalid CommandID';
  if (!/^[1-9]\d{0,8}$/.test(textOf(content['Amount']))) return 'Bad Request - Invalid Amount';
  if (account === 'PartyB' && !/^254\d{9}$/.test(textOf(content['PartyB']))) {
    return 'Bad Request - Invalid PartyB';
  }
  return undefined;
}

/** Numbers are accepted where texts are: clients send both. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
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
