import { fresh } from './demo-vendors.ts';
import type { RefusalKind } from './refusals.ts';
import { PATHS, UNSIGNED, signed } from './vendor-client.ts';
import type { OperationName, Params } from './vendor-client.ts';

export const OPERATIONS = Object.keys(PATHS) as OperationName[];

/** The operations that accept GET; all accept POST. */
export const READING: readonly OperationName[] = [
  'list',
  'billerStatus',
  'billerProducts',
  'balance',
];

/** Operations whose refusals have additional fields. */
export const REFUSAL_KINDS: ReadonlyMap<OperationName, RefusalKind> = new Map([
  ['validate', 'validation'],
  ['idDecision', 'scoring'],
  ['genericScore', 'scoring'],
  ['mobileLoanScore', 'scoring'],
  ['watch', 'scoring'],
  ['unwatch', 'scoring'],
]);

/** Optional parameters. */
export const OPTIONAL_PARAMETERS: ReadonlySet<string> = new Set([
  'merchant_reference',
  'phone',
  'telephoneMobile',
]);

/** Valid parameters, different for each request. */
export function usualParams(
  operation: OperationName,
  vid: string,
): Readonly<Record<string, string>> {
  switch (operation) {
    case 'fund':
      return { vid, currency: 'KES', time: String(Date.now()) };
    case 'collect':
      return {
        collector: 'demo-collector',
        vid,
        reference: fresh('receipt'),
        amount: '10.00',
        currency: 'KES',
        paid_at: '2026-01-05 09:00:00',
      };
    case 'create':
      return {
        vid,
        biller_name: 'gotv',
        amount: '60.00',
        account: '2012345678',
        phone: '254722000000',
        merchant_reference: fresh('order'),
      };
    case 'status':
      return { vid, reference: '0'.repeat(32) };
    case 'validate':
      return { vid, account: '2012345678', account_type: 'gotv', phone: '254722000000' };
    case 'lookup':
      return { vid, prefix: '722' };
    case 'billerStatus':
    case 'billerProducts':
      return { vid, biller_code: 'gotv' };
    case 'idDecision':
    case 'genericScore':
    case 'mobileLoanScore':
      return {
        vid,
        nationalID: '900000001',
        requestReference: fresh('enquiry').replaceAll('-', ''),
        reportReason: '2',
        telephoneMobile: '254722000000',
        ...(operation === 'idDecision'
          ? {}
          : { name1: 'Amani', name2: 'Baraka', reportSector: '2' }),
      };
    case 'watch':
      return { vid, requestReference: 'Enquiry1', scoreDrop: '30' };
    case 'unwatch':
      return { vid, requestReference: 'Enquiry1' };
    default:
      return { vid };
  }
}

/** The parameters with their `hash`, where the operation has one. */
export function withHash(operation: OperationName, params: Params, vendorKey: string): Params {
  if (UNSIGNED.has(operation)) return params;
  return signed(params, operation === 'collect' ? 'demo-collector-key' : vendorKey);
}
