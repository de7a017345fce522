import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { pageOf, refusal } from './emulator.ts';
import type { DtOneEmulator, Reply } from './emulator.ts';
import { PRODUCTS } from './products.ts';

export interface Gateway {
  readonly listener: RequestListener;
  /** Refuses this many of the next calls with a rate limit. */
  limitRate(requests: number): void;
}

/** The HTTP side: credentials, then the operations. */
export function createGateway(emulator: DtOneEmulator): Gateway {
  const { apiKey, apiSecret } = emulator.options;
  const basic = `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`;
  let refusals = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const url = new URL(request.url ?? '', 'http://emulator');
    if (url.pathname === '/truth') return sendJson(response, 200, emulator.truth());
    if (url.pathname === '/float') {
      const { available } = JSON.parse(body) as { readonly available: number };
      emulator.setAvailable(available);
      return sendJson(response, 200, { available: emulator.available() });
    }
    const reply = ((): Reply => {
      if (request.headers.authorization !== basic) return refusal(401, 1_000_401);
      if (refusals > 0) {
        refusals -= 1;
        return refusal(429, 1_000_429);
      }
      return operate(emulator, { method: request.method ?? '', url, body });
    })();
    const [status, content, delivery = 'given', headers = {}] = reply;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    emulator.deliveries.answer(response, delivery, () => sendJson(response, status, content));
  };
  return {
    listener: (request, response) => {
      serve(request, response).catch(() => response.destroy());
    },
    limitRate: (requests) => {
      refusals = requests;
    },
  };
}

function operate(
  emulator: DtOneEmulator,
  by: { readonly method: string; readonly url: URL; readonly body: string },
): Reply {
  const { method, url } = by;
  const content = by.body === '' ? {} : (JSON.parse(by.body) as Record<string, unknown>);
  const path = `${method} ${url.pathname}`;
  const [, mode, id, action] =
    /^\/(?:(async|sync)\/)?transactions(?:\/(\d+))?(?:\/(confirm|cancel))?$/.exec(url.pathname) ??
    [];
  if (method === 'POST' && mode !== undefined && id === undefined) {
    return emulator.create(content, mode === 'sync');
  }
  if (method === 'POST' && action === 'confirm')
    return emulator.confirm(Number(id), mode === 'sync');
  if (method === 'POST' && action === 'cancel') return emulator.cancel(Number(id));
  if (method === 'GET' && id !== undefined) return emulator.transaction(Number(id));
  switch (path) {
    case 'GET /transactions':
      return emulator.list(url.searchParams);
    case 'GET /balances': {
      const available = emulator.available();
      const account = { id: 1, unit_type: 'CURRENCY', unit: 'KES', available };
      return pageOf([{ ...account, holding: 0, credit_limit: 0 }], url.searchParams);
    }
    case 'GET /products':
      return pageOf(PRODUCTS, url.searchParams);
    case 'POST /lookup/statement-inquiry':
      return [
        200,
        [
          {
            reference: 'S1',
            dates: { due: '2026-01-31', statement: '2026-01-05' },
            balance: { unit_type: 'CURRENCY', unit: 'KES', amount: 2500.5 },
          },
        ],
      ];
    case 'POST /lookup/mobile-number':
      return networkOf(String(content['mobile_number']), url.searchParams);
    default: {
      const number = /^GET \/lookup\/mobile-number\/([^/]+)$/.exec(path)?.[1];
      return number === undefined
        ? refusal(404, 1_000_404)
        : networkOf(decodeURIComponent(number), url.searchParams);
    }
  }
}

function networkOf(mobileNumber: string, query: URLSearchParams): Reply {
  return /^\+254\d{9}$/.test(mobileNumber)
    ? pageOf([{ id: 502, name: 'Example Mobile', identified: true }], query)
    : refusal(400, 1_005_003);
}
