import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Later, postJson } from '../later.ts';

export interface VtpassOptions {
  readonly webhookUrl: () => string;
  /** Time until what is pending is delivered. */
  readonly deliverAfterMs: number;
}

interface Sale {
  readonly requestId: string;
  readonly account: string;
  readonly amount: number;
  readonly transactionId: string;
  status: 'pending' | 'delivered' | 'failed' | 'reversed';
}

interface Answer {
  readonly code: string;
  readonly response_description: string;
  readonly [name: string]: unknown;
}

const OPENING_WALLET = 1_000_000;

/** Executes sales, one for each `request_id`. */
export class VtpassEmulator {
  readonly later = new Later();
  readonly #options: VtpassOptions;
  readonly #sales = new Map<string, Sale>();
  readonly #wasLow = new Set<string>();
  #refusals = 0;
  #skewMs = 0;

  constructor(options: VtpassOptions) {
    this.#options = options;
  }

  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  /** Refuses so many of the next calls for being too many. */
  limitRate(requests: number): void {
    this.#refusals = requests;
  }

  /** What was executed and not taken back. */
  truth(): { readonly requestId: string; readonly account: string; readonly amount: string }[] {
    return [...this.#sales.values()]
      .filter((sale) => sale.status === 'delivered')
      .map(({ requestId, account, amount }) => ({ requestId, account, amount: amount.toFixed(2) }));
  }

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, string>;
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      return void response.writeHead(429).end('Too Many Requests');
    }
    if (request.headers['api-key'] === undefined)
      return send(response, answer('087', 'INVALID CREDENTIALS'));
    switch (request.url) {
      case '/api/pay':
        return send(response, this.#pay(body));
      case '/api/requery': {
        const sale = this.#sales.get(body['request_id'] ?? '');
        return send(
          response,
          sale === undefined ? answer('015', 'INVALID REQUEST ID') : saleAnswer(sale),
        );
      }
      case '/api/merchant-verify':
        return send(response, verify(body['billersCode'] ?? ''));
      case '/api/balance': {
        const spent = this.truth().reduce((sum, { amount }) => sum + Number(amount), 0);
        return send(response, {
          ...answer('1', ''),
          contents: { balance: OPENING_WALLET - spent },
        });
      }
      default:
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
    }
  }

  #pay(body: Readonly<Record<string, string>>): Answer {
    const { request_id: requestId = '', billersCode: account = '', amount = '' } = body;
    if (!this.#isToday(requestId)) return answer('085', 'IMPROPER REQUEST ID');
    if (this.#sales.has(requestId)) return answer('014', 'REQUEST ID ALREADY EXIST');
    const suffix = account.slice(-4);
    if (suffix === '9902') return answer('011', 'INVALID ARGUMENTS');
    if (suffix === '9918' && !this.#wasLow.has(account)) {
      this.#wasLow.add(account);
      return answer('018', 'LOW WALLET BALANCE');
    }
    const sale: Sale = {
      requestId,
      account,
      amount: Number(amount) - (suffix === '9914' ? 10 : 0),
      transactionId: `1767600000${String(this.#sales.size + 1).padStart(10, '0')}`,
      status: 'delivered',
    };
    this.#sales.set(requestId, sale);
    if (suffix === '9904') sale.status = 'failed';
    if (['9905', '9906', '9909'].includes(suffix)) sale.status = 'pending';
    if (['9905', '9906'].includes(suffix)) this.#deliverLater(sale, suffix === '9906' ? 3 : 1);
    const said = saleAnswer(sale);
    if (suffix === '9915') {
      sale.status = 'reversed';
      this.#tell(sale, 1);
    }
    return said;
  }

  #deliverLater(sale: Sale, webhooks: number): void {
    this.later.run(this.#options.deliverAfterMs, () => {
      sale.status = 'delivered';
      this.#tell(sale, webhooks);
    });
  }

  #tell(sale: Sale, times: number): void {
    for (let time = 0; time < times; time += 1) {
      this.later.run(0, async () => {
        const content = { type: 'transaction-update', data: saleAnswer(sale) };
        await postJson(this.#options.webhookUrl(), content);
      });
    }
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

function send(response: ServerResponse, content: Answer): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(content));
}
