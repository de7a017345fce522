import { constants, createPublicKey, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { Tokens } from '../tokens.ts';
import { refused } from './emulator.ts';
import type { AirtelEmulator } from './emulator.ts';

export interface Gateway {
  readonly listener: RequestListener;
  /** The key for the PIN, as the portal shows it: base64 of its DER. */
  readonly publicKey: string;
  /** Ends every token. */
  expireTokens(): void;
  /** Refuses this many of the next calls. */
  limitRate(requests: number): void;
}

export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly pin: string;
  /** PEM of the key that reads the PIN; left out: a new one. */
  readonly privateKey?: string;
}

interface Body {
  readonly payee?: { readonly msisdn?: unknown; readonly currency?: unknown };
  readonly reference?: unknown;
  readonly pin?: unknown;
  readonly transaction?: {
    readonly amount?: unknown;
    readonly id?: unknown;
    readonly type?: unknown;
  };
}

const PAY = /^\/standard\/(v1|v2)\/disbursements\/?$/;
const ENQUIRE = /^\/standard\/(?:v1|v2)\/disbursements\/([^/]+)$/;

/** The HTTP side: tokens, headers of the country, the PIN. Most refusals have HTTP status 200. */
export function createGateway(emulator: AirtelEmulator, application: Application): Gateway {
  const tokens = new Tokens();
  const { privateKey = newKey() } = application;
  let refusals = 0;
  const hasPin = (pin: string): boolean => decrypted(privateKey, pin) === application.pin;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request);
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/truth') return sendJson(response, 200, emulator.truth());
    const content = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
    if (pathname === '/auth/oauth2/token') {
      return isKnown(content, application)
        ? sendJson(response, 200, { ...TOKEN, access_token: tokens.issue() })
        : sendJson(response, 400, UNKNOWN_CLIENT);
    }
    if (refusals > 0) {
      refusals -= 1;
      return sendJson(response, 429, { error: 'too_many_requests' });
    }
    if (!tokens.accepts(request)) return sendJson(response, 403, INVALID_TOKEN);
    const problem = problemOfHeaders(request);
    if (problem !== undefined) return sendJson(response, problem.status, problem.body);
    operate(emulator, { method: request.method ?? '', pathname, content, response, hasPin });
  };

  return {
    listener: (request, response) => {
      serve(request, response).catch(() => response.destroy());
    },
    publicKey: createPublicKey(privateKey)
      .export({ type: 'spki', format: 'der' })
      .toString('base64'),
    expireTokens: () => tokens.expire(),
    limitRate: (requests) => {
      refusals = requests;
    },
  };
}

const TOKEN = { token_type: 'bearer', expires_in: 180 };
const UNKNOWN_CLIENT = {
  error_description: 'Invalid client authentication',
  error: 'invalid_client',
};
const INVALID_TOKEN = {
  error_description: 'The access token is invalid or has expired',
  error: 'invalid_token',
};

function isKnown(content: Readonly<Record<string, unknown>>, application: Application): boolean {
  const { clientId, clientSecret } = application;
  return content['client_id'] === clientId && content['client_secret'] === clientSecret;
}

interface Call {
  readonly method: string;
  readonly pathname: string;
  readonly content: Body;
  readonly response: ServerResponse;
  readonly hasPin: (pin: string) => boolean;
}

function operate(emulator: AirtelEmulator, call: Call): void {
  const { method, pathname, response } = call;
  const [, version] = PAY.exec(pathname) ?? [];
  if (method === 'POST' && version !== undefined) return pay(emulator, version, call);
  const [, id] = ENQUIRE.exec(pathname) ?? [];
  if (method === 'GET' && id !== undefined) {
    return sendJson(response, 200, emulator.enquire(decodeURIComponent(id)));
  }
  if (method === 'GET' && pathname === '/standard/v1/users/balance') {
    const data = { balance: emulator.balance(), currency: 'KES', account_status: 'Active' };
    const status = { response_code: 'DP02100000001', code: '200', success: true };
    return sendJson(response, 200, { data, status });
  }
  sendJson(response, 404, { status_message: 'Not found', status_code: 'ROUTER404' });
}

function pay(emulator: AirtelEmulator, version: string, call: Call): void {
  const { content, response, hasPin } = call;
  const problem = problemOf(version, content);
  if (problem !== undefined) return sendJson(response, 200, problem);
  const msisdn = String(content.payee?.msisdn);
  const delivery = emulator.deliveries.of(msisdn);
  if (delivery === 'lost') return void response.destroy();
  const answer = emulator.pay({
    id: String(content.transaction?.id),
    msisdn,
    amount: Number(content.transaction?.amount),
    hasCorrectPin: hasPin(String(content.pin)),
  });
  emulator.deliveries.answer(response, delivery, () => sendJson(response, 200, answer));
}

function problemOfHeaders({ headers, method }: IncomingMessage) {
  if (method === 'POST' && headers['content-type'] !== 'application/json') {
    return { status: 415, body: {} };
  }
  if (headers['x-country'] === undefined) {
    const body = { status_message: 'Partner not found', status_code: 'ROUTER110' };
    return { status: 400, body };
  }
  if (headers['x-country'] !== 'KE') {
    return { status: 400, body: refused('refused', 'Invalid Country Code') };
  }
  if (headers['x-currency'] !== 'KES') {
    return { status: 200, body: refused('refused', 'Invalid/Missing Currency') };
  }
  return undefined;
}

function problemOf(version: string, { payee, reference, pin, transaction }: Body) {
  const hasTexts = [reference, pin, transaction?.id].every((one) => typeof one === 'string');
  const isTyped = version === 'v1' || transaction?.type === 'B2C';
  if (!hasTexts || !isTyped) return refused('refused', 'Missing header/body params');
  if (!/^[a-zA-Z0-9]{4,64}$/.test(String(reference))) return refused('refused');
  if (typeof payee?.msisdn !== 'string' || payee.msisdn.length !== 9) {
    return refused('refused', 'Invalid Msisdn Length. Msisdn Length should be 9');
  }
  const amount = transaction?.amount;
  if (typeof amount !== 'number' || !(amount > 0)) return refused('invalid_amount');
  return undefined;
}

function newKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
}

/** undefined: it is not a text encrypted with the key. */
function decrypted(privateKey: string, pin: string): string | undefined {
  try {
    const key = { key: privateKey, padding: constants.RSA_PKCS1_PADDING };
    return privateDecrypt(key, Buffer.from(pin, 'base64')).toString();
  } catch {
    return undefined;
  }
}
