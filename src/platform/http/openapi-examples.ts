import { createHash, createSecretKey } from 'node:crypto';
import { HASH_FIELD, canonicalText } from '../base/canonical.ts';
import { sign } from '../../parties/signature.ts';
import { SCORING_EXAMPLES } from './openapi-scoring-examples.ts';

/** A request as the sandbox takes it and the answer it gives. */
interface OperationExample {
  /** Of the sandbox, hence public; absent for operations without a signature. */
  readonly key?: string;
  /** Without `hash`, which is computed. */
  readonly request: Readonly<Record<string, string>>;
  /** The body, where it is a file and the parameters are in the query string. */
  readonly file?: string;
  readonly answer: unknown;
}

/** Keys of the sandbox's vendors and collector. They are public. */
export const DEMO_KEYS = {
  demo: 'demo-security-key',
  demo2: 'demo2-security-key',
  'demo-collector': 'demo-collector-key',
} as const;

const DEMO_KEY = DEMO_KEYS.demo;
const REFERENCE = '00000081M7Y4NP8KEYWR8EDAAS5ZSBQV';

const KENYA_POWER = {
  biller_name: 'Kenya Power Prepaid',
  biller_code: 'kplc_prepaid',
  biller_category: 'electricity',
  minimum_balance: '50.00',
  secondary_account: 'false',
  maximum_amount: null,
  fee: '0.00',
  account_format: '^[0-9]{5,14}$',
  account_label: 'Meter number',
  can_validate: 'true',
};
const PAID = {
  biller_response_time: '2026-11-21 09:15:01',
  biller_reference: 'OP151DB25E3B85FA91',
  transaction_status: 'SUCCESS',
  transaction_message: 'Payment received',
  failure_code: null,
  account: '37200009901',
  amount: 100,
  biller_name: 'kplc_prepaid',
  details: { token: '96943714845508985567', units: '4.00' },
};

/** Two rows of CSV; the second is below the minimum. */
const BULK_FILE = `biller_name,account,amount,merchant_reference
safaricom,254722000001,100,nov-0001
safaricom,254722000002,1,nov-0002
`;
const BULK_FILE_SHA256 = createHash('sha256').update(BULK_FILE).digest('hex');
const BATCH = {
  status: 1,
  text: 'Batch queued and pending processing',
  batch_reference: 'airtime-2026-11',
  batch_id: '019aa5b1-7c00-7d2e-9c3f-5a1b2c3d0000',
  batch_status: 'DONE',
  sha256: BULK_FILE_SHA256,
  rows: 2,
  accepted: 1,
  refused: 0,
  posted_time: '2026-11-21 09:20:00',
};

/** By operationId. A test holds that each operation has one that fits its schemas. */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  fund: {
    key: DEMO_KEY,
    request: { vid: 'demo', time: '1795241699', currency: 'KES' },
    answer: {
      header_status: 200,
      msg: {
        status: 1,
        text: 'amount moved',
        amount: 100_000,
        reference: '00000081M7Y4NNYGEQDTPMTF5675K1GC',
        posted_time: '2026-11-21 09:14:59',
      },
    },
  },
  collect: {
    key: DEMO_KEYS['demo-collector'],
    request: {
      collector: 'demo-collector',
      vid: 'demo',
      reference: 'till-2026-11-21-0001',
      amount: '250.00',
      currency: 'KES',
      paid_at: '2026-11-21T09:10:00+03:00',
    },
    answer: {
      header_status: 200,
      msg: {
        status: 1,
        text: 'amount collected',
        amount: 250,
        reference: '00000081M7Y4NQV5ECGRV7G6V73MYQQ6',
        posted_time: '2026-11-21 09:14:58',
      },
    },
  },
  listBillers: {
    request: { vid: 'demo' },
    answer: { header_status: 200, data: [KENYA_POWER] },
  },
  billerStatus: {
    request: { vid: 'demo', biller_code: 'kplc_prepaid' },
    answer: { header_status: 200, data: { ...KENYA_POWER, status: 'ONLINE' } },
  },
  createTransaction: {
    key: DEMO_KEY,
    request: {
      vid: 'demo',
      biller_name: 'kplc_prepaid',
      amount: '100',
      account: '37200009901',
      merchant_reference: 'order-1001',
    },
    answer: {
      header_status: 200,
      msg: {
        status: 1,
        text: 'Transaction queued and pending processing',
        ipay_reference: REFERENCE,
        posted_time: '2026-11-21 09:15:00',
      },
    },
  },
  bulkCreate: {
    key: DEMO_KEY,
    request: { vid: 'demo', batch_reference: 'airtime-2026-11', sha256: BULK_FILE_SHA256 },
    file: BULK_FILE,
    answer: { header_status: 200, msg: { ...BATCH, batch_status: 'PROCESSING', accepted: 0 } },
  },
  bulkStatus: {
    key: DEMO_KEY,
    request: { vid: 'demo', batch_reference: 'airtime-2026-11' },
    answer: { header_status: 200, msg: { ...BATCH, text: 'Batch processed', refused: 1 } },
  },
  bulkResult: {
    key: DEMO_KEY,
    request: { vid: 'demo', batch_reference: 'airtime-2026-11', format: 'json' },
    answer: {
      header_status: 200,
      msg: { ...BATCH, text: 'Batch processed', refused: 1 },
      data: [
        {
          row: 1,
          merchant_reference: 'nov-0001',
          result: 'ACCEPTED',
          ipay_reference: '00000081M7Y4NQ0D9EJTWBP0R4H5G001',
          posted_time: '2026-11-21 09:20:01',
          code: null,
          text: null,
          field: null,
        },
        {
          row: 2,
          merchant_reference: 'nov-0002',
          result: 'REFUSED',
          ipay_reference: null,
          posted_time: null,
          code: 'amount_below_minimum',
          text: 'The minimum amount of safaricom is 5.00',
          field: 'amount',
        },
      ],
    },
  },
  transactionStatus: {
    key: DEMO_KEY,
    request: { vid: 'demo', reference: REFERENCE },
    answer: {
      header_status: 200,
      msg: {
        status: 1,
        text: PAID,
        ipay_reference: REFERENCE,
        posted_time: '2026-11-21 09:15:00',
        merchant_reference: 'order-1001',
        ...PAID,
      },
    },
  },
  validateAccount: {
    key: DEMO_KEY,
    request: {
      vid: 'demo',
      account: '4100129901',
      account_type: 'nairobi_water',
      phone: '254722000000',
    },
    answer: {
      header_status: 200,
      status: 1,
      text: 'SUCCESS',
      account_data: { account: '4100129901', name: 'Tumaini Jabali', amountdue: '353.60' },
      prefix: '722',
    },
  },
  phoneLookup: {
    key: DEMO_KEY,
    request: { vid: 'demo', prefix: '722' },
    answer: { header_status: 200, data: { prefix: '722', operator: 'safaricom' } },
  },
  balance: {
    key: DEMO_KEY,
    request: { vid: 'demo' },
    answer: { header_status: 200, balance: 99_900 },
  },
  ...SCORING_EXAMPLES,
};

/** The example request with its `hash`, when the operation is signed. Undefined without an example. */
export function requestExample(operationId: string): Record<string, string> | undefined {
  const example = EXAMPLES[operationId];
  if (example === undefined) return undefined;
  if (example.key === undefined) return { ...example.request };
  const { hash } = signedExample(operationId);
  return { ...example.request, [HASH_FIELD]: hash };
}

/** What the example's signature is made of. Throws when there is no such signed example. */
export function signedExample(operationId: string): {
  readonly key: string;
  readonly text: string;
  readonly hash: string;
} {
  const example = EXAMPLES[operationId];
  if (example?.key === undefined) throw new Error(`${operationId} has no signed example`);
  const text = canonicalText(new Map(Object.entries(example.request)));
  const hash = sign(text, createSecretKey(example.key, 'utf8'));
  return { key: example.key, text, hash };
}
