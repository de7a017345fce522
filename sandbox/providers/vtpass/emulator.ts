import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Deliveries, shillings } from '../emulator.ts';
import type { Delivery, TruthEntry } from '../emulator.ts';
import { readBody, sendJson } from '../http.ts';
import { Later, jsonPost, post } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';

export interface VtpassOptions {
  readonly apiKey: string;
  readonly webhookUrl: () => string;
  /** Time until what is pending is delivered. */
  readonly deliverAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
}

interface Sale {
  readonly requestId: string;
  readonly serviceId: string;
  readonly account: string;
  readonly amount: number;
  readonly transactionId: string;
  status: 'pending' | 'delivered' | 'failed' | 'reversed';
  deliveredAtMs: number | null;
}

/** A later event: a webhook, or the delivery of what is pending. */
type Task =
  | { readonly kind: 'post'; readonly post: Post }
  | { readonly kind: 'deliver'; readonly requestId: string };

interface Answer {
  readonly code: string;
  readonly response_description: string;
  readonly [name: string]: unknown;
}

/** By service, as `GET /service-variations` lists them. */
const VARIATIONS: Readonly<Record<string, readonly object[]>> = {
  'example-electric': [
    { variation_code: 'prepaid', name: 'Prepaid', variation_amount: '0.00', fixedPrice: 'No' },
    { variation_code: 'postpaid', name: 'Postpaid', variation_amount: '0.00', fixedPrice: 'No' },
  ],
  'example-tv': [
    { variation_code: 'basic', name: 'Basic', variation_amount: '600.00', fixedPrice: 'Yes' },
    { variation_code: 'family', name: 'Family', variation_amount: '1350.00', fixedPrice: 'Yes' },
  ],
};

const OPENING_WALLET = 1_000_000;

/** Executes sales, one for each `request_id`. */
export class VtpassEmulator {
  readonly later: Later<Task>;
  readonly #options: VtpassOptions;
  readonly #deliveries: Deliveries;
  readonly #sales: Table<Sale>;
  readonly #wasLow: Table<true>;
  #refusals = 0;
  #skewMs = 0;

  constructor(options: VtpassOptions, memory = new Memory()) {
    this.#options = options;
    this.#deliveries = new Deliveries(memory, options.slowMs);
    this.#sales = memory.table('sales');
    this.#wasLow = memory.table('low');
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'post') await post(task.post);
      else this.#deliver(task.requestId);
    });
  }

  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  /** Refuses this many of the next calls with a rate limit. */
  limitRate(requests: number): void {
    this.#refusals = requests;
  }

  /** Lists everything that was executed and not taken back. */
  truth(): TruthEntry[] {
    return this.#sales
      .rows()
      .filter((sale) => sale.status === 'delivered')
      .map(({ requestId, serviceId, account, amount, deliveredAtMs }) => ({
        reference: requestId,
        biller: serviceId,
        account,
        amount: shillings(amount),
        paid_at: new Date(deliveredAtMs ?? 0).toISOString(),
      }));
  }

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    if (request.url === '/truth') return sendJson(response, 200, this.truth());
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, string>;
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      return void response.writeHead(429).end('Too Many Requests');
    }
    if (request.headers['api-key'] !== this.#options.apiKey)
      return sendJson(response, 200, answer('087', 'INVALID CREDENTIALS'));
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://emulator');
    switch (pathname) {
      case '/api/service-variations': {
        const variations = VARIATIONS[searchParams.get('serviceID') ?? ''];
        if (variations === undefined) return sendJson(response, 200, answer('012', 'NO PRODUCT'));
        return sendJson(response, 200, { ...answer('000', ''), content: { variations } });
      }
      case '/api/pay': {
        const delivery: Delivery = this.#deliveries.of(accountOf(body));
        if (delivery === 'lost') return void response.destroy();
        const said = this.#pay(body);
        return this.#deliveries.answer(response, delivery, () => sendJson(response, 200, said));
      }
      case '/api/requery': {
        const sale = this.#sales.get(body['request_id'] ?? '');
        return sendJson(
          response,
          200,
          sale === undefined ? answer('015', 'INVALID REQUEST ID') : saleAnswer(sale),
        );
      }
      case '/api/merchant-verify':
        return sendJson(response, 200, verify(body['billersCode'] ?? ''));
      case '/api/balance': {
        const spent = this.truth().reduce((sum, { amount }) => sum + Number(amount), 0);
        return sendJson(response, 200, {
          ...answer('1', ''),
          contents: { balance: OPENING_WALLET - spent },
        });
      }
      default:
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
    }
  }

  #pay(body: Readonly<Record<string, string>>): Answer {
    const { request_id: requestId = '', amount = '' } = body;
    const account = accountOf(body);
    if (!this.#isToday(requestId)) return answer('085', 'IMPROPER REQUEST ID');
    if (this.#sales.get(requestId) !== undefined) return answer('014', 'REQUEST ID ALREADY EXIST');
    const suffix = account.slice(-4);
    if (suffix === '9902') return answer('011', 'INVALID ARGUMENTS');
    if (suffix === '9918' && this.#wasLow.get(account) === undefined) {
      this.#wasLow.put(account, true);
      return answer('018', 'LOW WALLET BALANCE');
    }
    const sale: Sale = {
      requestId,
      serviceId: body['serviceID'] ?? '',
      account,
      amount: Number(amount) - (suffix === '9914' ? 10 : 0),
      transactionId: `1767600000${String(this.#sales.size + 1).padStart(10, '0')}`,
      status: 'delivered',
      deliveredAtMs: Date.now(),
    };
    if (['9904', '9924'].includes(suffix)) sale.status = 'failed';
    if (['9905', '9906', '9909'].includes(suffix)) sale.status = 'pending';
    this.#sales.put(requestId, sale);
    if (['9905', '9906'].includes(suffix)) {
      this.later.run(this.#options.deliverAfterMs, { kind: 'deliver', requestId });
    }
    const said = saleAnswer(sale);
    if (suffix === '9915') {
      this.#enter(sale, 'reversed');
      this.#callBack(sale);
    }
    return said;
  }

  #enter(sale: Sale, status: Sale['status']): void {
    sale.status = status;
    sale.deliveredAtMs = Date.now();
    this.#sales.put(sale.requestId, sale);
  }

  #deliver(requestId: string): void {
    const sale = this.#sales.get(requestId);
    if (sale === undefined) return;
    this.#enter(sale, 'delivered');
    const lateMs = 2.5 * this.#options.deliverAfterMs;
    this.#callBack(sale, sale.account.endsWith('9906') ? [0, 0, lateMs] : [0]);
  }

  /** @param afterMs when each webhook is sent. */
  #callBack(sale: Sale, afterMs: readonly number[] = [0]): void {
    const content = { type: 'transaction-update', data: saleAnswer(sale) };
    const message = jsonPost(this.#options.webhookUrl(), content);
    for (const delayMs of afterMs) this.later.run(delayMs, { kind: 'post', post: message });
  }

  /** The date in Lagos; a day to either side of a clock that is off. */
  #isToday(requestId: string): boolean {
    const lagosMs = Date.now() + this.#skewMs + 3_600_000;
    const days = [-1, 0, 1].map((day) =>
      new Date(lagosMs + day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''),
    );
    return /^\d{12}[A-Za-z0-9]*$/.test(requestId) && days.includes(requestId.slice(0, 8));
  }
}

/** Airtime has no `billersCode`: the number that is topped up is `phone`. */
function accountOf(body: Readonly<Record<string, string>>): string {
  return body['billersCode'] ?? body['phone'] ?? '';
}

function answer(code: string, description: string): Answer {
  return { code, response_description: description };
}

function saleAnswer(sale: Sale): Answer {
  const { status, requestId, account, amount, transactionId } = sale;
  if (status === 'reversed') return { ...answer('040', 'TRANSACTION REVERSAL'), requestId };
  const code = status === 'failed' ? '016' : '000';
  const description = status === 'failed' ? 'TRANSACTION FAILED' : 'TRANSACTION SUCCESSFUL';
  return {
    ...answer(code, description),
    content: {
      transactions: {
        status,
        product_name: 'Example Electric',
        unique_element: account,
        amount,
        transactionId,
      },
    },
    requestId,
    amount: amount.toFixed(2),
    transaction_date: '2026-01-05T09:15:30.000000Z',
    purchased_code: 'Token : 00001111222233334444',
    units: '19.8 kWh',
  };
}

function verify(account: string): Answer {
  return {
    ...answer('000', ''),
    content: account.endsWith('9902')
      ? { error: 'This meter is not correct' }
      : { Customer_Name: 'TEST CUSTOMER', Due_Date: '2026-01-31T00:00:00', Renewal_Amount: 2500 },
  };
}
