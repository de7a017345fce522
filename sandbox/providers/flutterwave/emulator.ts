import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Deliveries, shillings } from '../emulator.ts';
import type { Delivery, TruthEntry } from '../emulator.ts';
import { readBody, sendJson } from '../http.ts';
import { Later, post, signedPost } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';
import { envelope, paidAnswer, statusAnswer, validated, webhook } from './answers.ts';
import type { Payment } from './answers.ts';

export interface FlutterwaveOptions {
  readonly secretKey: string;
  /** The value of `verif-hash`. */
  readonly secretHash: string;
  /** The URL of the dashboard. */
  readonly webhookUrl: () => string;
  /** Time from the answer to the end; 9905 and 9906 take four times as long. */
  readonly endsAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** By which name a payment is found: the sample has Flutterwave's, some clients use their own. */
  readonly statusBy: 'tx_ref' | 'reference';
  /** Which payments a status query finds: what being found means is not documented. */
  readonly finds: 'paid' | 'accepted';
  /** Effect of a used reference; not known of the real provider. */
  readonly usedReference: 'refused' | 'executes';
}

/** A later event: a webhook, or the end of a payment. */
type Task =
  | { readonly kind: 'post'; readonly post: Post }
  | {
      readonly kind: 'end';
      readonly txRef: string;
      readonly status: 'success' | 'fail';
      /** When each webhook is sent, from the end on. */
      readonly tellAfterMs: readonly number[];
    };

interface Body {
  readonly customer_id?: unknown;
  readonly amount?: unknown;
  readonly reference?: unknown;
  readonly callback_url?: unknown;
  readonly country?: unknown;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const VALIDATE = /^GET \/v3\/bill-items\/([^/]+)\/validate$/;
const PAY = /^POST \/v3\/billers\/([^/]+)\/items\/([^/]+)\/payment$/;
const STATUS = /^GET \/v3\/bills\/([^/]+)$/;

/** Bill payments of v3. */
export class FlutterwaveEmulator {
  readonly later: Later<Task>;
  readonly #options: FlutterwaveOptions;
  readonly #deliveries: Deliveries;
  readonly #payments: Table<Payment>;
  readonly #wasLow: Table<true>;
  #refusals = 0;

  constructor(options: FlutterwaveOptions, memory = new Memory()) {
    this.#options = options;
    this.#deliveries = new Deliveries(memory, options.slowMs);
    this.#payments = memory.table('payments');
    this.#wasLow = memory.table('low');
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'post') await post(task.post);
      else this.#end(task);
    });
  }

  /** Refuses this many of the next calls. */
  limitRate(requests: number): void {
    this.#refusals = requests;
  }

  /** Lists everything that was paid. */
  truth(): TruthEntry[] {
    return this.#payments
      .rows()
      .filter(({ status }) => status === 'success')
      .map(({ reference, itemCode, customer, amount, endedAtMs }) => ({
        reference,
        biller: itemCode,
        account: customer,
        amount: shillings(amount),
        paid_at: new Date(endedAtMs ?? 0).toISOString(),
      }));
  }

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === '/truth') return sendJson(response, 200, this.truth());
    const refused = this.#refusalOf(request);
    if (refused !== undefined) return sendJson(response, refused.status, refused.body);
    const line = `${request.method ?? ''} ${url.pathname}`;
    const [, biller = '', item = ''] = PAY.exec(line) ?? [];
    if (item !== '')
      return this.#payment({ biller, item, body: JSON.parse(text) as Body }, response);
    const { status, body } = this.#question(line, url.searchParams);
    sendJson(response, status, body);
  }

  #refusalOf({ headers }: IncomingMessage): Answer | undefined {
    if (headers.authorization !== `Bearer ${this.#options.secretKey}`) {
      return refusal(401, 'Invalid authorization key');
    }
    if (this.#refusals === 0) return undefined;
    this.#refusals -= 1;
    return refusal(429, 'Too many requests');
  }

  #question(line: string, query: URLSearchParams): Answer {
    const [, item] = VALIDATE.exec(line) ?? [];
    if (item !== undefined) {
      const customer = query.get('customer') ?? '';
      return customer.endsWith('9902')
        ? refusal(400, 'Invalid customer id')
        : { status: 200, body: validated(item, query.get('code') ?? '', customer) };
    }
    const [, name = ''] = STATUS.exec(line) ?? [];
    const payment = this.#named(decodeURIComponent(name));
    return payment === undefined
      ? refusal(404, 'No transaction was found for this id')
      : { status: 200, body: statusAnswer(payment) };
  }

  /** Payments that failed are not found: what is shown of them is not documented. */
  #named(name: string): Payment | undefined {
    const { finds } = this.#options;
    return this.#payments
      .rows()
      .filter(
        ({ status }) => status === 'success' || (status === 'pending' && finds === 'accepted'),
      )
      .find(({ txRef, reference }) =>
        this.#options.statusBy === 'tx_ref' ? txRef === name : reference === name,
      );
  }

  #payment(
    { biller, item, body }: { readonly biller: string; readonly item: string; readonly body: Body },
    response: ServerResponse,
  ): void {
    const customer = String(body.customer_id);
    const problem = problemOf(body) ?? this.#problemNow(customer, String(body.reference));
    if (problem !== undefined) return sendJson(response, problem.status, problem.body);
    const delivery: Delivery = this.#deliveries.of(customer);
    if (delivery === 'lost') return void response.destroy();
    const number = this.#payments.size + 1;
    const payment: Payment = {
      txRef: `CF-FLYAPI-202601051015${String(number).padStart(10, '0')}`,
      flwRef: `BPUSSD1767597${String(number).padStart(13, '0')}`,
      reference: String(body.reference),
      billerCode: biller,
      itemCode: item,
      customer,
      amount: Number(body.amount),
      callbackUrl: typeof body.callback_url === 'string' ? body.callback_url : null,
      status: 'pending',
      endedAtMs: null,
      token: null,
    };
    this.#payments.put(payment.txRef, payment);
    const answer = this.#act(payment, customer.slice(-4));
    this.#deliveries.answer(response, delivery, () =>
      sendJson(response, answer.status, answer.body),
    );
  }

  #problemNow(customer: string, reference: string): Answer | undefined {
    const isUsed = this.#payments.rows().some((one) => one.reference === reference);
    if (isUsed && this.#options.usedReference === 'refused') {
      return refusal(400, 'Duplicate reference');
    }
    if (customer.endsWith('9902')) return refusal(400, 'Invalid customer id');
    if (customer.endsWith('9918') && this.#wasLow.get(customer) === undefined) {
      this.#wasLow.put(customer, true);
      return refusal(400, 'Insufficient funds in your wallet');
    }
    return undefined;
  }

  #act(payment: Payment, suffix: string): Answer {
    const { endsAfterMs } = this.#options;
    const { txRef } = payment;
    const end = (status: 'success' | 'fail', tellAfterMs = [1], afterMs = endsAfterMs): void =>
      this.later.run(afterMs, { kind: 'end', txRef, status, tellAfterMs });
    const now = (tellAfterMs = [endsAfterMs]): void =>
      this.#end({ kind: 'end', txRef, status: 'success', tellAfterMs });
    const pending = { status: 200, body: paidAnswer(payment, '202') };
    switch (suffix) {
      case '9904':
      case '9924':
        end('fail');
        return pending;
      case '9905':
        end('success', [1], 4 * endsAfterMs);
        return pending;
      case '9906':
        end('success', [1, 1, 10 * endsAfterMs], 4 * endsAfterMs);
        return pending;
      case '9909':
        return pending;
      case '9911':
        now([]);
        break;
      case '9916':
        // The token follows with the end.
        end('success', [1], 4 * endsAfterMs);
        return { status: 200, body: paidAnswer(payment, '200') };
      case '9917':
        now();
        return BUSY;
      case '9919':
        end('fail', []);
        return BUSY;
      case '9920':
        this.#tell({ ...payment, reference: `${payment.reference}X`, status: 'fail' }, 1);
        now();
        break;
      default:
        now();
    }
    return { status: 200, body: paidAnswer(payment, '200') };
  }

  #end({ txRef, status, tellAfterMs }: Extract<Task, { kind: 'end' }>): void {
    const payment = this.#payments.get(txRef);
    if (payment === undefined) return;
    payment.status = status;
    payment.endedAtMs = Date.now();
    if (status === 'success' && payment.itemCode.startsWith('UB')) {
      payment.token = '00001111222233334444';
    }
    this.#payments.put(txRef, payment);
    for (const afterMs of tellAfterMs) this.#tell(payment, afterMs);
  }

  #tell(payment: Payment, afterMs: number): void {
    const url = payment.callbackUrl ?? this.#options.webhookUrl();
    const headers = { 'verif-hash': this.#options.secretHash };
    const body = JSON.stringify(webhook(payment));
    this.later.run(afterMs, { kind: 'post', post: signedPost(url, body, headers) });
  }
}

/** Documented for a request that takes more than 28 seconds: it may have been executed. */
const BUSY = refusal(503, 'An error occurred. Please contact support');

function refusal(status: number, message: string): Answer {
  return { status, body: envelope('error', message, null) };
}

function problemOf({
  customer_id: customer,
  amount,
  reference,
  country,
}: Body): Answer | undefined {
  if (typeof country !== 'string') return refusal(400, 'country is required');
  if (typeof customer !== 'string') return refusal(400, 'customer_id is required');
  if (typeof reference !== 'string') return refusal(400, 'reference is required');
  if (typeof amount !== 'number' || !(amount > 0)) return refusal(400, 'amount is required');
  return undefined;
}
