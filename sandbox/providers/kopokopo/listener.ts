import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { Tokens } from '../tokens.ts';
import type { KopokopoEmulator } from './emulator.ts';
import type { Destination, Version } from './resource.ts';

export interface Gateway {
  readonly listener: RequestListener;
  /** Ends every token. */
  expireTokens(): void;
  /** Refuses this many of the next calls. */
  limitRate(requests: number): void;
}

type Content = Readonly<Record<string, unknown>>;

/** Where each type of receiver has its number. */
const NUMBERS: Readonly<Record<string, string>> = {
  mobile_wallet: 'phone_number',
  bank_account: 'account_number',
  till: 'till_number',
  paybill: 'paybill_account_number',
};

const FOUND = /^GET \/api\/v[12]\/(?:send_money|payments)\/([^/]+)$/;

/** The HTTP side: tokens, requests to send money, and the recipients of v1. */
export function createGateway(
  emulator: KopokopoEmulator,
  client: { readonly clientId: string; readonly clientSecret: string },
): Gateway {
  const tokens = new Tokens();
  const recipients = new Map<string, { readonly type: string; readonly given: Content }>();
  let refusals = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request);
    const line = `${request.method ?? ''} ${request.url ?? ''}`;
    if (line === 'GET /truth') return sendJson(response, 200, emulator.truth());
    const content = contentOf(text, request);
    if (line === 'POST /oauth/token') {
      return isKnown(content, client)
        ? sendJson(response, 200, { ...TOKEN, access_token: tokens.issue() })
        : sendJson(response, 401, UNKNOWN_CLIENT);
    }
    if (refusals > 0) {
      refusals -= 1;
      return refuse(response, 429, 'Too many requests');
    }
    if (!tokens.accepts(request)) return refuse(response, 401, 'Unauthorized');
    if (line === 'POST /api/v1/pay_recipients') {
      const id = randomUUID();
      const given = (content['pay_recipient'] ?? {}) as Content;
      recipients.set(id, { type: String(content['type']), given });
      return created(response, `${originOf(request)}/api/v1/pay_recipients/${id}`);
    }
    const destinations = destinationsOf(line, content, recipients);
    operate(emulator, { line, origin: originOf(request), content, response, destinations });
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

const TOKEN = { token_type: 'Bearer', expires_in: 3600, created_at: 1_767_597_330 };
const UNKNOWN_CLIENT = {
  error: 'invalid_client',
  error_description: 'Client authentication failed',
};

function isKnown(
  content: Content,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): boolean {
  return (
    content['client_id'] === clientId &&
    content['client_secret'] === clientSecret &&
    content['grant_type'] === 'client_credentials'
  );
}

interface Call {
  readonly line: string;
  readonly origin: string;
  readonly content: Content;
  readonly response: ServerResponse;
  readonly destinations: readonly Destination[];
}

function operate(emulator: KopokopoEmulator, call: Call): void {
  const { line, response } = call;
  if (line === 'POST /api/v2/send_money') return send(emulator, call, 'v2');
  if (line === 'POST /api/v1/payments') return send(emulator, call, 'v1');
  const found = emulator.find(FOUND.exec(line)?.[1] ?? '');
  if (found === undefined) return refuse(response, 404, 'Resource not found');
  sendJson(response, 200, found);
}

function send(emulator: KopokopoEmulator, call: Call, version: Version): void {
  const { line, origin, content, response, destinations } = call;
  const callbackUrl = (content['_links'] as Content | undefined)?.['callback_url'];
  const account = destinations[0]?.account ?? '';
  const problem = problemOf({ content, destinations, callbackUrl }) ?? refusalOf(account);
  if (problem !== undefined) return refuse(response, 400, problem);
  const delivery = emulator.deliveries.of(account);
  if (delivery === 'lost') return void response.destroy();
  const { source_identifier: source = null, metadata = null } = content;
  const request = { version, destinations, source, metadata, callbackUrl: String(callbackUrl) };
  const { self } = emulator.send(request, `${origin}${line.replace('POST ', '')}`);
  emulator.deliveries.answer(response, delivery, () => created(response, self));
}

const refusalOf = (account: string): string | undefined =>
  account.endsWith('9902') ? 'Destination is invalid' : undefined;

function problemOf(by: {
  readonly content: Content;
  readonly destinations: readonly Destination[];
  readonly callbackUrl: unknown;
}): string | undefined {
  const { content, destinations, callbackUrl } = by;
  if (destinations.length === 0) return 'Destinations are missing';
  if (destinations.some(({ account, amount }) => account === '' || !(amount > 0))) {
    return 'A destination is not valid';
  }
  if (typeof callbackUrl !== 'string') return 'callback_url is missing';
  if (Object.keys(content['metadata'] ?? {}).length > 5) return 'metadata has more than 5 entries';
  return undefined;
}

function destinationsOf(
  line: string,
  content: Content,
  recipients: ReadonlyMap<string, { readonly type: string; readonly given: Content }>,
): Destination[] {
  if (line === 'POST /api/v1/payments') {
    const recipient = recipients.get(String(content['destination_reference']));
    const amount = (content['amount'] as Content | undefined)?.['value'];
    return recipient === undefined ? [] : [destinationOf({ ...recipient, amount })];
  }
  const given = content['destinations'];
  if (!Array.isArray(given)) return [];
  return (given as Content[]).map((one) =>
    destinationOf({ type: String(one['type']), given: one, amount: one['amount'] }),
  );
}

function destinationOf(by: {
  readonly type: string;
  readonly given: Content;
  readonly amount: unknown;
}): Destination {
  const { type, given, amount } = by;
  const number = given[NUMBERS[type] ?? 'reference'];
  const account = typeof number === 'string' ? number : '';
  return { type, account, amount: Number(amount), given };
}

/** Tokens are asked for by a form, everything else by JSON. */
function contentOf(text: string, { headers }: IncomingMessage): Content {
  if (text === '') return {};
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : (JSON.parse(text) as Content);
}

const originOf = ({ headers }: IncomingMessage): string => `http://${headers.host ?? 'localhost'}`;

/** Nothing but where it is. */
function created(response: ServerResponse, location: string): void {
  response.writeHead(201, { location }).end();
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error_code: status, error_message: message });
}
