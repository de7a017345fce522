import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Deliveries, shillings } from '../emulator.ts';
import type { TruthEntry } from '../emulator.ts';
import { readBody, sendJson } from '../http.ts';
import { Later, jsonPost, post } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';
import { commitAnswer, prepareAnswer, tersely } from './answers.ts';
import type { Transaction } from './answers.ts';

export interface JambopayOptions {
  readonly username: string;
  readonly password: string;
  readonly appKey: string;
  readonly callbackAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** Form of a refusal; not established for the real one. */
  readonly errors: 'code_field' | 'http_400';
  /** Effect of a second commit of a transaction; documented for airtime only. */
  readonly secondCommit: 'refused' | 'executes';
}

type Form = Readonly<Record<string, string>>;

const ACCOUNT_FIELDS: Readonly<Record<string, string>> = {
  kplc: 'MeterNumber',
  nairobiwater: 'AccountNumber',
  credit: 'PhoneNumber',
};

/** Prepares, and executes what is committed. */
export class JambopayEmulator {
  readonly later: Later<Post>;
  readonly #options: JambopayOptions;
  readonly #deliveries: Deliveries;
  readonly #transactions: Table<Transaction>;
  #token: string | undefined;
  #refusals = 0;

  constructor(options: JambopayOptions, memory = new Memory()) {
    this.#options = options;
    this.#deliveries = new Deliveries(memory, options.slowMs);
    this.#transactions = memory.table('transactions');
    this.later = new Later(memory, async (message) => void (await post(message)));
  }

  expireTokens(): void {
    this.#token = undefined;
  }

  /** Refuses this many of the next calls with a rate limit. */
  limitRate(requests: number): void {
    this.#refusals = requests;
  }

  /** Lists everything that was executed and not given back. */
  truth(): TruthEntry[] {
    return this.#transactions.rows().flatMap(({ transactionId, stream, account, ...rest }) =>
      rest.isRefunded
        ? []
        : rest.executedAtMs.map((atMs) => ({
            reference: transactionId,
            biller: stream,
            account,
            amount: shillings(rest.soldFor),
            paid_at: new Date(atMs).toISOString(),
          })),
    );
  }

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await readBody(request)));
    const target = `${request.method} ${request.url}`;
    if (target === 'GET /truth') return sendJson(response, 200, this.truth());
    if (target === 'POST /token') return this.#issueToken(form, response);
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      return sendJson(response, 429, { Message: 'Too many requests.' });
    }
    const { authorization, app_key: appKey } = request.headers;
    const isKnown = this.#token !== undefined && authorization === `bearer ${this.#token}`;
    if (!isKnown || appKey !== this.#options.appKey) {
      const Message = 'Authorization has been denied for this request.';
      return sendJson(response, 401, { Message });
    }
    if (target === 'POST /api/payments/POST') return this.#prepare(form, response);
    if (target === 'PUT /api/payments/PUT') return this.#commit(form, response);
    sendJson(response, 404, { Message: 'No HTTP resource was found.' });
  }

  #issueToken(form: Form, response: ServerResponse): void {
    const { username, password } = this.#options;
    const isKnown = form['username'] === username && form['password'] === password;
    if (!isKnown || !['agency', 'password'].includes(form['grant_type'] ?? '')) {
      const error_description = 'The user name or password is incorrect.';
      return sendJson(response, 400, { error: 'invalid_grant', error_description });
    }
    this.#token = randomUUID();
    sendJson(response, 200, {
      access_token: this.#token,
      token_type: 'bearer',
      expires_in: 86_399,
    });
  }

  #refuse(response: ServerResponse, code: string, message: string): void {
    if (this.#options.errors === 'http_400') return sendJson(response, 400, { Message: message });
    sendJson(response, 200, { ErrorCode: Number(code), Message: message });
  }

  #prepare(form: Form, response: ServerResponse): void {
    const stream = form['Stream'] ?? '';
    const account = form[ACCOUNT_FIELDS[stream] ?? ''] ?? '';
    const amount = Number(form['Amount']);
    const isWhole = /^\d{1,9}(\.\d{1,2})?$/.test(form['Amount'] ?? '') && amount > 0;
    if (account === '' || !isWhole || (form['PhoneNumber'] ?? '') === '') {
      return this.#refuse(response, '1012', 'Invalid request');
    }
    const suffix = account.slice(-4);
    if (suffix === '9902') return this.#refuse(response, '1040', 'Account not found');
    if (suffix === '9925') return this.#refuse(response, '1060', 'Insufficient balance');
    const number = String(this.#transactions.size + 1);
    const transaction: Transaction = {
      transactionId: `JP${number.padStart(10, '0')}`,
      stream,
      account,
      phoneNumber: form['PhoneNumber'] ?? '',
      callbackUrl: form['CallbackUrl'] ?? null,
      amount,
      soldFor: suffix === '9914' ? amount - 10 : amount,
      isCommitted: false,
      isRefunded: false,
      executedAtMs: [],
    };
    this.#transactions.put(transaction.transactionId, transaction);
    const named = suffix === '9920' ? { ...transaction, account: '1' } : transaction;
    sendJson(response, 200, prepareAnswer(named));
  }

  #commit(form: Form, response: ServerResponse): void {
    const transaction = this.#transactions.get(form['TransactionID'] ?? '');
    if (transaction === undefined || transaction.stream !== form['Stream']) {
      return this.#refuse(response, '1051', 'Invalid transaction id');
    }
    if (transaction.isCommitted && this.#options.secondCommit === 'refused') {
      return this.#refuse(response, '1053', 'Transaction already completed');
    }
    const delivery = this.#deliveries.of(transaction.account);
    if (delivery !== 'lost') this.#carryOut(transaction);
    this.#deliveries.answer(response, delivery, () => this.#answer(transaction, response));
  }

  #carryOut(transaction: Transaction): void {
    const suffix = transaction.account.slice(-4);
    transaction.isCommitted = true;
    if (!['9904', '9909', '9924'].includes(suffix)) transaction.executedAtMs.push(Date.now());
    this.#transactions.put(transaction.transactionId, transaction);
    this.#callBack(transaction, suffix);
  }

  #answer(transaction: Transaction, response: ServerResponse): void {
    switch (transaction.account.slice(-4)) {
      case '9909':
        return;
      case '9905':
      case '9924':
        return this.#refuse(response, '4440', 'Internal error');
      case '9917':
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(tersely(transaction));
      case '9918':
        return this.#refuse(response, '1053', 'Transaction already completed');
      case '9919':
        return void this.later
          .quiet()
          .then(() => sendJson(response, 200, commitAnswer(transaction)));
      default:
        return sendJson(response, 200, commitAnswer(transaction));
    }
  }

  #callBack(transaction: Transaction, suffix: string): void {
    switch (suffix) {
      case '9909':
      case '9911':
        return;
      case '9904':
      case '9924':
        return this.#sendCallback(transaction, { refunded: transaction.amount });
      case '9915':
        transaction.isRefunded = true;
        this.#transactions.put(transaction.transactionId, transaction);
        return this.#sendCallback(transaction, { refunded: transaction.amount });
      case '9921':
        this.#sendCallback(transaction, { refunded: null });
        return this.#sendCallback(transaction, { refunded: 10 });
      default:
        for (let time = 0; time < (suffix === '9906' ? 3 : 1); time += 1) {
          this.#sendCallback(transaction, { refunded: null });
        }
    }
  }

  #sendCallback(
    transaction: Transaction,
    { refunded }: { readonly refunded: number | null },
  ): void {
    const { callbackUrl, transactionId, account, phoneNumber, soldFor } = transaction;
    if (callbackUrl === null || transaction.stream !== 'kplc') return;
    const message = {
      TransactionId: transactionId,
      MeterNumber: account,
      PhoneNumber: phoneNumber,
      Amount: refunded ?? soldFor,
      TransactionStatus: refunded === null ? 'completed' : 'cancelled',
      ThirdPartyRef: refunded === null ? `KP${transactionId.slice(-7)}` : '',
      Action: refunded === null ? 'Token Vending' : 'Agent Refunded',
    };
    this.later.run(this.#options.callbackAfterMs, jsonPost(callbackUrl, message));
  }
}
