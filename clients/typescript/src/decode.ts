import { centsOf } from './money.ts';
import { timeOf } from './time.ts';
import type { Body } from './decide.ts';
import type { ScoreBatch, ScoreBatchResult, Watch } from './credit.ts';
import type {
  AccountValidation,
  Biller,
  BillerProducts,
  BillerStatus,
  Bulk,
  BulkResult,
  BulkRow,
  CreatedPayment,
  Movement,
  Payment,
  PaymentStatus,
  PhoneLookup,
} from './types.ts';

// The service's responses as this client returns them. Fields that are not known here are ignored.

type Wire = Body;

const text = (value: unknown): string => String(value);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const cents = (value: unknown): number => centsOf(value as string | number);
const centsOrNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : cents(value);
const timeOrNull = (value: unknown): Date | null =>
  typeof value === 'string' ? timeOf(value) : null;

export const part = (wire: Wire, name: string): Wire => wire[name] as Wire;
export const list = (wire: Wire, name: string): readonly Wire[] => wire[name] as readonly Wire[];

export function movement(msg: Wire, replayed: boolean): Movement {
  return {
    replayed,
    moved: msg['status'] === 1,
    amountCents: cents(msg['amount']),
    reference: text(msg['reference']),
    postedTime: timeOf(text(msg['posted_time'])),
    text: text(msg['text']),
  };
}

export function biller(wire: Wire): Biller {
  return {
    name: text(wire['biller_name']),
    code: text(wire['biller_code']),
    category: text(wire['biller_category']),
    minimumCents: cents(wire['minimum_balance']),
    maximumCents: centsOrNull(wire['maximum_amount']),
    feeCents: cents(wire['fee']),
    feeFormula: (wire['fee_formula'] ?? null) as Biller['feeFormula'],
    needsPhone: wire['secondary_account'] === 'true',
    accountFormat: text(wire['account_format']),
    accountLabel: text(wire['account_label']),
    canValidate: wire['can_validate'] === 'true',
  };
}

export function billerStatus(wire: Wire): BillerStatus {
  return { ...biller(wire), status: text(wire['status']) };
}

export function products(wire: Wire): BillerProducts {
  return {
    billerCode: text(wire['biller_code']),
    onlyProducts: wire['only_products'] === 'true',
    products: list(wire, 'products').map((product) => ({
      name: text(product['name']),
      minimumCents: cents(product['minimum_amount']),
      maximumCents: cents(product['maximum_amount']),
      value: textOrNull(product['value']),
      validity: textOrNull(product['validity']),
    })),
  };
}

export function created(msg: Wire, replayed: boolean): CreatedPayment {
  return {
    reference: text(msg['ipay_reference']),
    postedTime: timeOf(text(msg['posted_time'])),
    feeCents: cents(msg['fee']),
    replayed,
    text: text(msg['text']),
  };
}

/** From `msg` of a status response, or `data` of an event about a payment. */
export function payment(wire: Wire): Payment {
  return {
    reference: text(wire['ipay_reference']),
    merchantReference: textOrNull(wire['merchant_reference']),
    status: text(wire['transaction_status']) as PaymentStatus,
    message: textOrNull(wire['transaction_message']),
    failureCode: textOrNull(wire['failure_code']),
    billerReference: textOrNull(wire['biller_reference']),
    billerResponseTime: timeOrNull(wire['biller_response_time']),
    postedTime: timeOf(text(wire['posted_time'])),
    account: text(wire['account']),
    amountCents: cents(wire['amount']),
    billerName: text(wire['biller_name']),
    details: (wire['details'] ?? {}) as Payment['details'],
    detailsPending: wire['details_pending'] === true,
  };
}

export function validation(wire: Wire): AccountValidation {
  const account = part(wire, 'account_data');
  return {
    valid: wire['text'] === 'SUCCESS',
    text: text(wire['text']),
    account: text(account['account']),
    name: textOrNull(account['name']),
    amountDueCents: centsOrNull(account['amountdue']),
    dueDate: textOrNull(account['due_date']),
    prefix: textOrNull(wire['prefix']),
  };
}

export function lookup(data: Wire): PhoneLookup {
  return { prefix: text(data['prefix']), operator: text(data['operator']) };
}

export function bulk(msg: Wire): Bulk {
  return {
    batchReference: text(msg['batch_reference']),
    batchId: text(msg['batch_id']),
    status: text(msg['batch_status']),
    sha256: text(msg['sha256']),
    rows: Number(msg['rows']),
    accepted: Number(msg['accepted']),
    refused: Number(msg['refused']),
    postedTime: timeOf(text(msg['posted_time'])),
    text: text(msg['text']),
  };
}

export function bulkResult(body: Wire): BulkResult {
  return { ...bulk(part(body, 'msg')), results: list(body, 'data').map((row) => bulkRow(row)) };
}

function bulkRow(wire: Wire): BulkRow {
  return {
    row: Number(wire['row']),
    merchantReference: textOrNull(wire['merchant_reference']),
    result: text(wire['result']),
    replayed: wire['replayed'] === true,
    reference: textOrNull(wire['ipay_reference']),
    postedTime: timeOrNull(wire['posted_time']),
    code: textOrNull(wire['code']),
    text: textOrNull(wire['text']),
    field: textOrNull(wire['field']),
  };
}

export function scoreBatch(msg: Wire): ScoreBatch {
  return {
    batchReference: text(msg['batchReference']),
    batchId: text(msg['batchId']),
    status: text(msg['batchStatus']),
    product: text(msg['product']),
    sha256: text(msg['sha256']),
    rows: Number(msg['rows']),
    answered: Number(msg['answered']),
    refused: Number(msg['refused']),
    postedTime: timeOf(text(msg['postedTime'])),
    text: text(msg['text']),
  };
}

export function scoreBatchResult(body: Wire): ScoreBatchResult {
  return {
    ...scoreBatch(part(body, 'msg')),
    notice: text(body['notice']),
    results: body['data'] as ScoreBatchResult['results'],
  };
}

export function watch(body: Wire): Watch {
  const msg = part(body, 'msg');
  return { requestReference: text(msg['requestReference']), text: text(msg['text']) };
}

/** An answer of the credit operations: as the specification shows it, without the status. */
export function asSpecified(wire: Wire): Wire {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => name !== 'header_status'));
}
