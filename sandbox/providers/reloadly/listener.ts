import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { bundlesShown, fxShown, networkOf, networkShown } from './emulator.ts';
import type { ReloadlyEmulator, TopUpBody } from './emulator.ts';

export interface Gateway {
  readonly listener: RequestListener;
  /** Ends every token. */
  expireTokens(): void;
  /** Refuses this many of the next calls with a rate limit. */
  limitRate(requests: number): void;
}

const AUDIENCES = ['https://topups.reloadly.com', 'https://utilities.reloadly.com'];
const ACCEPT = 'application/com.reloadly.topups-v1+json';

/** The HTTP side: tokens, one for each audience, then the operations of airtime. */
export function createGateway(
  emulator: ReloadlyEmulator,
  credentials: { readonly clientId: string; readonly clientSecret: string },
): Gateway {
  const tokens = new Map<string, { readonly audience: string; isOver: boolean }>();
  let refusals = 0;

  const issue = (content: Readonly<Record<string, unknown>>, response: ServerResponse): void => {
    const { clientId, clientSecret } = credentials;
    const isKnown = content['client_id'] === clientId && content['client_secret'] === clientSecret;
    const audience = String(content['audience']);
    if (!isKnown) return refuse(response, 401, 'INVALID_CREDENTIALS');
    if (content['grant_type'] !== 'client_credentials' || !AUDIENCES.includes(audience)) {
      return refuse(response, 401, 'INVALID_AUDIENCE');
    }
    const token = randomUUID();
    tokens.set(token, { audience, isOver: false });
    const scope = 'send-topups read-operators read-topups-history read-prepaid-balance';
    sendJson(response, 200, {
      access_token: token,
      scope,
      expires_in: 5_184_000,
      token_type: 'Bearer',
    });
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const content = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
    if (url.pathname === '/truth') return sendJson(response, 200, emulator.truth());
    if (url.pathname === '/oauth/token') return issue(content, response);
    if (refusals > 0) {
      refusals -= 1;
      return refuse(response, 429, 'RATE_LIMIT_REACHED');
    }
    const token = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (token === undefined) return refuse(response, 401, 'INVALID_TOKEN');
    if (token.isOver) return refuse(response, 401, 'TOKEN_EXPIRED');
    if (token.audience !== AUDIENCES[0]) return refuse(response, 401, 'INVALID_AUDIENCE');
    if (request.headers.accept !== ACCEPT) return framework(response, 406);
    await operate(emulator, { method: request.method ?? '', url, content, response });
  };
  return {
    listener: (request, response) => {
      serve(request, response).catch(() => response.destroy());
    },
    expireTokens: () => {
      for (const token of tokens.values()) token.isOver = true;
    },
    limitRate: (requests) => {
      refusals = requests;
    },
  };
}

interface Call {
  readonly method: string;
  readonly url: URL;
  readonly content: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
}

async function operate(emulator: ReloadlyEmulator, call: Call): Promise<void> {
  const { method, url, content, response } = call;
  const path = url.pathname;
  switch (`${method} ${path}`) {
    case 'POST /topups': {
      if (!isTopUp(content)) return refuse(response, 400, 'INVALID_INPUT_PROVIDED');
      const delivery = emulator.deliveries.of(content.recipientPhone.number);
      if (delivery === 'lost') return void response.destroy();
      const result = await emulator.topUp(content);
      return emulator.deliveries.answer(response, delivery, () =>
        'errorCode' in result
          ? refuse(response, result.httpStatus, result.errorCode)
          : sendJson(response, 200, result),
      );
    }
    case 'GET /topups/reports/transactions': {
      const rows = emulator.report(url.searchParams.get('customIdentifier'));
      return sendJson(response, 200, { content: rows, totalElements: rows.length, size: 20 });
    }
    case 'GET /accounts/balance':
      return sendJson(response, 200, emulator.balance());
    case 'POST /operators/fx-rate': {
      const shown = fxShown(Number(content['operatorId']), Number(content['amount']));
      return sendJson(response, 200, shown);
    }
    default:
      return lookUp(method, path, response);
  }
}

function lookUp(method: string, path: string, response: ServerResponse): void {
  const [, phone] = /^\/operators\/mnp-lookup\/phone\/(\d+)\/countries\/KE$/.exec(path) ?? [];
  if (method === 'GET' && phone !== undefined) {
    // 9902 is refused by the top-up, so that the look-up must know it.
    return phone.endsWith('9922')
      ? refuse(response, 404, 'COULD_NOT_AUTO_DETECT_OPERATOR')
      : sendJson(response, 200, networkShown(networkOf(phone)));
  }
  // One network with a range, one with fixed amounts.
  if (method === 'GET' && path === '/operators/countries/KE') {
    return sendJson(response, 200, [networkShown(341), networkShown(342), bundlesShown(900)]);
  }
  const [, id] = /^\/operators\/(\d+)$/.exec(path) ?? [];
  if (method === 'GET' && id !== undefined) {
    return sendJson(response, 200, networkShown(Number(id)));
  }
  return framework(response, 404);
}

function isTopUp(content: object): content is TopUpBody {
  const body = content as Partial<TopUpBody>;
  return (
    Number.isInteger(body.operatorId) &&
    typeof body.amount === 'number' &&
    typeof body.useLocalAmount === 'boolean' &&
    typeof body.customIdentifier === 'string' &&
    body.customIdentifier.length <= 150 &&
    body.recipientPhone?.countryCode === 'KE' &&
    /^254\d{9}$/.test(body.recipientPhone.number)
  );
}

function refuse(response: ServerResponse, httpStatus: number, errorCode: string): void {
  sendJson(response, httpStatus, {
    timeStamp: '2026-01-05 07:15:30',
    message: errorCode.toLowerCase().replaceAll('_', ' '),
    path: '/',
    errorCode,
    infoLink: null,
    details: [],
  });
}

/** Answers as the web framework does before Reloadly's own code: without errorCode. */
function framework(response: ServerResponse, status: number): void {
  sendJson(response, status, {
    timestamp: '2026-01-05T07:15:30Z',
    status,
    error: 'Error',
    path: '/',
  });
}
