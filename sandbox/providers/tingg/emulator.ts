import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Deliveries, shillings } from '../emulator.ts';
import type { TruthEntry } from '../emulator.ts';
import { readBody, sendJson } from '../http.ts';
import { Later, jsonPost, post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';

export interface TinggOptions {
  readonly username: string;
  readonly password: string;
  /** Time from the answer to the end, and between two callbacks. */
  readonly endsAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** Effect of a used payerTransactionID; not known of the real provider. */
  readonly usedId: 'refused' | 'executes';
  /** A status query without its own id is invalid, as its documents say. */
  readonly requiresOwnId: boolean;
}

interface Packet {
  readonly payerTransactionID?: string;
  readonly beepTransactionID?: string;
  readonly serviceCode?: string;
  readonly accountNumber?: string;
  readonly MSISDN?: string;
  readonly amount?: number;
  readonly extraData?: { readonly callbackUrl?: string };
}

interface Payment {
  readonly transactionId: string;
  readonly beepTransactionId: number;
  readonly serviceCode: string;
  readonly account: string;
  readonly amount: number;
  readonly callbackUrl: string;
  code: number;
  endedAtMs: number | null;
}

/** A later event: a callback, or the end of a payment. */
type Task =
  | { readonly kind: 'callback'; readonly id: number; readonly times: number }
  | { readonly kind: 'end'; readonly id: number; readonly code: number; readonly reports: boolean };

interface Result {
  readonly statusCode: number;
  readonly statusDescription: string;
  readonly [name: string]: unknown;
}

const PAID = new Set([183, 217]);
const OPENING_FLOAT = 1_000_000;
/** The real one repeats for 24 hours. */
const MAX_CALLBACKS = 3;
const ACKNOWLEDGED = /"statusCode":\s*"?(?:183|180|188)\b/;

/** Payments by BEEP v1: always HTTP 200. */
export class TinggEmulator {
  readonly later: Later<Task>;
  readonly #options: TinggOptions;
  readonly #deliveries: Deliveries;
  readonly #payments: Table<Payment>;
  readonly #wasLow: Table<true>;

  constructor(options: TinggOptions, memory = new Memory()) {
    this.#options = options;
    this.#deliveries = new Deliveries(memory, options.slowMs);
    this.#payments = memory.table('payments');
    this.#wasLow = memory.table('low');
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'callback') await this.#callBack(task);
      else this.#end(task);
    });
  }

  /** Lists everything that was paid. */
  truth(): TruthEntry[] {
    return this.#payments
      .rows()
      .filter(({ code }) => PAID.has(code))
      .map(({ transactionId, serviceCode, account, amount, endedAtMs }) => ({
        reference: transactionId,
        biller: serviceCode,
        account,
        amount: shillings(amount),
        paid_at: new Date(endedAtMs ?? 0).toISOString(),
      }));
  }

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    if (request.url === '/truth') return sendJson(response, 200, this.truth());
    const body = JSON.parse(text) as {
      readonly function?: string;
      readonly payload?: { readonly credentials?: object; readonly packet?: readonly Packet[] };
    };
    const { username, password } = this.#options;
    const given = JSON.stringify(body.payload?.credentials);
    if (given !== JSON.stringify({ username, password })) {
      const authStatus = { authStatusCode: 132, authStatusDescription: 'Authentication failed' };
      return sendJson(response, 200, { authStatus, results: [] });
    }
    const { function: operation = '' } = body;
    const packets = body.payload?.packet ?? [];
    const delivery =
      operation === 'BEEP.postPayment'
        ? this.#deliveries.of(packets[0]?.accountNumber ?? '')
        : 'given';
    if (delivery === 'lost') return void response.destroy();
    const results = packets.map((packet) => this.#operate(operation, packet));
    this.#deliveries.answer(response, delivery, () => sendJson(response, 200, accepted(results)));
  }

  #operate(operation: string, packet: Packet): Result {
    switch (operation) {
      case 'BEEP.postPayment':
        return this.#pay(packet);
      case 'BEEP.queryPaymentStatus': {
        if (this.#options.requiresOwnId && packet.beepTransactionID === undefined) {
          return result(167, 'Invalid request');
        }
        const payment = this.#payments
          .rows()
          .find(({ transactionId }) => transactionId === packet.payerTransactionID);
        return payment === undefined ? result(143, 'Transaction not found') : statusShown(payment);
      }
      case 'BEEP.queryBill':
        if (lacksNames(packet)) return result(167, 'Invalid request');
        return packet.accountNumber?.endsWith('9902') === true
          ? result(306, 'Invalid account')
          : {
              ...result(308, 'Bill available'),
              accountNumber: packet.accountNumber,
              serviceCode: packet.serviceCode,
              dueDate: '2026-01-31 00:00:00',
              dueAmount: 2_500.5,
              currency: 'KES',
              customerName: 'TEST CUSTOMER',
            };
      case 'BEEP.validateAccount':
        if (lacksNames(packet)) return result(167, 'Invalid request');
        return packet.accountNumber?.endsWith('9902') === true
          ? result(306, 'Invalid account')
          : { ...result(307, 'Valid account'), active: 'yes', customerName: 'TEST CUSTOMER' };
      case 'BEEP.queryFloatBalance': {
        const spent = this.truth().reduce((sum, { amount }) => sum + Number(amount), 0);
        const balance = OPENING_FLOAT - spent;
        return { ...result(418, 'Float'), balance, floatAccountName: 'F', currencyCode: 'KES' };
      }
      default:
        return result(167, 'Invalid request');
    }
  }

  #pay(packet: Packet): Result {
    const { payerTransactionID: transactionId = '', accountNumber: account = '' } = packet;
    const ids = { payerTransactionID: transactionId };
    const suffix = account.slice(-4);
    const isUsed = this.#payments.rows().some((one) => one.transactionId === transactionId);
    if (isUsed && this.#options.usedId === 'refused') return { ...result(174, 'Failure'), ...ids };
    if (suffix === '9902' || packet.serviceCode === undefined) {
      return { ...result(167, 'Invalid request'), ...ids };
    }
    if (suffix === '9918' && this.#wasLow.get(account) === undefined) {
      this.#wasLow.put(account, true);
      return { ...result(230, 'Float too low'), ...ids };
    }
    const payment: Payment = {
      transactionId,
      beepTransactionId: 9_000_000_001 + this.#payments.size,
      serviceCode: packet.serviceCode,
      account,
      amount: packet.amount ?? 0,
      callbackUrl: packet.extraData?.callbackUrl ?? '',
      code: 139,
      endedAtMs: null,
    };
    this.#proceed(payment, suffix);
    this.#payments.put(payment.beepTransactionId, payment);
    const answer = suffix === '9917' ? result(174, 'Failure') : result(139, 'Payment pending');
    const beepTransactionID = payment.beepTransactionId;
    return { ...answer, ...ids, beepTransactionID, receiptNumber: '' };
  }

  #proceed(payment: Payment, suffix: string): void {
    const { endsAfterMs } = this.#options;
    const end = (code: number, reports = true, afterMs = endsAfterMs): void =>
      this.later.run(afterMs, { kind: 'end', id: payment.beepTransactionId, code, reports });
    switch (suffix) {
      case '9904':
      case '9924':
        return end(180);
      case '9905':
      case '9906':
        payment.code = 148;
        return end(183, true, 4 * endsAfterMs);
      case '9909':
        payment.code = 219;
        return;
      case '9911':
        return end(183, false);
      case '9920':
        payment.code = 219;
        return end(217, false);
      case '9922':
        payment.code = 219;
        return end(216, false);
      default:
        payment.code = 148;
        return end(183);
    }
  }

  #end({ id, code, reports }: Extract<Task, { kind: 'end' }>): void {
    const payment = this.#payments.get(id);
    if (payment === undefined) return;
    payment.code = code;
    payment.endedAtMs = Date.now();
    this.#payments.put(id, payment);
    if (reports) this.#callBackLater(id, MAX_CALLBACKS);
    if (payment.account.endsWith('9906')) this.#callBackLater(id, 1);
  }

  /** It is repeated until the answer's body acknowledges it. */
  async #callBack({ id, times }: Extract<Task, { kind: 'callback' }>): Promise<void> {
    const payment = this.#payments.get(id);
    if (payment === undefined) return;
    const { username, password } = this.#options;
    // As the real one does: our credentials come back to us.
    const content = {
      function: 'BEEP.postPayment',
      payload: { credentials: { username, password }, packet: [statusShown(payment)] },
    };
    const answer = await post(jsonPost(payment.callbackUrl, content)).catch(() => undefined);
    if (answer === undefined || !ACKNOWLEDGED.test(answer.body)) this.#callBackLater(id, times - 1);
  }

  #callBackLater(id: number, times: number): void {
    if (times > 0) this.later.run(this.#options.endsAfterMs, { kind: 'callback', id, times });
  }
}

/** Questions about accounts require them, though nothing is paid. */
function lacksNames({ MSISDN: phone, payerTransactionID: id }: Packet): boolean {
  return phone === undefined || id === undefined;
}

function result(statusCode: number, statusDescription: string): Result {
  return { statusCode, statusDescription };
}

function accepted(results: readonly Result[]): object {
  const authStatusDescription = 'Authentication was successful';
  return { authStatus: { authStatusCode: 131, authStatusDescription }, results };
}

function statusShown(payment: Payment): Result {
  const isPaid = PAID.has(payment.code);
  return {
    ...result(payment.code, isPaid ? 'Payment accepted' : 'Payment status'),
    payerTransactionID: payment.transactionId,
    beepTransactionID: payment.beepTransactionId,
    MSISDN: '254700000001',
    payerClientCode: 'TEST',
    receiptNumber: JSON.stringify([isPaid ? `TG${payment.beepTransactionId}` : '']),
    receiverNarration: isPaid ? 'Token: 0000-1111-2222-3333-4444 Units: 19.8 kWh' : '',
    totalRecordsPendingQuery: 0,
    totalRecordsPendingAck: 0,
    paymentExtraData: {},
  };
}
