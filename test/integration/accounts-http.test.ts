import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setFeePrice } from '../../src/payments/billers/administer-prices.ts';
import { setBiller } from '../../src/payments/billers/administer.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { fresh } from '../support/demo-vendors.ts';
import { flatFormula } from '../support/fee-prices.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startSimulatedOperators } from '../support/simulated-operators.ts';
import type { SimulatedOperators } from '../support/simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { BODY_FORMS, send, signed } from '../support/vendor-client.ts';
import type { Answer, VendorClient } from '../support/vendor-client.ts';

// Different spellings are one account, and accounts that the biller cannot have are refused.

let folder: string;
let database: TestDatabase;
let operators: SimulatedOperators;
let running: InProcessService;
let vendor: VendorClient;
beforeAll(async () => {
  database = await createServiceDatabase();
  folder = await makeTemporaryFolder();
  operators = await startSimulatedOperators(folder);
  running = await startInProcess(database.url, { operatorOrigin: operators.origin });
  vendor = running.demo();
  await vendor.fund();
});
afterAll(async () => {
  await running.stop();
  await operators.kill('SIGKILL');
  await removeFolder(folder);
  await database.drop();
});

const INVALID_ACCOUNT = { status: 400, code: 'invalid_field', field: 'account' };

function referenceOf(answer: Answer): string {
  expect(answer.status, answer.text).toBe(200);
  return String(answer.body.msg['ipay_reference']);
}

async function storedAccountOf(reference: string): Promise<unknown> {
  return (await vendor.call('status', { reference })).body.msg['account'];
}

const REUSED = { status: 409, code: 'reference_reused', field: 'merchant_reference' };

const SPELLINGS = [
  '0722000001',
  '254722000001',
  '+254722000001',
  '722000001',
  ' 0722 000-001 ',
  '(0722) 000.001',
];

describe('airtime for one number', () => {
  test('every notation of the number under one reference is one payment', async () => {
    const merchantReference = fresh('airtime');
    const order = { biller_name: 'safaricom', amount: '60', merchant_reference: merchantReference };
    const answers: Answer[] = [];
    for (const [index, account] of SPELLINGS.entries()) {
      const form = BODY_FORMS[index % BODY_FORMS.length];
      answers.push(await vendor.call('create', { ...order, account }, form));
    }
    const references = new Set(answers.map(referenceOf));
    expect(references.size).toBe(1);
    const [reference = ''] = references;
    expect(await storedAccountOf(reference)).toBe('254722000001');
    const other = await vendor.create({ ...order, account: '0722000002' });
    expectRefusal(other, { ...REUSED, reference });
  });

  test('without a reference is a likely duplicate, in any notation', async () => {
    const order = { biller_name: 'safaricom', amount: '61' };
    const reference = referenceOf(await vendor.create({ ...order, account: '0722000003' }));
    for (const account of ['254722000003', '0722000003 ', '0722.000.003', '+254 722 000003']) {
      const twin = await vendor.create({ ...order, account });
      expectRefusal(twin, { status: 409, code: 'likely_duplicate', reference });
    }
  });

  test.each([
    'notaphone',
    '14234567890',
    '256722000000',
    '07220000000',
    '072200000',
    '0722_000000',
  ])('airtime for one number is refused for %j', async (account) => {
    expectRefusal(await vendor.create({ biller_name: 'safaricom', account }), INVALID_ACCOUNT);
  });
});

describe('a phone in addition to the account', () => {
  test('every notation of a phone is one phone, and part of the repeated content', async () => {
    const order = {
      biller_name: 'gotv',
      amount: '60',
      account: '2012345678',
      merchant_reference: fresh('tv'),
    };
    const answers: Answer[] = [];
    for (const phone of SPELLINGS) answers.push(await vendor.create({ ...order, phone }));
    const references = new Set(answers.map(referenceOf));
    expect(references.size).toBe(1);
    const [reference = ''] = references;
    const other = await vendor.create({ ...order, phone: '+256 772 000 001' });
    expectRefusal(other, { ...REUSED, reference });
    const malformed = { ...order, phone: '(((72200001', merchant_reference: fresh('tv') };
    expectRefusal(await vendor.create(malformed), {
      status: 400,
      code: 'invalid_field',
      field: 'phone',
    });
  });
});

describe('an account of another biller', () => {
  test('an account is trimmed; a final dot does not make another account', async () => {
    const order = { biller_name: 'kplc_prepaid', amount: '62' };
    const account = '14234567890';
    const reference = referenceOf(await vendor.create({ ...order, account: ` ${account} ` }));
    expect(await storedAccountOf(reference)).toBe(account);
    const twin = await vendor.create({ ...order, account: `${account} ` });
    expectRefusal(twin, { status: 409, code: 'likely_duplicate', reference });
    expectRefusal(await vendor.create({ ...order, account: `${account}.` }), INVALID_ACCOUNT);
  });

  test.each(['1234', '123456789012345', 'A12345', '1234 5678', '12345\t6'])(
    'an account is refused when it is %j',
    async (account) => {
      const refused = await vendor.create({ biller_name: 'kplc_prepaid', account });
      expect(refused.status).toBe(400);
      expect(refused.body.error?.[0]?.field).toBe('account');
    },
  );
});

interface Row {
  readonly result: string;
  readonly ipay_reference: string;
}

/** Uploads a file with these lines and returns the result of each. */
async function decidedRows(by: VendorClient, lines: readonly string[]): Promise<readonly Row[]> {
  const file = ['biller_name,amount,account,merchant_reference', ...lines, ''].join('\n');
  const at = async (path: string, params: Record<string, string>, body?: string) => {
    const query = signed({ vid: by.vid, ...params }, by.key) as Record<string, string>;
    return await send(running.origin, {
      method: body === undefined ? 'GET' : 'POST',
      path: `/transaction/bulk${path}?${new URLSearchParams(query).toString()}`,
      ...(body === undefined ? {} : { headers: { 'content-type': 'text/csv' }, body }),
    });
  };
  const batch = { batch_reference: fresh('batch') };
  const sha256 = createHash('sha256').update(file).digest('hex');
  expect((await at('', { ...batch, sha256 }, file)).status).toBe(200);
  await until('the batch is done', async () => {
    return (await at('/status', batch)).body.msg['batch_status'] === 'DONE';
  });
  return (await at('/result', batch)).body.data as Row[];
}

test('rows of a file are compared and stored in the same way', async () => {
  const [first, second, third] = [fresh('row'), fresh('row'), fresh('row')];
  const order = { biller_name: 'safaricom', amount: '63', merchant_reference: first };
  const reference = referenceOf(await vendor.create({ ...order, account: '254722000009' }));
  const rows = await decidedRows(vendor, [
    `safaricom,63,0722 000 009,${first}`,
    `airtel,63,+254-733-000-009,${second}`,
    `airtel,63,notaphone,${third}`,
  ]);
  expect(rows).toMatchObject([
    { result: 'ACCEPTED', ipay_reference: reference },
    { result: 'ACCEPTED' },
    { result: 'REFUSED', code: 'invalid_field', field: 'account' },
  ]);
  expect(await storedAccountOf(rows[1]?.ipay_reference ?? '')).toBe('254733000009');
});

test('a vendor that must give references is refused without one, singly and in a file', async () => {
  const strict = await running.addVendor({ referenceRequired: true });
  const refused = await strict.create({ account: '254722000010' });
  expectRefusal(refused, { status: 400, code: 'missing_field', field: 'merchant_reference' });
  expect(await decidedRows(strict, ['safaricom,63,254722000010,'])).toMatchObject([
    { result: 'REFUSED', code: 'missing_field', field: 'merchant_reference' },
  ]);
});

describe('the list of billers', () => {
  test('shows limits, fee, account format and whether it can validate', async () => {
    const { data } = (await vendor.call('list')).body as unknown as {
      data: Record<string, unknown>[];
    };
    const of = (code: string) => data.find((biller) => biller['biller_code'] === code);
    expect(of('safaricom')).toMatchObject({
      maximum_amount: null,
      fee: '0.00',
      account_format: 'msisdn',
      account_label: 'Phone number',
      can_validate: 'false',
    });
    expect(of('gotv')).toMatchObject({
      account_format: '^[0-9]{5,14}$',
      account_label: 'IUC number',
      can_validate: 'true',
    });
    const change = { maximumCents: 7_000_000n, accountFormat: '^KP[0-9]{6}$' };
    const { pool } = running.service;
    await setBiller(pool, 'zuku', change);
    const tiers = [{ fromCents: 0n, flatCents: 2_500n, bps: 100 }];
    const key = { billerCode: 'zuku', vendorId: null };
    const setting = { validFrom: null, setBy: 'Asha' };
    await setFeePrice(pool, key, flatFormula(0n, { tiers }), setting);
    await running.service.catalogue.reload();
    const status = await vendor.call('billerStatus', { biller_code: 'zuku' });
    expect(status.body.data).toMatchObject({
      minimum_balance: '50.00',
      maximum_amount: '70000.00',
      // The fee of the minimum amount.
      fee: '25.50',
      fee_formula: {
        tiers: [{ from: '0.00', flat: '25.00', percent: '1' }],
        minimum: null,
        maximum: null,
        vat_percent: '0',
        vat: 'added',
      },
      account_format: '^KP[0-9]{6}$',
      can_validate: 'false',
      status: 'ONLINE',
    });
    const zuku = { biller_name: 'zuku', amount: '60' };
    expectRefusal(await vendor.create({ ...zuku, account: '12345678' }), INVALID_ACCOUNT);
    const request = { ...zuku, account: ' KP123456', merchant_reference: 'priced' };
    const created = await vendor.create(request);
    expect(created.body.msg).toMatchObject({ fee: '25.60' });
    // A repeat shows the fee that was charged, even if the price has changed.
    await setFeePrice(pool, key, flatFormula(1n), setting);
    await running.service.catalogue.reload();
    const again = await vendor.create(request);
    expect(again.body.msg).toEqual(created.body.msg);
  });

  test('says that accounts of a biller cannot be validated if its operator cannot do it', async () => {
    const operator = 'silent';
    await running.service.pool.query(
      `insert into operators (operator_code, name, connector, base_url)
       values ($1, 'Silent', 'unknown', 'http://127.0.0.1:9')`,
      [operator],
    );
    const biller = { name: 'Silent', category: 'tv', operatorCode: operator, minimumCents: 100n };
    const added = { ...biller, validatesAccounts: true };
    await setBiller(running.service.pool, 'silent', added);
    await running.service.catalogue.reload();
    const status = await vendor.call('billerStatus', { biller_code: 'silent' });
    expect(status.body.data).toMatchObject({ can_validate: 'false' });
  });
});

describe('validating an account', () => {
  const asked = async (params: Record<string, string>) =>
    await vendor.call('validate', { phone: '0722 000 000', ...params });

  test.each(['kplc_prepaid', 'Kenya Power Prepaid', 'kenya power prepaid', 'KPLC_PREPAID'])(
    'takes %j',
    async (accountType) => {
      const answer = await asked({ account: ' 14234567890 ', account_type: accountType });
      expect(answer.body).toMatchObject({
        header_status: 200,
        status: 1,
        text: 'SUCCESS',
        account_data: { account: '14234567890' },
        prefix: '722',
      });
    },
  );

  test('reports an account that the operator does not know as invalid', async () => {
    const answer = await asked({ account: '14234569902', account_type: 'kplc_prepaid' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 0 });
    expect(answer.body).not.toMatchObject({ text: 'SUCCESS' });
  });

  test('refuses an account that the biller cannot have, without asking the operator', async () => {
    const refused = await asked({ account: 'A12345', account_type: 'kplc_prepaid' });
    expectRefusal(refused, { ...INVALID_ACCOUNT, kind: 'validation' });
  });

  test('refuses an unknown name, and one that several billers have', async () => {
    const account = '14234567890';
    expectRefusal(await asked({ account, account_type: 'Kenya Power' }), {
      status: 404,
      code: 'unknown_biller',
      field: 'account_type',
      kind: 'validation',
    });
    const twin = { name: 'kenya power Prepaid', category: 'tv', operatorCode: 'zuku' };
    const added = { ...twin, minimumCents: 100n };
    await setBiller(running.service.pool, 'kplc_again', added);
    await running.service.catalogue.reload();
    expectRefusal(await asked({ account, account_type: 'Kenya Power Prepaid' }), {
      status: 400,
      code: 'invalid_field',
      field: 'account_type',
      kind: 'validation',
    });
  });
});
