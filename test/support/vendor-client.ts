import { createHmac } from 'node:crypto';
import * as http from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

/** Parameters of a request; null is JSON's null, which is not signed. */
export type Params = Readonly<Record<string, string | null>>;

/** Specification §5.4, implemented independently, so that a mistake in the service's code is found. */
export function signatureOf(params: Params, key: string): string {
  const text = Object.keys(params)
    .filter((name) => name !== 'hash' && params[name] !== null)
    .toSorted()
    .map((name) => `${name}=${params[name]}`)
    .join('&');
  return createHmac('sha256', key).update(text).digest('hex');
}

/** The parameters with their `hash`. */
export function signed(params: Params, key: string): Params {
  return { ...params, hash: signatureOf(params, key) };
}

/** Every form in which a request may carry its parameters. */
export const BODY_FORMS = [
  'query',
  'json',
  'json numbers',
  'urlencoded',
  'raw',
  'multipart',
] as const;
export type BodyForm = (typeof BODY_FORMS)[number];

export interface WireRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const BOUNDARY = '------------------------3f1c9a7e5d2b8046';

/** A request with these parameters in this form; the names in the order given. */
export function encode(path: string, params: Params, form: BodyForm): WireRequest {
  const pairs = Object.entries(params);
  const texts = pairs.filter((pair): pair is [string, string] => pair[1] !== null);
  const post = (contentType: string, body: string): WireRequest => ({
    method: 'POST',
    path,
    headers: { 'content-type': contentType },
    body,
  });
  switch (form) {
    case 'query':
      return { method: 'POST', path: `${path}?${new URLSearchParams(texts).toString()}` };
    case 'json':
      return post('application/json', JSON.stringify(params));
    case 'json numbers':
      return post('application/json', `{${pairs.map(numberMember).join(', ')}}`);
    case 'urlencoded':
      return post('application/x-www-form-urlencoded', new URLSearchParams(texts).toString());
    case 'raw':
      // PHP programs send the signed text itself as the body.
      return post(
        'application/x-www-form-urlencoded',
        texts.map(([name, value]) => `${name}=${value}`).join('&'),
      );
    case 'multipart':
      return post(`multipart/form-data; boundary=${BOUNDARY}`, multipart(texts));
  }
}

/** Numbers are written as JSON numbers: `10.00` stays `10.00`. */
function numberMember([name, value]: [string, string | null]): string {
  const isNumber = value !== null && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value);
  return `${JSON.stringify(name)}: ${isNumber ? value : JSON.stringify(value)}`;
}

/** The form in which PHP's cURL sends an array. */
function multipart(texts: readonly (readonly [string, string])[]): string {
  const parts = texts.map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

/** Fields of answers that several operations share. */
export interface WireBody {
  readonly header_status: number;
  readonly error?: readonly {
    readonly code: string;
    readonly text: string;
    readonly field?: string;
    readonly reference?: string;
    readonly signed_text?: string;
    readonly vid_known?: boolean;
  }[];
  readonly msg: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  readonly balance?: number;
  readonly request_id?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed text; reading it throws when the answer is not JSON. */
  readonly body: WireBody;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 128 });

/** Sends exactly this request and reads the answer. Rejects if no answer arrives. */
export async function send(origin: string, request: WireRequest): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  const { method, path, headers = {}, body } = request;
  const chunked = 'transfer-encoding' in headers;
  const length =
    body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return await new Promise((resolve, reject) => {
    const sent = http.request(
      { hostname, port, method, path, agent, headers: { ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            get body() {
              return JSON.parse(text) as WireBody;
            },
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/** The paths of the operations. */
export const PATHS = {
  fund: '/payments/v2/billing/fund',
  collect: '/payments/v2/collections',
  list: '/billing/list',
  billerStatus: '/billing/biller/status',
  billerProducts: '/billing/biller/products',
  create: '/transaction/create',
  status: '/transaction/check/status',
  validate: '/billing/validate/account',
  lookup: '/billing/phone/lookup',
  balance: '/billing/account/balance',
  idDecision: '/id-decision',
  genericScore: '/generic-score',
  mobileLoanScore: '/mobile-loan-score',
  watch: '/watch',
  unwatch: '/unwatch',
} as const;
export type OperationName = keyof typeof PATHS;

/** The operations without a `hash`. */
export const UNSIGNED: ReadonlySet<OperationName> = new Set([
  'list',
  'billerStatus',
  'billerProducts',
]);

/** The payment as a status answer shows it. */
export interface Payment {
  readonly transaction_status: 'QUEUED' | 'PENDING' | 'SUCCESS' | 'FAILED';
  readonly transaction_message: string | null;
  readonly biller_reference: string | null;
  readonly details: Readonly<Record<string, string>> | null;
}

/** A vendor's credentials, and the prefixes of the paths on its server. */
export interface VendorAccess {
  readonly vid: string;
  readonly key: string;
  /** Before the fund operation. */
  readonly basePath?: string;
  /** Before `/billing` and `/transaction`. */
  readonly billingPath?: string;
  /** Before the scoring operations. */
  readonly scoringPath?: string;
}

/** A client that signs as a vendor. */
export class VendorClient {
  readonly #origin: string;
  readonly #access: VendorAccess;

  constructor(origin: string, access: VendorAccess) {
    this.#origin = origin;
    this.#access = access;
  }

  get vid(): string {
    return this.#access.vid;
  }

  get key(): string {
    return this.#access.key;
  }

  #prefixOf(path: string): string {
    const { basePath = '', billingPath = '', scoringPath = '' } = this.#access;
    if (path.startsWith('/payments/')) return basePath;
    return /^\/(billing|transaction)\//.test(path) ? billingPath : scoringPath;
  }

  /** Signs the parameters and `vid` and sends them. */
  async call(
    operation: OperationName,
    params: Params = {},
    form: BodyForm = 'urlencoded',
  ): Promise<Answer> {
    const { vid, key } = this.#access;
    const all = { vid, ...params };
    const request = encode(
      this.#prefixOf(PATHS[operation]) + PATHS[operation],
      UNSIGNED.has(operation) ? all : signed(all, key),
      form,
    );
    return await send(this.#origin, request);
  }

  async create(params: Params): Promise<Answer> {
    return await this.call('create', { biller_name: 'safaricom', amount: '60.00', ...params });
  }

  /** Creates, and returns the `ipay_reference`. Throws when it is refused. */
  async accepted(params: Params): Promise<string> {
    const answer = await this.create(params);
    if (answer.status !== 200) throw new Error(`create was refused: ${answer.text}`);
    return String(answer.body.msg['ipay_reference']);
  }

  async payment(reference: string): Promise<Payment> {
    const answer = await this.call('status', { reference });
    if (answer.status !== 200) throw new Error(`status was refused: ${answer.text}`);
    return answer.body.msg['text'] as Payment;
  }

  /** The float in KES. */
  async balance(): Promise<number> {
    const answer = await this.call('balance');
    if (answer.body.balance === undefined) throw new Error(`no balance: ${answer.text}`);
    return answer.body.balance;
  }

  /** Returns the amount moved. */
  async fund(time = String(Date.now())): Promise<number> {
    const answer = await this.call('fund', { currency: 'KES', time });
    if (answer.status !== 200) throw new Error(`fund was refused: ${answer.text}`);
    return Number(answer.body.msg['amount']);
  }
}
