import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { Tokens } from '../tokens.ts';
import { refusal } from './emulator.ts';
import type { CoopPesalinkEmulator, Message } from './emulator.ts';
import type { RefusalName } from './codes.ts';

export interface Gateway {
  readonly listener: RequestListener;
  /** Ends every token. */
  expireTokens(): void;
  /** Refuses this many of the next calls. */
  limitRate(requests: number): void;
}

type Content = Readonly<Record<string, unknown>>;

const TRANSFER = 'POST /FundsTransfer/External/A2A/PesaLink/1.0.0';
const ENQUIRY = 'POST /Enquiry/TransactionStatus/2.0.0';

/** The HTTP side of the bank: tokens, then transfers and enquiries. */
export function createGateway(
  emulator: CoopPesalinkEmulator,
  application: { readonly consumerKey: string; readonly consumerSecret: string },
): Gateway {
  const { consumerKey, consumerSecret } = application;
  const basic = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
  const tokens = new Tokens();
  let refusals = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request);
    const line = `${request.method ?? ''} ${request.url ?? ''}`.replace(/\/$/, '');
    if (line === 'GET /truth') return sendJson(response, 200, emulator.truth());
    if (line === 'POST /token') {
      return request.headers.authorization === basic && text === 'grant_type=client_credentials'
        ? sendJson(response, 200, { ...TOKEN, access_token: tokens.issue() })
        : sendJson(response, 401, UNKNOWN_CLIENT);
    }
    if (refusals > 0) {
      refusals -= 1;
      return sendJson(response, 429, fault('900800', 'Message throttled out'));
    }
    if (!tokens.accepts(request)) {
      return sendJson(response, 401, fault('900901', 'Invalid Credentials'));
    }
    operate(emulator, line, { content: JSON.parse(text) as Content, response });
  };

  return {
    listener: (request, response) => {
      serve(request, response).catch(() => response.destroy());
    },
    expireTokens: () => tokens.expire(),
    limitRate: (requests) => {
      refusals = requests;
    },
  };
}

const TOKEN = { scope: 'am_application_scope default', token_type: 'Bearer', expires_in: 3600 };
const UNKNOWN_CLIENT = {
  error: 'invalid_client',
  error_description: 'Client Authentication failed.',
};

function fault(code: string, message: string) {
  return { fault: { code, message, description: `${message}. Check the access token.` } };
}

function operate(
  emulator: CoopPesalinkEmulator,
  line: string,
  { content, response }: { readonly content: Content; readonly response: ServerResponse },
): void {
  const { MessageReference: given } = content;
  const reference = typeof given === 'string' ? given : '';
  if (line === ENQUIRY) {
    const { status, body } = emulator.enquire(reference);
    return sendJson(response, status, body);
  }
  if (line !== TRANSFER) {
    const path = line.replace(/^\w+ /, '');
    return sendJson(response, 404, { status: '404', error: 'Not Found', message: '', path });
  }
  const problem = problemOf(content);
  if (problem !== undefined) {
    const { status, body } = refusal(problem, reference);
    return sendJson(response, status, body);
  }
  const message = messageOf(content);
  const delivery = emulator.deliveries.of(message.account);
  if (delivery === 'lost') return void response.destroy();
  const { status, body } = emulator.transfer(message);
  emulator.deliveries.answer(response, delivery, () => sendJson(response, status, body));
}

function messageOf(content: Content): Message {
  const source = partOf(content['Source']);
  const leg = legOf(content);
  return {
    reference: String(content['MessageReference']),
    callbackUrl: String(content['CallBackUrl']),
    source: String(source['AccountNumber']),
    legReference: String(leg['ReferenceNumber']),
    account: String(leg['AccountNumber']),
    bankCode: String(leg['BankCode']),
    narration: String(leg['Narration']),
    amount: Number(leg['Amount']),
  };
}

/** One receiver only: what several do is not emulated. */
function problemOf(content: Content): RefusalName | undefined {
  const source = partOf(content['Source']);
  const leg = legOf(content);
  const texts = [
    content['MessageReference'],
    content['CallBackUrl'],
    source['AccountNumber'],
    source['Narration'],
    leg['ReferenceNumber'],
    leg['AccountNumber'],
    leg['Narration'],
  ];
  if (texts.some((text) => typeof text !== 'string' || text === '')) return 'invalid';
  if (leg['ReferenceNumber'] === content['MessageReference']) return 'same_reference';
  if (!isWhole(leg['Amount']) || !isWhole(source['Amount'])) return 'not_positive';
  if (source['Amount'] !== leg['Amount']) return 'not_balancing';
  const currencies = [source['TransactionCurrency'], leg['TransactionCurrency']];
  if (currencies.some((currency) => currency !== 'KES')) return 'currency';
  return /^\d{2}$/.test(String(leg['BankCode'])) ? undefined : 'bank';
}

function legOf(content: Content): Content {
  const destinations = content['Destinations'];
  return Array.isArray(destinations) && destinations.length === 1 ? partOf(destinations[0]) : {};
}

function partOf(value: unknown): Content {
  return typeof value === 'object' && value !== null ? (value as Content) : {};
}

const isWhole = (amount: unknown): boolean => Number.isInteger(amount) && Number(amount) > 0;
