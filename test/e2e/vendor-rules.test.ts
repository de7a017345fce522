import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeBillerStatus } from '../../src/payments/billers/administer.ts';
import {
  addCollector,
  changeCollector,
  changeVendor,
  rotateKey,
} from '../../src/parties/administer.ts';
import { LONG_DUPLICATE_WINDOW } from '../../src/parties/vendor.ts';
import { addFundedVendor, fresh } from '../support/demo-vendors.ts';
import { moved } from '../support/moved.ts';
import { expectRefusal } from '../support/refusals.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { PATHS, VendorClient, encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, Params } from '../support/vendor-client.ts';

const fixture = new SandboxFixture();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await fixture.start();
});
afterAll(async () => await fixture.cleanUp());

const ACCOUNT = '254722123456';
const newVendor = async (): Promise<VendorClient> =>
  await addFundedVendor(sandbox, { floatAmount: '10000.00' });

function referenceOf(answer: Answer): string {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return String(answer.body.msg['ipay_reference']);
}

/** Expects a refusal as a likely duplicate of one of these payments. */
function expectDuplicateOf(answer: Answer, ...references: readonly string[]): void {
  const reference = String(answer.body.error?.[0]?.reference);
  expectRefusal(answer, { status: 409, code: 'likely_duplicate', reference });
  expect(references).toContain(reference);
}

async function works(client: VendorClient): Promise<boolean> {
  return (await client.call('balance')).status === 200;
}

describe('a reference', () => {
  test('creates one payment, however it ends', async () => {
    const vendor = await newVendor();
    for (const account of [ACCOUNT, '254722129902']) {
      const params = { account, merchant_reference: fresh('order') };
      const first = await vendor.create(params);
      const end = await until('it ends', async () => {
        const { transaction_status: status } = await vendor.payment(referenceOf(first));
        return (status === 'SUCCESS' || status === 'FAILED') && status;
      });
      // Amounts are compared as amounts, not as texts.
      expect(first.headers).not.toHaveProperty('idempotency-replayed');
      for (const amount of ['60.00', '60.0', '60']) {
        const again = await vendor.create({ ...params, amount });
        expect(again.text).toBe(first.text);
        expect(again.headers['idempotency-replayed']).toBe('true');
      }
      expect((await vendor.payment(referenceOf(first))).transaction_status).toBe(end);
    }
    expect(await vendor.balance()).toBe(9940);
  });

  test('belongs to one content', async () => {
    const vendor = await newVendor();
    const params = {
      biller_name: 'gotv',
      account: '20123456',
      phone: '254722000001',
      merchant_reference: fresh('order'),
    };
    const reference = referenceOf(await vendor.create(params));
    const changes: Params[] = [
      { amount: '60.01' },
      { account: '20123457' },
      { biller_name: 'dstv' },
      { phone: '254722000002' },
    ];
    for (const change of changes) {
      expectRefusal(await vendor.create({ ...params, ...change }), {
        status: 409,
        code: 'reference_reused',
        field: 'merchant_reference',
        reference,
      });
    }
    expect(await vendor.balance()).toBe(9940);
  });

  test('a reference that was refused for lack of float may be used again', async () => {
    const vendor = await addFundedVendor(sandbox, { floatAmount: '50.00' });
    const params = { account: ACCOUNT, merchant_reference: fresh('order') };
    expectRefusal(await vendor.create(params), {
      status: 402,
      code: 'insufficient_float',
      field: 'amount',
    });
    referenceOf(await vendor.create({ ...params, amount: '50.00' }));
  });
});

describe('a likely duplicate', () => {
  test('the same biller, account and amount without a reference is a likely duplicate', async () => {
    const vendor = await newVendor();
    const first = referenceOf(await vendor.create({ account: ACCOUNT }));
    expectDuplicateOf(await vendor.create({ account: ACCOUNT }), first);
    expectDuplicateOf(await vendor.create({ account: ACCOUNT, amount: '60' }), first);
    for (const other of [
      { account: ACCOUNT, amount: '60.01' },
      { account: '254722123457' },
      { account: ACCOUNT, biller_name: 'airtel' },
    ]) {
      referenceOf(await vendor.create(other));
    }
    // An intended repeat has a reference. A payment with a reference can also be the first one.
    const second = referenceOf(
      await vendor.create({ account: ACCOUNT, merchant_reference: fresh('order') }),
    );
    expectDuplicateOf(await vendor.create({ account: ACCOUNT }), first, second);
    expect(await vendor.balance()).toBe(10_000 - 5 * 60 - 0.01);
    // Another vendor's payments do not count.
    referenceOf(await (await newVendor()).create({ account: ACCOUNT }));
  });

  test('a likely duplicate is found for as long as clients repeat a create, where references are optional', async () => {
    const vendor = await addFundedVendor(sandbox, {
      floatAmount: '1000.00',
      duplicateWindowSeconds: LONG_DUPLICATE_WINDOW,
    });
    const account = fresh('25471').replaceAll(/\D/g, '').padEnd(12, '0').slice(0, 12);
    const first = referenceOf(await vendor.create({ account }));
    // A client whose answers are lost repeats it for 45 s.
    const pool = await sandbox.pool();
    await pool.query(
      `update payments set created_at = ${moved('created_at', '-46 seconds')},
         duplicate_key = (duplicate_key & 4294967295)
           | (((duplicate_key >> 32) - 1) << 32)
       where vendor_id = (select vendor_id from vendors where vid = $1)`,
      [vendor.vid],
    );
    expectDuplicateOf(await vendor.create({ account }), first);
    expectRefusal(await vendor.create({ account, merchant_reference: '' }), {
      status: 400,
      code: 'invalid_field',
      field: 'merchant_reference',
    });
    await until('it is paid', async () => {
      const { transaction_status: status } = await vendor.payment(first);
      return status === 'SUCCESS';
    });
    const paid = (await sandbox.truth()).filter((entry) => entry.account === account);
    expect(paid).toHaveLength(1);
    expect(await vendor.balance()).toBe(940);
  });

  test('no likely duplicate is reported to a vendor that switched it off', async () => {
    const vendor = await newVendor();
    const first = referenceOf(await vendor.create({ account: ACCOUNT }));
    expectDuplicateOf(await vendor.create({ account: ACCOUNT }), first);
    await changeVendor(await sandbox.pool(), vendor.vid, { duplicateCheck: 'off' });
    const second = await until('the setting holds', async () => {
      const answer = await vendor.create({ account: ACCOUNT });
      return answer.status === 200 && referenceOf(answer);
    });
    expect(second).not.toBe(first);
  });

  test('includes payments with a reference, for a vendor that asks for it', async () => {
    const vendor = await newVendor();
    await changeVendor(await sandbox.pool(), vendor.vid, { duplicateCheck: 'always' });
    const accepted = [
      referenceOf(await vendor.create({ account: ACCOUNT, merchant_reference: fresh('order') })),
    ];
    const refused = await until('the setting holds', async () => {
      const answer = await vendor.create({
        account: ACCOUNT,
        merchant_reference: fresh('order'),
      });
      if (answer.status === 200) accepted.push(referenceOf(answer));
      return answer.status !== 200 && answer;
    });
    expectDuplicateOf(refused, ...accepted);
    // The answer to a repeat stays the first answer.
    const params = { account: '254722123458', merchant_reference: fresh('order') };
    const first = await vendor.create(params);
    const again = await vendor.create(params);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });
});

describe('changed settings count without a restart', () => {
  test('msg.text of a status becomes a sentence, and an object again', async () => {
    const vendor = await newVendor();
    const made = [ACCOUNT, '254722129902', '254722129909'].map(async (account) =>
      referenceOf(await vendor.create({ account })),
    );
    const [paid = '', failed = '', unknown = ''] = await Promise.all(made);
    await until('they end', async () => {
      const states = [paid, failed, unknown].map(async (reference) => {
        return (await vendor.payment(reference)).transaction_status;
      });
      return (await Promise.all(states)).join(' ') === 'SUCCESS FAILED PENDING';
    });
    const before = (await vendor.call('status', { reference: paid })).body;
    await changeVendor(await sandbox.pool(), vendor.vid, { statusText: 'sentence' });
    const told = await until('the setting holds', async () => {
      const answer = await vendor.call('status', { reference: paid });
      return typeof answer.body.msg['text'] === 'string' && answer;
    });
    const amount = 'KES 60.00 to safaricom for account';
    const text = `Paid ${amount} ${ACCOUNT}: Payment received`;
    // Nothing else is different.
    expect(told.body).toEqual({ ...before, msg: { ...before.msg, text } });
    expect(told.headers['content-type']).toBe('application/json; charset=utf-8');
    const textOf = async (reference: string): Promise<unknown> =>
      (await vendor.call('status', { reference })).body.msg['text'];
    expect(await textOf(failed)).toBe(
      `Could not pay ${amount} 254722129902: The payment was declined`,
    );
    expect(await textOf(unknown)).toBe(`Sent ${amount} 254722129909; the outcome is not known yet`);
    await changeVendor(await sandbox.pool(), vendor.vid, { statusText: 'object' });
    await until('the setting holds', async () => typeof (await textOf(paid)) === 'object');
  });

  test('references become mandatory', async () => {
    const vendor = await newVendor();
    await changeVendor(await sandbox.pool(), vendor.vid, { referenceRequired: true });
    let number = 254_733_000_000;
    const refused = await until('the setting holds', async () => {
      // A different number each time, so that no payment is a likely duplicate.
      number += 1;
      const answer = await vendor.create({ account: String(number) });
      return answer.status !== 200 && answer;
    });
    expectRefusal(refused, { status: 400, code: 'missing_field', field: 'merchant_reference' });
    referenceOf(await vendor.create({ account: ACCOUNT, merchant_reference: fresh('order') }));
  });

  test('a suspended vendor can do nothing until it is resumed', async () => {
    const vendor = await newVendor();
    const reference = referenceOf(await vendor.create({ account: ACCOUNT }));
    await changeVendor(await sandbox.pool(), vendor.vid, { status: 'suspended' });
    await until('the suspension holds', async () => (await vendor.call('balance')).status === 403);
    const refusal = { status: 403, code: 'vendor_suspended', field: 'vid' };
    expectRefusal(await vendor.call('balance'), refusal);
    expectRefusal(await vendor.create({ account: '254722000003' }), refusal);
    expectRefusal(await vendor.call('status', { reference }), refusal);
    expectRefusal(await vendor.call('lookup', { prefix: '722' }), refusal);
    // Only the holder of the key gets this answer.
    const stranger = new VendorClient(sandbox.origin, { vid: vendor.vid, key: 'guessed' });
    expectRefusal(await stranger.call('balance'), {
      status: 401,
      code: 'signature_invalid',
      field: 'hash',
    });
    await changeVendor(await sandbox.pool(), vendor.vid, { status: 'active' });
    await until('it is let in', async () => (await vendor.call('balance')).status === 200);
    // Payments accepted before were completed.
    await until('it is paid', async () => {
      return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
    });
  });

  test('two keys are valid during a rotation', async () => {
    const vendor = await newVendor();
    const pool = await sandbox.pool();
    const sealing = { masterKeys: await sandbox.masterKeys(), certain: false };
    const holder = { holderKind: 'vendor', holder: vendor.vid } as const;
    const rotate = async (overlapSeconds: number): Promise<VendorClient> => {
      const key = await rotateKey(pool, holder, { ...sealing, overlapSeconds });
      return new VendorClient(sandbox.origin, { vid: vendor.vid, key });
    };

    const second = await rotate(3600);
    await until('the second key works', async () => await works(second));
    expect(await works(vendor)).toBe(true);
    // A signature uses exactly one key.
    const mixed = signed({ vid: vendor.vid, prefix: '722' }, vendor.key + second.key);
    expect((await send(sandbox.origin, encode(PATHS.lookup, mixed, 'json'))).status).toBe(401);

    const third = await rotate(3600);
    await until('the third key works', async () => await works(third));
    expect(await works(second)).toBe(true);
    await until('the first key is out', async () => !(await works(vendor)));

    const fourth = await rotate(0);
    await until('the fourth key works', async () => await works(fourth));
    await until('the others are out', async () => {
      return !(await works(third)) && !(await works(second));
    });
  });

  test('suspended collectors report nothing more', async () => {
    const vendor = await newVendor();
    const pool = await sandbox.pool();
    const collector = fresh('till');
    const sealing = { masterKeys: await sandbox.masterKeys(), certain: false };
    const key = await addCollector(pool, { collector, name: 'Till', scope: [vendor.vid] }, sealing);
    const report = async (): Promise<Answer> => {
      const params = {
        collector,
        vid: vendor.vid,
        reference: fresh('receipt'),
        amount: '1.00',
        currency: 'KES',
        paid_at: '2026-01-05 09:00:00',
      };
      return await send(sandbox.origin, encode(PATHS.collect, signed(params, key), 'json'));
    };
    await until('the collector is known', async () => (await report()).status === 200);
    await changeCollector(pool, collector, { status: 'suspended' });
    const refused = await until('the suspension holds', async () => {
      const answer = await report();
      return answer.status !== 200 && answer;
    });
    expectRefusal(refused, { status: 403, code: 'vendor_suspended', field: 'collector' });
  });

  test('a biller that people set OFFLINE is paid nothing', async () => {
    const vendor = await newVendor();
    const pool = await sandbox.pool();
    await changeBillerStatus(pool, 'startimes', 'OFFLINE');
    const path = `${PATHS.billerStatus}?vid=demo&biller_code=startimes`;
    const isShown = async (status: string): Promise<boolean> =>
      (await send(sandbox.origin, { method: 'GET', path })).text.includes(`"${status}"`);
    await until('it is shown', async () => await isShown('OFFLINE'));
    const params = { biller_name: 'startimes', account: '12345678', merchant_reference: 'once' };
    const refused = await vendor.create(params);
    expectRefusal(refused, { status: 503, code: 'biller_offline', field: 'biller_name' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await vendor.balance()).toBe(10_000);
    await changeBillerStatus(pool, 'startimes', 'ONLINE');
    await until('it is shown', async () => await isShown('ONLINE'));
    referenceOf(await vendor.create(params));
  });
});
