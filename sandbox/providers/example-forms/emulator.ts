import { constants, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http.ts';
import { Later, formPost, post } from '../later.ts';
import { Memory } from '../memory.ts';

export interface ExampleFormsOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Verifies requests; PEM. */
  readonly merchantKey: string;
  readonly callbackUrl: () => string;
  /** Time until what was accepted is decided. */
  readonly decideAfterMs: number;
}

interface Sale {
  readonly key: string;
  readonly account: string;
  readonly amount: string;
  readonly receipt: string;
  status: 'PAID' | 'PENDING' | 'FAILED' | 'REVERSED';
}

/** Executes sales, one for each `key`. */
export class ExampleFormsEmulator {
  /** Nothing survives its process. */
  readonly later = new Later(
    new Memory(),
    async (work: () => void | Promise<void>) => await work(),
  );
  /** Verifies callbacks; PEM. */
  readonly publicKey: string;
  readonly #privateKey: string;
  readonly #options: ExampleFormsOptions;
  readonly #sales = new Map<string, Sale>();
  #tokens = new Set<string>();
  #refusals = 0;

  constructor(options: ExampleFormsOptions) {
    this.#options = options;
    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    this.publicKey = keys.publicKey;
    this.#privateKey = keys.privateKey;
  }

  expireTokens(): void {
    this.#tokens = new Set();
  }

  /** Refuses this many of the next sales with a rate limit. */
  limitRate(requests: number): void {
    this.#refusals = requests;
  }

  /** Lists everything that was executed and not taken back. */
  truth(): { readonly key: string; readonly account: string; readonly amount: string }[] {
    return [...this.#sales.values()]
      .filter(({ status }) => status === 'PAID')
      .map(({ key, account, amount }) => ({ key, account, amount }));
  }

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await readBody(request)));
    const { authorization = '' } = request.headers;
    if (request.url === '/token') return this.#issue(authorization, form, response);
    if (!this.#tokens.has(authorization.replace(/^Bearer /, ''))) {
      return sendJson(response, 401, { error: 'invalid_token' });
    }
    if (request.url === '/api/balance') return sendJson(response, 200, { available: 5_000.5 });
    if (request.url !== '/api/sale') return void response.writeHead(404).end('Not Found');
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      return sendJson(response, 429, { code: '41', text: 'TOO MANY REQUESTS' });
    }
    sendJson(response, 200, this.#sell(form));
  }

  #issue(authorization: string, form: Record<string, string>, response: ServerResponse): void {
    const { clientId, clientSecret } = this.#options;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    if (authorization !== `Basic ${basic}` || form['grant_type'] !== 'client_credentials') {
      return sendJson(response, 401, { error: 'invalid_client' });
    }
    const token = randomUUID();
    this.#tokens.add(token);
    sendJson(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
  }

  #sell(form: Readonly<Record<string, string>>): object {
    const { key = '', service = '', account = '', amount = '', signature = '' } = form;
    const signed = Buffer.from([key, service, account, amount].join('|'));
    const given = Buffer.from(signature, 'base64');
    if (!verify('sha256', signed, this.#options.merchantKey, given)) {
      return { key, code: '40', text: 'WRONG SIGNATURE' };
    }
    if (this.#sales.has(key)) return { key, code: '14', text: 'KEY IS USED' };
    if (!/^\d+$/.test(amount)) return { key, code: '21', text: 'WHOLE SHILLINGS ONLY' };
    const suffix = account.slice(-4);
    if (suffix === '9902') return { key, code: '20', text: 'UNKNOWN ACCOUNT' };
    const sale: Sale = {
      key,
      account,
      amount: suffix === '9914' ? String(Number(amount) - 10) : amount,
      receipt: `FG${String(this.#sales.size + 1).padStart(8, '0')}`,
      status: ['9924', '9905', '9906', '9909'].includes(suffix) ? 'PENDING' : 'PAID',
    };
    this.#sales.set(key, sale);
    const { receipt, status } = sale;
    const said = { key, code: status === 'PAID' ? '00' : '01', amount: sale.amount, receipt };
    if (suffix === '9924') this.#decideLater(sale, 'FAILED', 1);
    if (['9901', '9905'].includes(suffix)) this.#decideLater(sale, 'PAID', 1);
    if (suffix === '9906') this.#decideLater(sale, 'PAID', 3);
    if (suffix === '9915') this.#decideLater(sale, 'REVERSED', 1);
    return said;
  }

  #decideLater(sale: Sale, status: Sale['status'], times: number): void {
    this.later.run(this.#options.decideAfterMs, () => {
      sale.status = status;
      const { key, amount, receipt } = sale;
      const time = String(Math.floor(Date.now() / 1000));
      const text = [key, status, amount, receipt, time].join('|');
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
      const by = { key: this.#privateKey, padding, saltLength };
      const signature = sign('sha256', Buffer.from(text), by).toString('base64');
      for (let count = 0; count < times; count += 1) {
        const form = { key, status, amount, receipt, time, signature };
        this.later.run(0, async () => {
          await post(formPost(this.#options.callbackUrl(), form));
        });
      }
    });
  }
}
