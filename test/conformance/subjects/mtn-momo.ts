import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../../../sandbox/providers/http.ts';
import { Later } from '../../../sandbox/providers/later.ts';
import { Memory } from '../../../sandbox/providers/memory.ts';
import { http } from '../../../src/connectors/operators/http/protocol.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

// MTN MoMo disbursements: momodeveloper.mtn.com, “Disbursements”, POST /v1_0/transfer and GET /v1_0/transfer/{referenceId}.
// The caller makes the id, sends it in a header, and is answered 202 without a body.

export const MTN_MOMO_SETTINGS = {
  declaration: {
    title: 'MTN MoMo disbursements',
    source: 'momodeveloper.mtn.com',
    proof_of_non_execution: [
      'HTTP 400, in the answer to a transfer',
      'status FAILED or REJECTED of our X-Reference-Id',
    ],
    not_proof: ['HTTP 409: a transfer with this id exists', 'HTTP 404 to a status query'],
    caller_key: 'refuses_reuse',
    witnesses: [
      'the mock service of `global-121/121-platform` (commit 075ba48, run beside ours): token, 202 without a body for our id, 409 and 500 are read as declared; its status has neither externalId nor amount, so it proves nothing to us',
    ],
  },
  acceptance_window_ms: null,
  case_after_ms: 1_800_000,
  billers: { airtime_top_up: { currency: 'KES' } },
  amounts: { step: '1.00' },
  handle: 'nonce',
  headers: {
    'x-target-environment': "'sandbox'",
    'ocp-apim-subscription-key': 'secret.subscription_key',
  },
  auth: {
    kind: 'oauth',
    path: '/disbursement/token/',
    headers: {
      authorization: "'Basic ' & $base64encode(secret.api_user & ':' & secret.api_key)",
      'ocp-apim-subscription-key': 'secret.subscription_key',
    },
    token: 'body.access_token',
    life_seconds: 'body.expires_in',
    refused: 'http_status = 401 and body.error = "invalid_token"',
  },
  pay: {
    path: '/disbursement/v1_0/transfer',
    headers: { 'x-reference-id': 'handle' },
    json: "{ 'amount': amount_whole, 'currency': service.currency, 'externalId': reference, 'payee': { 'partyIdType': 'MSISDN', 'partyId': account }, 'payerMessage': reference, 'payeeNote': reference }",
    answer: {
      http_status: [202, 400, 409],
      may_be_empty: true,
      about: 'true',
      code: 'http_status = 400 ? body.code : http_status',
      message: 'body.message',
      classes: { '202': 'unknown', PAYEE_NOT_FOUND: 'declined:invalid_account' },
    },
  },
  status: {
    method: 'GET',
    path: '/disbursement/v1_0/transfer/{{ handle }}',
    answer: {
      about: 'body.externalId = reference',
      code: 'body.status',
      message: 'body.reason',
      operator_reference: 'body.financialTransactionId',
      amount: 'body.amount',
      classes: { SUCCESSFUL: 'paid', FAILED: 'declined', REJECTED: 'declined' },
    },
  },
};

export const MTN_MOMO_SECRET = { api_user: 'user', api_key: 'key', subscription_key: 'sub' };

interface Transfer {
  readonly externalId: string;
  readonly account: string;
  readonly amount: number;
  readonly receipt: string;
  status: 'PENDING' | 'SUCCESSFUL' | 'FAILED';
}

/** By configuration: our own id in a header, answers without a body, no callbacks. */
export const mtnMomo: Subject = {
  name: 'http, our id in a header and answers without a body (MTN MoMo)',
  billerCode: 'airtime_top_up',
  start: async () => {
    const emulator = new MtnMomoEmulator();
    return {
      ...(await serve(emulator, emulator.listener)),
      connect: (baseUrl, options) =>
        connectTo(http, baseUrl, {
          ...options,
          settings: MTN_MOMO_SETTINGS,
          secret: MTN_MOMO_SECRET,
        }),
      isInstruction: (method, path) => method === 'POST' && path.endsWith('/transfer'),
      accountFor: accountsBy({ ...SUFFIXES, reversed: null }),
      expireTokens: () => emulator.expireTokens(),
      limitRate: null,
      skewClock: null,
    };
  },
};

export class MtnMomoEmulator {
  readonly later = new Later(new Memory(), async (work: () => void) => work());
  /** By the id that the caller made. */
  readonly #transfers = new Map<string, Transfer>();
  #token = '';

  readonly listener: RequestListener = (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  };

  expireTokens(): void {
    this.#token = randomUUID();
  }

  truth(): { readonly account: string; readonly amount: string }[] {
    return [...this.#transfers.values()]
      .filter(({ status }) => status === 'SUCCESSFUL')
      .map(({ account, amount }) => ({ account, amount: `${amount}.00` }));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const { url = '', method, headers } = request;
    // Of the product, in every request.
    if (headers['ocp-apim-subscription-key'] !== MTN_MOMO_SECRET.subscription_key) {
      return sendJson(response, 401, { statusCode: 401, message: 'Access denied' });
    }
    if (url === '/disbursement/token/') {
      this.#token ||= randomUUID();
      return sendJson(response, 200, { access_token: this.#token, expires_in: 3600 });
    }
    if (headers.authorization !== `Bearer ${this.#token}`) {
      return sendJson(response, 401, { error: 'invalid_token' });
    }
    if (method === 'GET') return this.#show(url.split('/').at(-1) ?? '', response);
    const id = headers['x-reference-id'];
    if (typeof id !== 'string' || !/^[\da-f]{8}-[\da-f]{4}-4/.test(id)) {
      return sendJson(response, 400, { code: 'INVALID_REFERENCE_ID', message: 'not a UUID v4' });
    }
    if (this.#transfers.has(id)) return sendJson(response, 409, { code: 'RESOURCE_ALREADY_EXIST' });
    const asked = JSON.parse(text) as {
      readonly externalId: string;
      readonly amount: string;
      readonly payee: { readonly partyId: string };
    };
    const account = asked.payee.partyId;
    if (account.endsWith('9902')) return sendJson(response, 400, { code: 'PAYEE_NOT_FOUND' });
    this.#transfer(id, { ...asked, account });
    response.writeHead(202).end();
  }

  #show(id: string, response: ServerResponse): void {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined) return sendJson(response, 404, { code: 'RESOURCE_NOT_FOUND' });
    const { externalId, amount, receipt, status } = transfer;
    sendJson(response, 200, {
      ...{ externalId, status, amount: String(amount), currency: 'KES' },
      ...(status === 'SUCCESSFUL' && { financialTransactionId: receipt }),
    });
  }

  #transfer(
    id: string,
    asked: { readonly externalId: string; readonly amount: string; readonly account: string },
  ): void {
    const suffix = asked.account.slice(-4);
    const transfer: Transfer = {
      externalId: asked.externalId,
      account: asked.account,
      amount: Number(asked.amount) - (suffix === '9914' ? 10 : 0),
      receipt: String(1_000_000 + this.#transfers.size),
      status: 'PENDING',
    };
    this.#transfers.set(id, transfer);
    if (suffix === '9909') return;
    this.later.run(suffix === '9905' ? 4 : 1, () => {
      transfer.status = suffix === '9924' ? 'FAILED' : 'SUCCESSFUL';
    });
  }
}
