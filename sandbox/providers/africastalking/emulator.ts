import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Deliveries } from '../emulator.ts';
import type { TruthEntry } from '../emulator.ts';
import { readBody, sendJson } from '../http.ts';
import { Later, formPost, post } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';

export interface AfricastalkingOptions {
  readonly apiKey: string;
  readonly callbackUrl: () => string;
  /** Time from the answer to delivery; 9905 and 9906 take four times as long. */
  readonly deliverAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** True: the answer to the query wraps the transaction; not established for the real one. */
  readonly wrapsFound: boolean;
}

interface Request {
  readonly requestId: string;
  readonly key: string;
  readonly phone: string;
  readonly amount: string;
  status: 'Sent' | 'Success' | 'Failed';
  endedAtMs: number | null;
}

/** A later event: a callback, or the end of a request. */
type Task =
  | { readonly kind: 'post'; readonly post: Post }
  | {
      readonly kind: 'end';
      readonly requestId: string;
      readonly status: 'Success' | 'Failed';
      /** When each callback is sent, from the end on. */
      readonly tellAfterMs: readonly number[];
    };

const WINDOW_MS = 5 * 60_000;
const OPENING_FLOAT = 1_000_000;

/** Every request tops up, unless one with the same key came within five minutes. */
export class AfricastalkingEmulator {
  readonly later: Later<Task>;
  readonly #options: AfricastalkingOptions;
  readonly #deliveries: Deliveries;
  readonly #requests: Table<Request>;
  readonly #keys: Table<number>;
  readonly #wasLow: Table<true>;
  #refusals = 0;
  #skewMs = 0;

  constructor(options: AfricastalkingOptions, memory = new Memory()) {
    this.#options = options;
    this.#deliveries = new Deliveries(memory, options.slowMs);
    this.#requests = memory.table('requests');
    this.#keys = memory.table('keys');
    this.#wasLow = memory.table('low');
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'post') await post(task.post);
      else this.#end(task);
    });
  }

  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  limitRate(requests: number): void {
    this.#refusals = requests;
  }

  /** Lists everything that was delivered. */
  truth(): TruthEntry[] {
    return this.#requests
      .rows()
      .filter(({ status }) => status === 'Success')
      .map(({ key, phone, amount, endedAtMs }) => ({
        reference: key,
        biller: 'airtime',
        account: phone,
        amount,
        paid_at: new Date(endedAtMs ?? 0).toISOString(),
      }));
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

  /** The first recipient decides how the answer travels. */
  #send(form: URLSearchParams, key: string, response: ServerResponse): void {
    const recipients = JSON.parse(form.get('recipients') ?? '[]') as {
      readonly phoneNumber: string;
      readonly amount: string;
    }[];
    const delivery = this.#deliveries.of(recipients[0]?.phoneNumber ?? '');
    if (delivery === 'lost') return this.#deliveries.answer(response, delivery, () => undefined);
    const problem = this.#problemOf(form, key);
    if (problem !== undefined) return sendJson(response, 201, answerWith([], problem));
    const made = recipients.map(({ phoneNumber, amount }) =>
      this.#topUp(phoneNumber.replace('+', ''), Number(amount.replace('KES ', '')), key),
    );
    this.#deliveries.answer(response, delivery, () => sendJson(response, 201, answerWith(made)));
  }

  #topUp(phone: string, amount: number, key: string): Recipient {
    const suffix = phone.slice(-4);
    if (suffix === '9902') return refused(phone, 'Value Outside The Allowed Limits');
    if (suffix === '9918' && this.#wasLow.get(phone) === undefined) {
      this.#wasLow.put(phone, true);
      return refused(phone, 'Insufficient Credit');
    }
    const number = String(this.#requests.size + 1).padStart(32, '0');
    const requestId = `ATQid_${number}`;
    const common = { requestId, key, phone, amount: amount.toFixed(2) };
    const made: Request = { ...common, status: 'Sent', endedAtMs: null };
    this.#requests.put(requestId, made);
    this.#proceed(made, suffix);
    return accepted(made);
  }

  #problemOf(form: URLSearchParams, key: string): string | undefined {
    if (form.get('username') !== 'sandbox') return 'Airtime is not enabled for this account';
    if (key === '') return undefined;
    const nowMs = Date.now() + this.#skewMs;
    const beforeMs = this.#keys.get(key) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - beforeMs < WINDOW_MS) {
      return 'A duplicate request was received within the last 5 minutes';
    }
    this.#keys.put(key, nowMs);
    return undefined;
  }

  #proceed({ requestId }: Request, suffix: string): void {
    const { deliverAfterMs } = this.#options;
    const end = (
      status: 'Success' | 'Failed',
      tellAfterMs: readonly number[] = [0],
      afterMs = deliverAfterMs,
    ): void => this.later.run(afterMs, { kind: 'end', requestId, status, tellAfterMs });
    switch (suffix) {
      case '9904':
      case '9924':
        return end('Failed');
      case '9905':
        return end('Success', [0], 4 * deliverAfterMs);
      case '9906':
        return end('Success', [0, 0, 10 * deliverAfterMs], 4 * deliverAfterMs);
      case '9909':
        return;
      case '9911':
        return end('Success', []);
      default:
        return end('Success');
    }
  }

  #end({ requestId, status, tellAfterMs }: Extract<Task, { kind: 'end' }>): void {
    const made = this.#requests.get(requestId);
    if (made === undefined) return;
    made.status = status;
    made.endedAtMs = Date.now();
    this.#requests.put(requestId, made);
    const message = formPost(this.#options.callbackUrl(), {
      requestId,
      status,
      phoneNumber: `+${made.phone}`,
      description: status === 'Success' ? 'Airtime Delivered Successfully' : 'Failed',
      value: `KES ${made.amount}00`,
    });
    for (const delayMs of tellAfterMs) this.later.run(delayMs, { kind: 'post', post: message });
  }

  #find(requestId: string, response: ServerResponse): void {
    const made = this.#requests.get(requestId);
    if (made === undefined) {
      const failed = { status: 'Failed', errorMessage: 'Transaction not found' };
      return sendJson(response, 200, failed);
    }
    const found = { requestId, status: made.status };
    const content = this.#options.wrapsFound ? { status: 'Success', data: found } : found;
    sendJson(response, 200, content);
  }
}

interface Recipient {
  readonly phoneNumber: string;
  readonly errorMessage: string;
  readonly amount: string;
  readonly status: string;
  readonly requestId: string;
  readonly discount: string;
}

function accepted({ requestId, phone, amount }: Request): Recipient {
  return {
    phoneNumber: `+${phone}`,
    errorMessage: 'None',
    amount: phone.endsWith('9914') ? 'KES 110.0000' : `KES ${amount}00`,
    status: 'Sent',
    requestId,
    discount: 'KES 0.0000',
  };
}

function refused(phone: string, errorMessage: string): Recipient {
  const nothing = { amount: '0', status: 'Failed', requestId: 'None', discount: '0' };
  return { phoneNumber: `+${phone}`, errorMessage, ...nothing };
}

/** @param errorMessage of a request that is refused as a whole. */
function answerWith(responses: readonly Recipient[], errorMessage = 'None'): object {
  const sent = responses.filter(({ status }) => status === 'Sent');
  const total = sent.reduce((sum, { amount }) => sum + Number(amount.replace('KES ', '')), 0);
  return {
    errorMessage,
    numSent: sent.length,
    totalAmount: sent.length === 0 ? '0' : `KES ${total.toFixed(4)}`,
    totalDiscount: sent.length === 0 ? '0' : 'KES 0.0000',
    responses,
  };
}
