import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { addCollector } from '../../src/parties/administer.ts';
import { collect, fresh } from '../support/demo-vendors.ts';
import { useService } from '../support/use-service.ts';
import { usualParams } from '../support/operation-samples.ts';
import { expectRefusal } from '../support/refusals.ts';
import { until } from '../support/until.ts';
import { PATHS, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, Params, VendorClient } from '../support/vendor-client.ts';

const running = useService();
let vendor: VendorClient;
let other: VendorClient;
beforeAll(async () => {
  vendor = running.demo();
  other = running.demo('demo2');
  await vendor.fund();
  await other.fund();
});

const NOT_SIGNED = { status: 401, code: 'signature_invalid', field: 'hash' };

function fileOf(account: string, amount = '10'): string {
  return `biller_name,amount,account\nsafaricom,${amount},${account}\n`;
}

type BulkPath = '' | '/status' | '/result';

/** A bulk request with its parameters, signed already, in the query. */
async function bulk(path: BulkPath, params: Params, file?: string): Promise<Answer> {
  const query = new URLSearchParams(params as Record<string, string>).toString();
  return await send(running.origin, {
    method: file === undefined ? 'GET' : 'POST',
    path: `/transaction/bulk${path}?${query}`,
    ...(file === undefined ? {} : { headers: { 'content-type': 'text/csv' }, body: file }),
  });
}

function bulkParams(vid: string, batchReference: string, file?: string): Params {
  const common = { vid, batch_reference: batchReference };
  if (file === undefined) return common;
  return { ...common, sha256: createHash('sha256').update(file).digest('hex') };
}

/** Uploads for a vendor; returns the results when every row is decided. */
async function decided(by: VendorClient, batchReference: string, file: string): Promise<Answer> {
  const taken = await bulk('', signed(bulkParams(by.vid, batchReference, file), by.key), file);
  expect(taken.status, taken.text).toBe(200);
  const asking = signed(bulkParams(by.vid, batchReference), by.key);
  await until('the batch is done', async () => {
    const status = await bulk('/status', asking);
    return status.body.msg['batch_status'] === 'DONE';
  });
  return await bulk('/result', asking);
}

describe('a bulk file', () => {
  test.each<BulkPath>(['', '/status', '/result'])(
    '/transaction/bulk%s by another vendor’s key, or in another’s name, is refused',
    async (path) => {
      const file = path === '' ? fileOf('254722000001') : undefined;
      const reference = fresh('batch');
      const before = [await vendor.balance(), await other.balance()];
      const ours = signed(bulkParams(vendor.vid, reference, file), vendor.key);
      for (const params of [
        { ...ours, vid: other.vid },
        signed(bulkParams(other.vid, reference, file), vendor.key),
      ]) {
        expectRefusal(await bulk(path, params, file), NOT_SIGNED);
      }
      expect([await vendor.balance(), await other.balance()]).toEqual(before);
    },
  );

  test('two files of two vendors under one reference are separate; each vendor sees and pays its own', async () => {
    const reference = fresh('batch');
    const before = [await vendor.balance(), await other.balance()];
    const ours = await decided(vendor, reference, fileOf('254722000002', '11'));
    const asking = signed(bulkParams(other.vid, reference), other.key);
    for (const path of ['/status', '/result'] as const) {
      expectRefusal(await bulk(path, asking), {
        status: 404,
        code: 'unknown_batch',
        field: 'batch_reference',
      });
    }
    const theirs = await decided(other, reference, fileOf('254722000003', '12'));
    const references = [ours, theirs].map(({ body }) => {
      const rows = body.data as readonly { result: string; ipay_reference: string }[];
      expect(rows).toMatchObject([{ result: 'ACCEPTED' }]);
      return rows[0]?.ipay_reference ?? '';
    });
    expect(await vendor.balance()).toBe((before[0] ?? 0) - 11);
    expect(await other.balance()).toBe((before[1] ?? 0) - 12);
    const [first = '', second = ''] = references;
    expect(await vendor.payment(first)).toMatchObject({ account: '254722000002' });
    expectRefusal(await vendor.call('status', { reference: second }), {
      status: 404,
      code: 'unknown_reference',
      field: 'reference',
    });
  });
});

describe('a collection', () => {
  test('outside its collector’s scope is refused, like one for a vendor that does not exist', async () => {
    const collector = fresh('till');
    const scope = [vendor.vid];
    const key = await addCollector(
      running.service.pool,
      { collector, name: 'Till of one', scope },
      running.sealing,
    );
    await running.service.directory.reload();
    const report = async (vid: string): Promise<Answer> => {
      const params = { ...usualParams('collect', vid), collector, reference: fresh('receipt') };
      return await send(running.origin, encode(PATHS.collect, signed(params, key), 'json'));
    };
    expect((await report(vendor.vid)).status).toBe(200);
    await vendor.fund();
    const refusals = await Promise.all([report(other.vid), report('nobody')]);
    for (const refused of refusals) {
      expectRefusal(refused, { status: 403, code: 'collector_not_allowed', field: 'vid' });
    }
  });

  test('a collection signed with a vendor’s or another collector’s key, or in its name, is refused', async () => {
    const collector = fresh('till');
    const pool = running.service.pool;
    const key = await addCollector(
      pool,
      { collector, name: 'Another till', scope: 'all' },
      running.sealing,
    );
    await running.service.directory.reload();
    const params = usualParams('collect', vendor.vid);
    for (const forged of [
      signed(params, vendor.key),
      signed(params, key),
      signed({ ...params, collector: vendor.vid }, vendor.key),
      { ...signed({ ...params, collector }, key), collector: params['collector'] ?? null },
    ]) {
      expectRefusal(await send(running.origin, encode(PATHS.collect, forged, 'json')), NOT_SIGNED);
    }
    expect(await vendor.fund()).toBe(0);
    // It may use its own name.
    const own = signed({ ...params, collector }, key);
    expect((await send(running.origin, encode(PATHS.collect, own, 'json'))).status).toBe(200);
    expect(await vendor.fund()).toBe(10);
  });

  test('the signature of a collection is not valid for a vendor’s operation', async () => {
    const params = { vid: 'demo-collector' };
    for (const forged of [params, { vid: vendor.vid }]) {
      const balance = encode(PATHS.balance, signed(forged, 'demo-collector-key'), 'json');
      expectRefusal(await send(running.origin, balance), NOT_SIGNED);
    }
  });

  test('a collection for one vendor is never another’s, even under a reference that the other used', async () => {
    const reference = fresh('receipt');
    const before = [await vendor.balance(), await other.balance()];
    const reported = { vid: vendor.vid, reference, amount: '33.00' };
    expect((await collect(running.origin, reported)).status).toBe(200);
    expectRefusal(await collect(running.origin, { ...reported, vid: other.vid }), {
      status: 409,
      code: 'reference_reused',
      field: 'reference',
    });
    expect(await other.fund()).toBe(0);
    expect(await vendor.fund()).toBe(33);
    expect(await vendor.balance()).toBe((before[0] ?? 0) + 33);
    expect(await other.balance()).toBe(before[1]);
  });
});
