import { createHash } from 'node:crypto';
import { shillings } from '../emulator.ts';
import type { TruthEntry } from '../emulator.ts';
import { Later, jsonPost, post } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';
import { stamp } from './results.ts';

/** A customer's payment to the short code, as it was really made. */
export interface Received {
  readonly receipt: string;
  readonly account: string;
  /** Shillings with two decimals. */
  readonly amount: string;
  readonly msisdn: string;
  readonly paidAtMs: number;
}

/** The gateway's answer; undefined: no such operation here. */
export type Answer = { readonly status: number; readonly body: object } | undefined;

type Content = Readonly<Record<string, unknown>>;

interface Push {
  readonly checkoutRequestId: string;
  readonly merchantRequestId: string;
  readonly phone: string;
  readonly callbackUrl: string;
  code: number | null;
}

interface Urls {
  readonly confirmation: string;
  readonly validation: string;
  /** Version 1 reports a digest of the payer's number, version 2 masks it. */
  readonly version: 'v1' | 'v2';
}

/** Scheduled work: a call to the service, or a payment of a simulated customer. */
type Task = { readonly kind: 'post'; readonly post: Post } | ({ readonly kind: 'pay' } & Payment);

interface Payment {
  readonly account: string;
  readonly amount: string;
  readonly msisdn: string;
  readonly paidAtMs?: number;
}

const MASKED = '2547 ***** 001';
/** Without one of them a prompt is refused. */
const PROMPT_FIELDS = [
  ...[
    'BusinessShortCode',
    'Password',
    'Timestamp',
    'TransactionType',
    'Amount',
    'PartyA',
    'PartyB',
  ],
  ...['PhoneNumber', 'CallBackURL', 'AccountReference', 'TransactionDesc'],
];
/** Rows of one answer of the pull. */
const PAGE_ROWS = 10;

export interface MoneyInOptions {
  readonly shortCode: string;
  /** Customers pay to this till of the short code, without an account number. Left out: to the short code itself. */
  readonly till?: string;
  /** As in production, where the URLs can be registered once. */
  readonly registersOnce: boolean;
}

/** Customers pay; the last four digits of their number decide what is reported. */
export class MoneyInEmulator {
  readonly later: Later<Task>;
  readonly #options: MoneyInOptions;
  readonly #received: Table<Received>;
  readonly #pushes: Table<Push>;
  /** One row each. */
  readonly #urls: Table<Urls>;
  readonly #numbers: Table<number>;
  #validates = false;

  constructor(options: MoneyInOptions, memory = new Memory()) {
    this.#options = options;
    this.#received = memory.table('received');
    this.#pushes = memory.table('pushes');
    this.#urls = memory.table('urls');
    this.#numbers = memory.table('numbers');
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'pay') await this.receive(task);
      else await post(task.post);
    });
  }

  /** Safaricom enables validation on request. */
  enableValidation(): void {
    this.#validates = true;
  }

  /** Lists the payments that customers really made. */
  truth(): TruthEntry[] {
    return this.#received.rows().map(({ receipt, account, amount, paidAtMs }) => ({
      reference: receipt,
      biller: this.#options.shortCode,
      account,
      amount,
      paid_at: new Date(paidAtMs).toISOString(),
    }));
  }

  /** Returns undefined if validation refused it. */
  async receive({
    account,
    amount,
    msisdn,
    paidAtMs = Date.now(),
  }: Payment): Promise<Received | undefined> {
    const made = this.#make({ account, amount, msisdn, paidAtMs });
    const urls = this.#urls.get('last');
    if (this.#validates && urls !== undefined) {
      const { status, body } = await ask(urls.validation, this.#bodyOf(made, ''));
      if (status !== 200 || body['ResultCode'] !== '0') return undefined;
    }
    this.#received.put(made.receipt, made);
    this.#report(made);
    return made;
  }

  /** Lets testers act as the customer: `account`, `amount` and `phone`. */
  async customerPays(content: Content): Promise<Received | { readonly error: string }> {
    const { amount, phone = '254700000001' } = content;
    const account = this.#options.till === undefined ? content['account'] : '';
    const isAmount = /^\d{1,6}(\.\d{1,2})?$/.test(String(amount)) && Number(amount) > 0;
    if (typeof account !== 'string' || (account === '' && this.#options.till === undefined))
      return { error: 'account: a string is needed' };
    if (!isAmount) return { error: 'amount: shillings such as 500.00 are needed' };
    const made = { account, amount: shillings(Number(amount)), msisdn: String(phone) };
    return (await this.receive(made)) ?? { error: 'the validation refused the payment' };
  }

  operate(url: string, content: Content): Answer {
    switch (url) {
      case '/mpesa/c2b/v1/registerurl':
        return this.#register(content, 'v1');
      case '/mpesa/c2b/v2/registerurl':
        return this.#register(content, 'v2');
      case '/mpesa/c2b/v1/simulate':
      case '/mpesa/c2b/v2/simulate':
        return this.#simulate(content);
      case '/pulltransactions/v1/register':
        return {
          status: 200,
          body: {
            ResponseRefID: '18633-7271215-1',
            ResponseStatus: '1000',
            ShortCode: this.#options.shortCode,
            ResponseDescription: 'Registered for pull',
          },
        };
      case '/pulltransactions/v1/query':
        return this.#pull(content);
      case '/mpesa/stkpush/v1/processrequest':
        return this.#push(content);
      case '/mpesa/stkpushquery/v1/query':
        return this.#pushState(content);
      default:
        return undefined;
    }
  }

  #make(payment: Omit<Received, 'receipt'>): Received {
    // A number is used once in all of M-PESA.
    const series = this.#options.till === undefined ? 'UA51' : 'UA52';
    return { ...payment, receipt: `${series}${String(this.#nextNumber()).padStart(6, '0')}` };
  }

  #nextNumber(): number {
    const number = (this.#numbers.get('last') ?? 0) + 1;
    this.#numbers.put('last', number);
    return number;
  }

  #register(content: Content, version: Urls['version']): Answer {
    if (this.#options.registersOnce && this.#urls.get('last') !== undefined) {
      const body = {
        requestId: '1-1',
        errorCode: '500.003.1001',
        errorMessage: 'Urls are already registered.',
      };
      return { status: 500, body };
    }
    this.#urls.put('last', {
      confirmation: String(content['ConfirmationURL']),
      validation: String(content['ValidationURL']),
      version,
    });
    const body = {
      OriginatorCoversationID: '7619-1',
      ResponseCode: '0',
      ResponseDescription: 'success',
    };
    return { status: 200, body };
  }

  #simulate(content: Content): Answer {
    this.later.run(0, {
      kind: 'pay',
      account: String(content['BillRefNumber']),
      amount: shillings(Number(content['Amount'])),
      msisdn: String(content['Msisdn']),
    });
    const body = {
      OriginatorCoversationID: '7619-2',
      ResponseCode: '0',
      ResponseDescription: 'Accept the service request successfully.',
    };
    return { status: 200, body };
  }

  /** Confirms as often as the payer's number says. */
  #report(made: Received): void {
    const url = this.#urls.get('last')?.confirmation;
    if (url === undefined) return;
    const times = { '9911': 0, '9906': 3 }[made.msisdn.slice(-4)] ?? 1;
    for (let time = 0; time < times; time += 1) {
      this.later.run(0, { kind: 'post', post: jsonPost(url, this.#bodyOf(made, '1500.00')) });
    }
  }

  #bodyOf(made: Received, balance: string): object {
    return {
      TransactionType: this.#options.till === undefined ? 'Pay Bill' : 'Buy Goods',
      TransID: made.receipt,
      TransTime: stamp(made.paidAtMs),
      TransAmount: made.amount,
      BusinessShortCode: this.#options.till ?? this.#options.shortCode,
      BillRefNumber: made.account,
      InvoiceNumber: '',
      OrgAccountBalance: balance,
      ThirdPartyTransID: '',
      MSISDN: this.#urls.get('last')?.version === 'v1' ? digestOf(made.msisdn) : MASKED,
      FirstName: 'TEST',
      MiddleName: '',
      LastName: '',
    };
  }

  #pull(content: Content): Answer {
    const [from, to] = [localMs(content['StartDate']), localMs(content['EndDate'])];
    const reach = Date.now() - 48 * 3_600_000;
    const listed = this.#received.rows().filter(({ paidAtMs }) => {
      const second = Math.floor(paidAtMs / 1000) * 1000;
      return paidAtMs > reach && second >= from && second <= to;
    });
    const offset = Number(content['OffSetValue']);
    const rows = listed.slice(offset, offset + PAGE_ROWS).map((made) => ({
      transactionId: made.receipt,
      // The time of East Africa, with the Z of the documented sample.
      trxDate: new Date(made.paidAtMs + 3 * 3_600_000).toISOString().replace(/\..*/, 'Z'),
      msisdn: Number(made.msisdn),
      sender: 'MPESA',
      transactiontype:
        this.#options.till === undefined ? 'c2b-pay-bill-debit' : 'c2b-buy-goods-debit',
      billreference: made.account,
      amount: made.amount,
      organizationname: 'Example Vendor',
    }));
    const ids = { ResponseRefID: '26178-42530161-2' };
    const body =
      rows.length === 0
        ? { ...ids, ResponseCode: '1001', ResponseMessage: 'No records found', Transaction: '[[]]' }
        : { ...ids, ResponseCode: '1000', ResponseMessage: 'Success', Response: [rows] };
    return { status: 200, body };
  }

  /** The prompt on the phone: 9932 cancels it, 9909 never answers, 9911 pays without a callback. */
  #push(content: Content): Answer {
    const missing = PROMPT_FIELDS.find(
      (name) => !['string', 'number'].includes(typeof content[name]),
    );
    if (missing !== undefined) {
      const errorMessage = `Bad Request - Invalid ${missing}`;
      return { status: 400, body: { requestId: '1-4', errorCode: '400.002.02', errorMessage } };
    }
    const phone = String(content['PhoneNumber']);
    const number = this.#nextNumber();
    const push: Push = {
      checkoutRequestId: `ws_CO_0501202610153${String(number).padStart(6, '0')}`,
      merchantRequestId: `29115-34620561-${number}`,
      phone,
      callbackUrl: String(content['CallBackURL']),
      code: null,
    };
    this.#pushes.put(push.checkoutRequestId, push);
    const suffix = phone.slice(-4);
    if (suffix === '9932') this.#endPush(push, 1032, undefined);
    else if (suffix !== '9909') {
      const account = String(content['AccountReference']);
      const amount = shillings(Number(content['Amount']));
      const made = this.#make({ account, amount, msisdn: phone, paidAtMs: Date.now() });
      this.#received.put(made.receipt, made);
      this.#report(made);
      this.#endPush(push, 0, made);
    }
    return {
      status: 200,
      body: {
        MerchantRequestID: push.merchantRequestId,
        CheckoutRequestID: push.checkoutRequestId,
        ResponseCode: '0',
        ResponseDescription: 'Success. Request accepted for processing',
        CustomerMessage: 'Success. Request accepted for processing',
      },
    };
  }

  #endPush(push: Push, code: number, made: Received | undefined): void {
    push.code = code;
    this.#pushes.put(push.checkoutRequestId, push);
    if (push.phone.endsWith('9911')) return;
    const Item = made && [
      { Name: 'Amount', Value: Number(made.amount) },
      { Name: 'MpesaReceiptNumber', Value: made.receipt },
      { Name: 'Balance' },
      { Name: 'TransactionDate', Value: Number(stamp(made.paidAtMs)) },
      { Name: 'PhoneNumber', Value: Number(push.phone) },
    ];
    const stkCallback = {
      MerchantRequestID: push.merchantRequestId,
      CheckoutRequestID: push.checkoutRequestId,
      ResultCode: code,
      ResultDesc:
        code === 0 ? 'The service request is processed successfully.' : 'Request cancelled by user',
      ...(Item === undefined ? {} : { CallbackMetadata: { Item } }),
    };
    this.later.run(1, {
      kind: 'post',
      post: jsonPost(push.callbackUrl, { Body: { stkCallback } }),
    });
  }

  #pushState(content: Content): Answer {
    const push = this.#pushes.get(String(content['CheckoutRequestID']));
    if (push === undefined || push.code === null) {
      const body = {
        requestId: '1-3',
        errorCode: '500.001.1001',
        errorMessage: 'The transaction is being processed',
      };
      return { status: 500, body };
    }
    return {
      status: 200,
      body: {
        ResponseCode: '0',
        ResponseDescription: 'The service request has been accepted successsfully',
        MerchantRequestID: push.merchantRequestId,
        CheckoutRequestID: push.checkoutRequestId,
        ResultCode: String(push.code),
        ResultDesc:
          push.code === 0
            ? 'The service request is processed successfully.'
            : 'Request cancelled by user',
      },
    };
  }
}

const digestOf = (msisdn: string): string => createHash('sha256').update(msisdn).digest('hex');

/** Milliseconds of `YYYY-MM-DD HH:MM:SS` in East Africa. */
function localMs(text: unknown): number {
  return Date.parse(`${String(text).replace(' ', 'T')}+03:00`);
}

/** POSTs JSON and reads the JSON answer. */
async function ask(url: string, content: object): Promise<{ status: number; body: Content }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(content),
  });
  return { status: answer.status, body: (await answer.json()) as Content };
}
