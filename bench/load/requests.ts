import { createSecretKey, randomInt } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { canonicalText } from '../../src/platform/base/canonical.ts';
import { sign } from '../../src/parties/signature.ts';
import type { BenchVendor } from '../stage.ts';

/** A request that is ready to be sent: signed and unique. */
export interface SignedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** A form; empty when the parameters are in the path. */
  readonly body: string;
}

const keys = new Map<string, KeyObject>();

/** A form signed by the vendor. Its fields are joined unencoded, so no field may need encoding. */
export function signedForm(vendor: BenchVendor, fields: Readonly<Record<string, string>>): string {
  let key = keys.get(vendor.key);
  if (key === undefined) {
    key = createSecretKey(vendor.key, 'utf8');
    keys.set(vendor.key, key);
  }
  const text = canonicalText(new Map(Object.entries(fields)));
  return `${text}&hash=${sign(text, key)}`;
}

export const CREATE_PATH = '/transaction/create';

let creates = 0;
const started = Date.now().toString(36);

/**
 * Creates of 100.00, each with an account and a merchant reference of its own, the vendors in turn.
 * @param path create's, or that of a contestant that takes the same parameters.
 */
export function createRequests(
  vendors: readonly BenchVendor[],
  count: number,
  path = CREATE_PATH,
): SignedRequest[] {
  return Array.from({ length: count }, (_, index) => {
    creates += 1;
    const vendor = vendors[index % vendors.length] as BenchVendor;
    const body = signedForm(vendor, {
      // The simulated operators pay accounts with this ending at once.
      account: `14${randomInt(1_000_000, 9_999_999)}0000`,
      amount: '100.00',
      biller_name: 'kplc_prepaid',
      merchant_reference: `b-${started}-${creates}`,
      vid: vendor.vid,
    });
    return { method: 'POST', path, body };
  });
}

export function balanceRequests(vendors: readonly BenchVendor[], count: number): SignedRequest[] {
  return Array.from({ length: count }, (_, index) => {
    const vendor = vendors[index % vendors.length] as BenchVendor;
    const query = signedForm(vendor, { vid: vendor.vid });
    return { method: 'GET', path: `/billing/account/balance?${query}`, body: '' };
  });
}

/** Status queries about the given payments, in turn. */
export function statusRequests(
  payments: readonly { readonly vendor: BenchVendor; readonly reference: string }[],
  count: number,
): SignedRequest[] {
  const first = payments.slice(0, count).map(({ vendor, reference }): SignedRequest => ({
    method: 'POST',
    path: '/transaction/check/status',
    body: signedForm(vendor, { reference, vid: vendor.vid }),
  }));
  return Array.from({ length: count }, (_, index) => first[index % first.length] as SignedRequest);
}

/** Writes the file that `wrk.lua` and the client read: one line per request. */
export async function writeRequests(
  file: string,
  requests: readonly SignedRequest[],
): Promise<void> {
  await writeFile(
    file,
    requests.map(({ method, path, body }) => `${method}\t${path}\t${body}\n`).join(''),
  );
}
