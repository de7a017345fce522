import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { fresh } from '../support/demo-vendors.ts';
import { useService } from '../support/use-service.ts';
import { usualParams } from '../support/operation-samples.ts';
import { expectCallersFault } from '../support/refusals.ts';
import { PATHS, encode, send, signatureOf, signed } from '../support/vendor-client.ts';
import type { OperationName, Params, VendorClient, WireRequest } from '../support/vendor-client.ts';

const running = useService();
let vendor: VendorClient;
beforeAll(async () => {
  vendor = running.demo();
  await vendor.fund();
});

/** The code and field that the request is refused with. */
async function refusalOf(request: WireRequest): Promise<unknown> {
  return expectCallersFault(await send(running.origin, request), request.path);
}

/** Un-encoded, in the order given, signed as a whole. */
function raw(operation: OperationName, params: Params, key: string): WireRequest {
  return encode(PATHS[operation], signed(params, key), 'raw');
}

describe('an unknown parameter in an un-encoded form', () => {
  test('does not create two payments with one reference', async () => {
    const params = { ...usualParams('create', 'demo'), biller_name: 'safaricom', amount: '5.00' };
    const before = await vendor.balance();
    for (const time of ['1', '2']) {
      expect(await refusalOf(raw('create', { ...params, time }, vendor.key))).toEqual({
        code: 'unknown_field',
        field: 'time',
      });
    }
    expect(await vendor.balance()).toBe(before);
  });

  test('does not make an existing payment unknown', async () => {
    const reference = await vendor.accepted({
      ...usualParams('create', 'demo'),
      biller_name: 'safaricom',
      account: '254722000000',
      amount: '5.00',
    });
    const params = { vid: 'demo', reference, utm_source: 'x' };
    expect(await refusalOf(raw('status', params, vendor.key))).toEqual({
      code: 'unknown_field',
      field: 'utm_source',
    });
  });

  test('does not credit one collection twice', async () => {
    const params = usualParams('collect', 'demo');
    for (const attempt of ['1', '2']) {
      const request = raw('collect', { ...params, attempt }, 'demo-collector-key');
      expect(await refusalOf(request)).toEqual({ code: 'unknown_field', field: 'attempt' });
    }
  });

  test('the parameter is refused as unknown by an identity decision with a reportSector', async () => {
    const params = { ...usualParams('idDecision', 'demo'), reportSector: '2' };
    expect(await refusalOf(raw('idDecision', params, vendor.key))).toEqual({
      code: 'unknown_field',
      field: 'reportSector',
    });
    const { reportSector, ...others } = params;
    const split = { ...others, reportReason: `2&reportSector=${reportSector}` };
    expect(signatureOf(split, vendor.key)).toBe(signatureOf(params, vendor.key));
    expect(await refusalOf(encode(PATHS.idDecision, signed(split, vendor.key), 'json'))).toEqual({
      code: 'ambiguous_value',
      field: 'reportReason',
    });
  });
});

describe('a signature for one operation', () => {
  test('a signature to validate an account does not pay', async () => {
    const validate = {
      vid: 'demo',
      account: '37200009901&amount=5000&biller_name=kplc_prepaid&merchant_reference=x',
      account_type: 'kplc_prepaid',
    };
    const create = {
      vid: 'demo',
      account: '37200009901',
      amount: '5000',
      biller_name: 'kplc_prepaid',
      merchant_reference: 'x&account_type=kplc_prepaid',
    };
    const hash = signatureOf(validate, vendor.key);
    expect(hash).toBe(signatureOf(create, vendor.key));
    const before = await vendor.balance();
    for (const form of ['json', 'urlencoded', 'query', 'multipart'] as const) {
      expect(await refusalOf(encode(PATHS.validate, { ...validate, hash }, form))).toEqual({
        code: 'ambiguous_value',
        field: 'account',
      });
      expect(await refusalOf(encode(PATHS.create, { ...create, hash }, form))).toEqual({
        code: 'ambiguous_value',
        field: 'merchant_reference',
      });
    }
    // Un-encoded, every `&name=` starts a parameter.
    expect(await refusalOf(encode(PATHS.create, { ...create, hash }, 'raw'))).toEqual({
      code: 'unknown_field',
      field: 'account_type',
    });
    expect(await vendor.balance()).toBe(before);
  });

  test('a signature to ask for a batch does not upload one', async () => {
    const file = 'biller_name,amount,account\r\nsafaricom,5.00,254722000000\r\n';
    const sha256 = createHash('sha256').update(file).digest('hex');
    const reference = fresh('batch');
    const status = { vid: 'demo', batch_reference: `${reference}&sha256=${sha256}` };
    const upload = { vid: 'demo', batch_reference: reference, sha256 };
    const hash = signatureOf(status, vendor.key);
    expect(hash).toBe(signatureOf(upload, vendor.key));
    const form = (path: string): WireRequest => encode(path, { ...status, hash }, 'json');
    expect(await refusalOf(form('/transaction/bulk/status'))).toEqual({
      code: 'ambiguous_value',
      field: 'batch_reference',
    });
  });
});
