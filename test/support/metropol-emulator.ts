import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const METROPOL_KEYS = { publicKey: 'public-for-tests', privateKey: 'private-for-tests' };

/** The fault of the next call of a path. */
export type Fault = 'cut' | 'garbage' | 'silence' | 'incomplete' | 'refused' | 'duplicate';

/** Metropol's API as its guide describes it, for one person with national ID 31555000. */
export interface MetropolEmulator {
  readonly url: string;
  /** Path and body of every call that was executed and therefore billed. */
  readonly billed: { readonly path: string; readonly body: Record<string, unknown> }[];
  fault(path: string, kind: Fault): void;
  close(): Promise<void>;
}

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  '/identity/verify': ['report_type', 'identity_number', 'identity_type'],
  '/score/consumer': ['report_type', 'identity_number', 'identity_type', 'mobile_score'],
  '/report/credit_info': [
    'report_type',
    'identity_number',
    'identity_type',
    'loan_amount',
    'report_reason',
  ],
  '/report/creditinfo/mobile': [
    'report_type',
    'identity_number',
    'identity_type',
    'loan_amount',
    'report_reason',
  ],
};
const TYPES: Readonly<Record<string, number>> = {
  '/identity/verify': 1,
  '/score/consumer': 3,
  '/report/credit_info': 8,
  '/report/creditinfo/mobile': 11,
};

const PERSON = {
  first_name: 'ZAWADI',
  other_name: 'NJERI',
  last_name: 'KARIUKI',
  dob: '1988-04-02',
  gender: 'F',
};
const ACCOUNTS = [
  {
    account_number: 'X1',
    current_balance: '12500.50',
    date_opened: '2025-03-01',
    days_in_arrears: 0,
    delinquency_code: '002',
    is_your_account: true,
    last_payment_amount: '500',
    last_payment_date: '2026-09-30',
    loaded_at: '2026-10-15',
    original_amount: '20000',
    overdue_balance: '0',
    product_type_id: 8,
  },
  {
    account_number: 'X2',
    current_balance: '30000',
    date_opened: '2024-01-15',
    days_in_arrears: 200,
    delinquency_code: '004',
    is_your_account: false,
    loaded_at: '2026-10-15',
    original_amount: '60000',
    overdue_balance: '30000',
    product_type_id: 8,
  },
  {
    account_number: 'X3',
    current_balance: '0',
    date_opened: '2023-01-15',
    days_in_arrears: 0,
    is_your_account: false,
    loaded_at: '2024-01-31',
    original_amount: '5000',
    overdue_balance: '0',
  },
];

export async function startMetropolEmulator(): Promise<MetropolEmulator> {
  const billed: { path: string; body: Record<string, unknown> }[] = [];
  const faults = new Map<string, Fault>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const path = (request.url ?? '').replace('/v2_1', '');
      const headers = request.headers as Record<string, string>;
      const answer = judge(path, text, headers);
      const fault = faults.get(path);
      faults.delete(path);
      if (fault === 'refused') return void response.end(failure('E019'));
      if (fault === 'duplicate') return void response.end(failure('E409'));
      if (!answer.has_error) {
        billed.push({ path, body: JSON.parse(text) as Record<string, unknown> });
      }
      if (fault === 'cut') return void response.destroy();
      if (fault === 'silence') return;
      if (fault === 'incomplete') return void response.end(JSON.stringify(headOf(answer)));
      response.end(fault === 'garbage' ? '<html>' : JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2_1`,
    billed,
    fault: (path, kind) => void faults.set(path, kind),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Answer {
  readonly has_error: boolean;
  readonly [name: string]: unknown;
}

/** The head of an answer, without its content. */
function headOf(answer: Answer): Answer {
  const { has_error, api_code, api_code_description, trx_id } = answer;
  return { has_error, api_code, api_code_description, trx_id };
}

function failure(code: string): string {
  return JSON.stringify({ has_error: true, api_code: code, api_code_description: 'refused' });
}

function judge(path: string, text: string, headers: Record<string, string>): Answer {
  const fail = (code: string): Answer => JSON.parse(failure(code)) as Answer;
  const timestamp = headers['x-metropol-rest-api-timestamp'] ?? '';
  if (!/^20\d{18}$/.test(timestamp)) return fail('E023');
  if (headers['x-metropol-rest-api-key'] !== METROPOL_KEYS.publicKey) return fail('E002');
  const hash = createHash('sha256')
    .update(METROPOL_KEYS.privateKey + text + METROPOL_KEYS.publicKey + timestamp)
    .digest('hex');
  if (headers['x-metropol-rest-api-hash'] !== hash) return fail('E026');
  const body = JSON.parse(text) as Record<string, unknown>;
  const expected = PARAMETERS[path] ?? [];
  if (Object.keys(body).toSorted().join() !== [...expected].toSorted().join()) return fail('E027');
  if (body['report_type'] !== TYPES[path]) return fail('E003');
  if (body['identity_number'] !== '31555000' || body['identity_type'] !== '001') {
    return fail('E017');
  }
  const head = {
    has_error: false,
    api_code: '200',
    api_code_description: 'Success',
    trx_id: 'TRX1',
    identity_number: '31555000',
    identity_type: '001',
  };
  if (path === '/identity/verify') return { ...head, ...PERSON };
  if (path === '/score/consumer')
    return { ...head, credit_score: body['mobile_score'] ? '612' : '567' };
  return { ...head, credit_score: '567', account_info: ACCOUNTS };
}
