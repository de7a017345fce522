import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { Later, postForm } from '../later.ts';

export interface AfricastalkingOptions {
  readonly apiKey: string;
  readonly callbackUrl: () => string;
  /** Time from the answer to delivery. */
  readonly deliverAfterMs: number;
  /** Whether the answer to the query wraps the transaction; not established for the real one. */
  readonly wrapsFound: boolean;
}

interface Request {
  readonly requestId: string;
  readonly phone: string;
  readonly amount: string;
  status: 'Sent' | 'Success' | 'Failed';
}

const WINDOW_MS = 5 * 60_000;
const OPENING_FLOAT = 1_000_000;

/** Every request tops up, unless one with the same key came within five minutes. */
export class AfricastalkingEmulator {
  readonly later = new Later();
  readonly #options: AfricastalkingOptions;
  readonly #requests: Request[] = [];
  readonly #keys = new Map<string, number>();
  readonly #wasLow = new Set<string>();
  #refusals = 0;
  #skewMs = 0;

  constructor(options: AfricastalkingOptions) {
    this.#options = options;
  }

  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  limitRate(requests: number): void {
    this.#refusals = requests;
  }

  /** What was delivered. */
  truth(): { readonly requestId: string; readonly account: string; readonly amount: string }[] {
    return this.#requests
      .filter(({ status }) => status === 'Success')
      .map(({ requestId, phone, amount }) => ({ requestId, account: phone, amount }));
  }

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readBody(request));
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === '/truth') return sendJson(response, 200, this.truth());
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      return sendJson(response, 429, { errorMessage: 'Too many requests' });
    }
    if (request.headers['apikey'] !== this.#options.apiKey) {
      response.writeHead(401, { 'content-type': 'text/plain' });
      return void response.end('The supplied authentication is invalid');
    }
    switch (`${request.method} ${url.pathname}`) {
      case 'POST /version1/airtime/send':
        return this.#send(form, String(request.headers['idempotency-key'] ?? ''), response);
      case 'GET /query/transaction/find':
        return this.#find(url.searchParams.get('transactionId') ?? '', response);
      case 'GET /version1/user': {
        const spent = this.truth().reduce((sum, { amount }) => sum + Number(amount), 0);
        const balance = `KES ${(OPENING_FLOAT - spent).toFixed(4)}`;
        return sendJson(response, 200, { UserData: { balance } });
      }
      default:
        return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>');
    }
  }

  #send(form: URLSearchParams, key: string, response: ServerResponse): void {
    const problem = this.#problemOf(form, key);
    if (problem !== undefined) return refuseAll(response, problem);
    const [recipient] = JSON.parse(form.get('recipients') ?? '[]') as {
      readonly phoneNumber: string;
      readonly amount: string;
    }[];
    const phone = recipient?.phoneNumber.replace('+', '') ?? '';
    const amount = Number(recipient?.amount.replace('KES ', '')).toFixed(2);
    const suffix = phone.slice(-4);
    if (suffix === '9902') {
      return refuseOne(response, phone, 'Failed', 'Value Outside The Allowed Limits');
    }
    if (suffix === '9918' && !this.#wasLow.has(phone)) {
      this.#wasLow.add(phone);
      return refuseOne(response, phone, 'Failed', 'Insufficient Credit');
    }
    const number = String(this.#requests.length + 1).padStart(32, '0');
    const made: Request = { requestId: `ATQid_${number}`, phone, amount, status: 'Sent' };
    this.#requests.push(made);
    this.#proceed(made, suffix);
    sendJson(response, 201, {
      errorMessage: 'None',
      numSent: 1,
      totalAmount: `KES ${amount}00`,
      totalDiscount: 'KES 0.0000',
      responses: [
        {
          phoneNumber: `+${phone}`,
          errorMessage: 'None',
          amount: suffix === '9914' ? 'KES 110.0000' : `KES ${amount}00`,
          status: 'Sent',
          requestId: made.requestId,
          discount: 'KES 0.0000',
        },
      ],
    });
  }

  #problemOf(form: URLSearchParams, key: string): string | undefined {
    if (form.get('username') !== 'sandbox') return 'Airtime is not enabled for this account';
    if (key === '') return undefined;
    const nowMs = Date.now() + this.#skewMs;
    const beforeMs = this.#keys.get(key) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - beforeMs < WINDOW_MS) {
      return 'A duplicate request was received within the last 5 minutes';
    }
    this.#keys.set(key, nowMs);
    return undefined;
  }

  #proceed(made: Request, suffix: string): void {
    switch (suffix) {
      case '9904':
        return this.#end(made, 'Failed', 1);
      case '9906':
        return this.#end(made, 'Success', 3);
      case '9909':
        return;
      case '9911':
        return this.#end(made, 'Success', 0);
      default:
        return this.#end(made, 'Success', 1);
    }
  }

  #end(made: Request, status: 'Success' | 'Failed', callbacks: number): void {
    this.later.run(this.#options.deliverAfterMs, () => {
      made.status = status;
      const form = {
        requestId: made.requestId,
        status,
        phoneNumber: `+${made.phone}`,
        description: status === 'Success' ? 'Airtime Delivered Successfully' : 'Failed',
        value: `KES ${made.amount}00`,
      };
      for (let time = 0; time < callbacks; time += 1) {
        this.later.run(0, async () => {
          await postForm(this.#options.callbackUrl(), form);
        });
      }
    });
  }

  #find(requestId: string, response: ServerResponse): void {
    const made = this.#requests.find((one) => one.requestId === requestId);
    if (made === undefined) {
      const failed = { status: 'Failed', errorMessage: 'Transaction not found' };
      return sendJson(response, 200, failed);
    }
    const found = { requestId, status: made.status };
    const content = this.#options.wrapsFound ? { status: 'Success', data: found } : found;
    sendJson(response, 200, content);
  }
}

function refuseAll(response: ServerResponse, errorMessage: string): void {
  const nothing = { numSent: 0, totalAmount: '0', totalDiscount: '0', responses: [] };
  sendJson(response, 201, { errorMessage, ...nothing });
}

function refuseOne(
  response: ServerResponse,
  phone: string,
  status: string,
  errorMessage: string,
): void {
  sendJson(response, 201, {
    errorMessage: 'None',
    numSent: 0,
    totalAmount: '0',
    totalDiscount: '0',
    responses: [
      {
        phoneNumber: `+${phone}`,
        errorMessage,
        amount: '0',
        status,
        requestId: 'None',
        discount: '0',
      },
    ],
  });
}
