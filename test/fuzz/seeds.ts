import { createHash, createHmac, randomUUID } from 'node:crypto';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import type { Random } from '../simulation/random.ts';
import { OPERATIONS, READING, usualParams, withHash } from '../support/operation-samples.ts';
import { BODY_FORMS, PATHS, encode, signed } from '../support/vendor-client.ts';
import type { OperationName, WireRequest } from '../support/vendor-client.ts';

export const VID = 'demo';
export const KEY = 'demo-security-key';
const COLLECTOR_KEY = 'demo-collector-key';
const OPERATOR = 'kplc';

/** Paths that are not operations, and other paths that attackers try. */
const OTHER_PATHS = [
  ...[
    '/health/live',
    '/health/ready',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/docs/',
    '/docs/api/',
    '/console',
  ],
  ...['/', '/nothing', '/transaction/', '/callbacks', '/callbacks/nobody', '//', '/%00', '/..;/'],
];

/** A valid request: any operation in any form, a callback, a bulk file, or a page. */
export function goodRequest(random: Random): WireRequest {
  const kind = random.whole(0, 19);
  if (kind === 0) {
    const method = random.pick(['GET', 'HEAD', 'OPTIONS', 'POST', 'TRACE']);
    return { method, path: random.pick(OTHER_PATHS) };
  }
  if (kind === 1) return signCallback(Buffer.from(JSON.stringify(callback(random))));
  if (kind === 2) return bulkRequest(random);
  const operation = random.pick(OPERATIONS);
  const params = withHash(operation, usualParams(operation, VID), KEY);
  const request = encode(PATHS[operation], params, random.pick(BODY_FORMS));
  // A GET may also have a body.
  return READING.includes(operation) && random.chance(0.3)
    ? { ...request, method: 'GET' }
    : request;
}

export function keyOf(operation: OperationName): string {
  return operation === 'collect' ? COLLECTOR_KEY : KEY;
}

/** Signs the changed request, so that it passes the signature check. */
export function signWhole(request: WireRequest): WireRequest {
  const { method, path, headers = {}, body } = request;
  const seconds = Math.floor(Date.now() / 1000);
  const nonce = randomUUID();
  const digest = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  const text = `v2\n${method}\n${path}\n${digest}\n${seconds}\n${nonce}`;
  const key = path.startsWith(PATHS.collect) ? COLLECTOR_KEY : KEY;
  const sig = createHmac('sha256', key).update(text).digest('hex');
  const header = `v2,t=${seconds},nonce=${nonce},sig=${sig}`;
  return { method, path, headers: { ...headers, 'X-Signature': header }, ...(body && { body }) };
}

function callback(random: Random) {
  const reference = random.chance(0.5) ? '0'.repeat(32) : 'REF';
  return {
    status: random.pick(['paid', 'declined', 'accepted', 'processing']),
    reference,
    operator_reference: 'OP-1',
    amount: '100.00',
    currency: 'KES',
    code: 'wrong_account',
    message: 'Malipo yamepokelewa',
    paid_at: '2026-03-01T10:00:00Z',
    details: { token: '12345678901234567890' },
  };
}

/** A callback with this body, signed by the operator. */
export function signCallback(body: Buffer): WireRequest {
  const id = `msg_${randomUUID()}`;
  const time = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(SANDBOX_OPERATOR_KEY.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.`).update(body);
  return {
    method: 'POST',
    path: `/callbacks/${OPERATOR}`,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature.digest('base64')}`,
    },
    body,
  };
}

export const BULK_PATH = '/transaction/bulk';

function bulkRequest(random: Random): WireRequest {
  const rows = Array.from({ length: random.whole(1, 3) }, (_, row) => ({
    biller_name: 'safaricom',
    amount: '5.00',
    account: '254722000000',
    merchant_reference: `row-${row}-${random.whole(0, 1_000_000)}`,
  }));
  const isCsv = random.chance(0.5);
  const names = 'biller_name,amount,account,merchant_reference';
  const body = isCsv
    ? [names, ...rows.map((row) => Object.values(row).join(','))].join('\r\n')
    : rows.map((row) => JSON.stringify(row)).join('\n');
  return signBulk(Buffer.from(body), isCsv ? 'text/csv' : 'application/x-ndjson');
}

/** A bulk upload with this body and a correct signature. */
export function signBulk(body: Buffer, contentType: string): WireRequest {
  const sha256 = createHash('sha256').update(body).digest('hex');
  const params = { vid: VID, batch_reference: randomUUID(), sha256 };
  const query = new URLSearchParams(signed(params, KEY) as Record<string, string>);
  const path = `${BULK_PATH}?${query.toString()}`;
  return { method: 'POST', path, headers: { 'content-type': contentType }, body };
}
