import { createHmac } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody } from '../http.ts';
import { Later, post, xmlPost } from '../later.ts';
import { Memory } from '../memory.ts';

export interface ExampleXmlOptions {
  readonly apiId: string;
  /** Signs requests. */
  readonly requestKey: string;
  /** Signs callbacks. */
  readonly callbackKey: string;
  /** Time until what was accepted is decided. */
  readonly decideAfterMs: number;
}

interface Bill {
  readonly key: string;
  readonly account: string;
  readonly cents: bigint;
  readonly receipt: string;
  readonly callback: string;
  readonly atMs: number;
  code: '00' | '01' | '02' | '20' | '22' | '70';
}

const TEXTS = {
  '00': 'Paid',
  '01': 'Accepted',
  '02': 'Paid, the token follows',
  '20': 'Unknown account',
  '21': 'Whole shillings only',
  '22': 'Refused by the utility',
  '30': 'Float too low',
  '40': 'Wrong signature',
  '41': 'Too many requests',
  '70': 'Reversed',
  '90': 'Unknown key',
} as const;

const PAID: ReadonlySet<Bill['code']> = new Set(['00', '02']);

/** Movements on a page of the statement. */
const PER_PAGE = 2;
const OPENING_CENTS = 1_000_000_00n;
/** Nairobi has no daylight saving time. */
const NAIROBI_MS = 3 * 3_600_000;

/** Executes bills, one for each `Key`. */
export class ExampleXmlEmulator {
  /** Nothing survives its process. */
  readonly later = new Later(
    new Memory(),
    async (work: () => void | Promise<void>) => await work(),
  );
  readonly #options: ExampleXmlOptions;
  readonly #bills = new Map<string, Bill>();
  #refusals = 0;
  #skewMs = 0;

  constructor(options: ExampleXmlOptions) {
    this.#options = options;
  }

  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  /** Refuses this many of the next calls with a rate limit. */
  limitRate(requests: number): void {
    this.#refusals = requests;
  }

  /** Lists everything that was executed and not taken back. */
  truth(): { readonly key: string; readonly account: string; readonly amount: string }[] {
    return [...this.#bills.values()]
      .filter(({ code }) => PAID.has(code))
      .map(({ key, account, cents }) => ({
        key,
        account,
        amount: `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`,
      }));
  }

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (!this.#isSigned(request, body)) return send(response, 401, answer('', '40'));
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      return send(response, 429, answer('', '41'));
    }
    const key = field(body, 'Key');
    switch (request.url) {
      case '/v1/payment':
        return send(response, 200, this.#pay(key, body));
      case '/v1/status': {
        const bill = this.#bills.get(key);
        return send(response, 200, bill === undefined ? answer(key, '90') : billAnswer(bill));
      }
      case '/v1/account': {
        const isKnown = !field(body, 'Account').endsWith('9902');
        const person = '<Name>TEST &amp; CO</Name><Due>250000</Due><By>2026-01-31</By>';
        const content = `<Valid>${isKnown}</Valid>${isKnown ? person : '<Text>No such meter</Text>'}`;
        return send(response, 200, `<Account>${content}</Account>`);
      }
      case '/v1/movements':
        return send(response, 200, this.#movements(body));
      case '/v1/balance': {
        const bills = [...this.#bills.values()].filter(({ code }) => PAID.has(code));
        const left = bills.reduce((sum, { cents }) => sum - cents, OPENING_CENTS);
        return send(response, 200, `<Balance><Available>${left}</Available></Balance>`);
      }
      default:
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
    }
  }

  #isSigned({ headers, url }: IncomingMessage, body: string): boolean {
    const { 'x-api-id': apiId, 'x-time': time = '', 'x-signature': signature } = headers;
    const made = createHmac('sha512', this.#options.requestKey);
    made.update(`${String(time)}\n${url ?? ''}\n${body}`);
    return apiId === this.#options.apiId && signature === made.digest('hex');
  }

  #pay(key: string, body: string): string {
    const known = this.#bills.get(key);
    if (known !== undefined) return billAnswer(known);
    const account = field(body, 'Account');
    const cents = BigInt(field(body, 'Amount'));
    if (cents % 100n !== 0n) return answer(key, '21');
    const suffix = account.slice(-4);
    if (suffix === '9902') return answer(key, '20');
    const bill: Bill = {
      key,
      account,
      cents: suffix === '9914' ? cents - 1000n : cents,
      receipt: `XU${String(this.#bills.size + 1).padStart(8, '0')}`,
      callback: field(body, 'Callback'),
      atMs: Date.now() + this.#skewMs,
      code: ['9924', '9905', '9906', '9909'].includes(suffix) ? '01' : '00',
    };
    if (suffix === '9925') bill.code = '02';
    this.#bills.set(key, bill);
    const said = billAnswer(bill);
    if (suffix === '9924') this.#decideLater(bill, '22', 1);
    if (suffix === '9905') this.#decideLater(bill, '00', 1);
    if (suffix === '9925') this.#decideLater(bill, '00', 1);
    if (suffix === '9906') this.#decideLater(bill, '00', 3);
    if (suffix === '9915') this.#decideLater(bill, '70', 1);
    return said;
  }

  /** A page of what moved the float from `From` to `To`, excluded. */
  #movements(body: string): string {
    const [from, to, page] = [field(body, 'From'), field(body, 'To'), Number(field(body, 'Page'))];
    const all = [...this.#bills.values()]
      .filter(({ code }) => PAID.has(code) || code === '70')
      .filter(({ atMs }) => from <= timeOf(atMs) && timeOf(atMs) < to)
      .flatMap((bill) => [
        movement(bill, 'BILL'),
        ...(bill.code === '70' ? [movement(bill, 'RETURN')] : []),
      ]);
    const listed = all.slice((page - 1) * PER_PAGE, page * PER_PAGE);
    return `<Statement>${listed.join('')}<More>${page * PER_PAGE < all.length}</More></Statement>`;
  }

  #decideLater(bill: Bill, code: Bill['code'], times: number): void {
    this.later.run(this.#options.decideAfterMs, () => {
      bill.code = code;
      for (let time = 0; time < times; time += 1) {
        this.later.run(0, async () => await this.#callBack(bill));
      }
    });
  }

  async #callBack(bill: Bill): Promise<void> {
    const time = timeOf(Date.now() + this.#skewMs);
    const body = billAnswer(bill);
    const made = createHmac('sha256', this.#options.callbackKey).update(`${time}.${body}`);
    const headers = { 'x-time': time, 'x-signature': made.digest('base64') };
    await post(xmlPost(bill.callback, body, headers));
  }
}

/** `20260105101530`, in Nairobi. */
function timeOf(atMs: number): string {
  return new Date(atMs + NAIROBI_MS).toISOString().replaceAll(/\D/g, '').slice(0, 14);
}

function movement({ key, receipt, account, cents, atMs }: Bill, type: 'BILL' | 'RETURN'): string {
  const names = `<Receipt>${receipt}</Receipt><Key>${key}</Key><Account>${account}</Account>`;
  return `<Movement><Type>${type}</Type><Time>${timeOf(atMs)}</Time>${names}<Amount>${cents}</Amount></Movement>`;
}

function billAnswer({ key, code, receipt, cents, account }: Bill): string {
  const paid = `<Receipt>${receipt}</Receipt><Paid unit="cents">${cents}</Paid>`;
  const token = '<Token>00001111222233334444</Token>';
  const result = (PAID.has(code) ? paid : '') + (code === '00' ? token : '');
  return answer(key, code, `<Account>${account}</Account>${result}`);
}

function answer(key: string, code: keyof typeof TEXTS, more = ''): string {
  const content = `<b:Key>${key}</b:Key><b:Code>${code}</b:Code><Text>${TEXTS[code]}</Text>${more}`;
  return `<?xml version="1.0" encoding="UTF-8"?><b:Bill xmlns:b="urn:example:bills">${content}</b:Bill>`;
}

/** The first element of the name, with nothing in it but text. */
function field(body: string, name: string): string {
  const [, text = ''] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(body) ?? [];
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function send(response: ServerResponse, status: number, content: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(content);
}
