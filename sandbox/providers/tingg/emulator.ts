import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { Later, postJson } from '../later.ts';

export interface TinggOptions {
  readonly username: string;
  readonly password: string;
  /** Time from the answer to the end, and between two callbacks. */
  readonly endsAfterMs: number;
  /** What a used payerTransactionID comes to; not established for the real one. */
  readonly usedId: 'refused' | 'executes';
}

interface Packet {
  readonly payerTransactionID?: string;
  readonly serviceCode?: string;
  readonly accountNumber?: string;
  readonly MSISDN?: string;
  readonly amount?: number;
  readonly extraData?: { readonly callbackUrl?: string };
}

interface Payment {
  readonly transactionId: string;
  readonly beepTransactionId: number;
  readonly account: string;
  readonly amount: number;
  readonly callbackUrl: string;
  code: number;
}

interface Result {
  readonly statusCode: number;
  readonly statusDescription: string;
  readonly [name: string]: unknown;
}

const PAID = new Set([183, 217]);
const OPENING_FLOAT = 1_000_000;
/** The real one goes on for 24 hours. */
const MOST_CALLBACKS = 3;
const ACKNOWLEDGED = /"statusCode":\s*"?(?:183|180|188)\b/;

/** Payments by BEEP v1: always HTTP 200. */
export class TinggEmulator {
  readonly later = new Later();
  readonly #options: TinggOptions;
  readonly #payments: Payment[] = [];
  readonly #wasLow = new Set<string>();

  constructor(options: TinggOptions) {
    this.#options = options;
  }

  /** What was paid. */
  truth(): { readonly transactionId: string; readonly account: string; readonly amount: string }[] {
    return this.#payments
      .filter(({ code }) => PAID.has(code))
      .map(({ transactionId, account, amount }) => ({
        transactionId,
        account,
        amount: amount.toFixed(2),
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
    const results = (body.payload?.packet ?? []).map((packet) =>
      this.#operate(body.function ?? '', packet),
    );
    sendJson(response, 200, accepted(results));
  }

  #operate(operation: string, packet: Packet): Result {
    switch (operation) {
      case 'BEEP.postPayment':
        return this.#pay(packet);
      case 'BEEP.queryPaymentStatus': {
        const payment = this.#payments.find(
          ({ transactionId }) => transactionId === packet.payerTransactionID,
        );
        return payment === undefined ? result(143, 'Transaction not found') : statusShown(payment);
      }
      case 'BEEP.queryBill':
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
    const isUsed = this.#payments.some((one) => one.transactionId === transactionId);
    if (isUsed && this.#options.usedId === 'refused') return { ...result(174, 'Failure'), ...ids };
    if (suffix === '9902' || packet.serviceCode === undefined) {
      return { ...result(167, 'Invalid request'), ...ids };
    }
    if (suffix === '9918' && !this.#wasLow.has(account)) {
      this.#wasLow.add(account);
      return { ...result(230, 'Float too low'), ...ids };
    }
    const payment: Payment = {
      transactionId,
      beepTransactionId: 9_000_000_001 + this.#payments.length,
      account,
      amount: packet.amount ?? 0,
      callbackUrl: packet.extraData?.callbackUrl ?? '',
      code: 139,
    };
    this.#payments.push(payment);
    this.#proceed(payment, suffix);
    const answer = suffix === '9917' ? result(174, 'Failure') : result(139, 'Payment pending');
    const beepTransactionID = payment.beepTransactionId;
    return { ...answer, ...ids, beepTransactionID, receiptNumber: '' };
  }

  #proceed(payment: Payment, suffix: string): void {
    switch (suffix) {
      case '9904':
        return this.#end(payment, 180);
      case '9909':
        payment.code = 219;
        return;
      case '9911':
        return this.#end(payment, 183, false);
      case '9920':
        payment.code = 219;
        return this.#end(payment, 217, false);
      case '9922':
        payment.code = 219;
        return this.#end(payment, 216, false);
      default:
        payment.code = 148;
        return this.#end(payment, 183);
    }
  }

  #end(payment: Payment, code: number, tells = true): void {
    this.later.run(this.#options.endsAfterMs, () => {
      payment.code = code;
      if (tells) this.#tell(payment, MOST_CALLBACKS);
    });
  }

  /** Repeats itself until the answer's body acknowledges it. */
  #tell(payment: Payment, times: number): void {
    if (times === 0) return;
    this.later.run(this.#options.endsAfterMs, async () => {
      const { username, password } = this.#options;
      // As the real one does: our credentials come back to us.
      const content = {
        function: 'BEEP.postPayment',
        payload: { credentials: { username, password }, packet: [statusShown(payment)] },
      };
      const answer = await postJson(payment.callbackUrl, content);
      if (!ACKNOWLEDGED.test(answer.body)) this.#tell(payment, times - 1);
    });
  }
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
    receiptNumber: isPaid ? `TG${payment.beepTransactionId}` : '',
    receiverNarration: isPaid ? 'Token: 0000-1111-2222-3333-4444 Units: 19.8 kWh' : '',
    totalRecordsPendingQuery: 0,
    totalRecordsPendingAck: 0,
    paymentExtraData: {},
  };
}
