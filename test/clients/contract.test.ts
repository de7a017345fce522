import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTRACT_OPERATIONS } from '../support/contract-operations.ts';
import { CLIENTS_HERE, startDriver } from './driver.ts';
import type { Driver, Given } from './driver.ts';
import { missingIn } from './answer-values.ts';
import { IN_PATH, RESOURCE_CALLS } from './resource-calls.ts';
import { RESOURCES } from '../support/self-service-client.ts';
import { exampleOf, ok, startScriptedService } from './scripted-service.ts';
import type { ScriptedService } from './scripted-service.ts';

const ENQUIRY = {
  requestReference: 'ENQ1',
  reportReason: 2,
  name1: 'Amani',
  name2: 'Baraka',
  name3: 'Wanjiru',
  name4: 'Njeri',
  dateOfBirth: '1984-03-12',
  nationalID: '900000001',
  passportNo: 'A1',
  serviceID: 'B2',
  alienID: 'C3',
  taxID: 'D4',
  postalTown: 'Nyeri',
  postalCountry: 'KE',
  telephoneWork: '1',
  telephoneHome: '2',
  telephoneMobile: '3',
  physicalAddress: 'Moi & Sons, 5 + 6 % é',
  physicalTown: 'Nyeri',
  physicalCountry: 'KE',
  consentReference: 'C-1',
  consentDate: '2026-01-05',
};
const SCORE = { ...ENQUIRY, reportSector: 2 };
const BILL = {
  billerName: 'kplc_prepaid',
  account: '37200009901',
  amountCents: 10_000,
  merchantReference: 'order-1001',
  phone: '254722000000',
};

/** How each operation of the contract is called, with everything that it accepts. */
const CALLS: Readonly<Record<string, readonly [call: string, given?: Given][]>> = {
  fund: [['fund']],
  collect: [
    [
      'collect',
      { vid: 'demo', reference: 'r1', amountCents: 25_000, paidAt: '2026-11-21T06:10:00.000Z' },
    ],
  ],
  listBillers: [['listBillers']],
  billerStatus: [['billerStatus', { billerCode: 'kplc_prepaid' }]],
  billerProducts: [['billerProducts', { billerCode: 'kplc_prepaid' }]],
  createTransaction: [['createPayment', BILL]],
  transactionStatus: [
    ['status', { reference: '00000081M7Y4NP8KEYWR8EDAAS5ZSBQV' }],
    ['status', { merchantReference: 'order-1001' }],
  ],
  validateAccount: [
    ['validate', { account: '1', accountType: 'nairobi_water', phone: '254722000000' }],
  ],
  phoneLookup: [['lookup', { prefix: '722' }]],
  balance: [['balance']],
  bulkCreate: [
    ['bulkCreate', { batchReference: 'b1', payments: [BILL] }],
    ['bulkCreate', { batchReference: 'b1', payments: { text: 'a\n', contentType: 'text/csv' } }],
  ],
  bulkStatus: [['bulkStatus', { batchReference: 'b1' }]],
  bulkResult: [['bulkResult', { batchReference: 'b1' }]],
  idDecision: [['idDecision', ENQUIRY]],
  genericScore: [['genericScore', SCORE]],
  mobileLoanScore: [['mobileLoanScore', SCORE]],
  batchScore: [
    [
      'batchScore',
      {
        batchReference: 'b1',
        product: 'generic-score',
        reportReason: 3,
        reportSector: 2,
        customers: [{ requestReference: 'NOV1', name1: 'Amani', nationalID: '900000001' }],
      },
    ],
  ],
  batchScoreStatus: [['batchScoreStatus', { batchReference: 'b1' }]],
  batchScoreResult: [['batchScoreResult', { batchReference: 'b1' }]],
  watchCustomer: [['watch', { requestReference: 'ENQ1', scoreDrop: 30 }]],
  unwatchCustomer: [['unwatch', { requestReference: 'ENQ1' }]],
};

/** Another name of `reference`, for old programs. */
const NEVER_SENT = new Set(['ipay_reference']);

test('every operation of the contract is called', () => {
  const ids = [...CONTRACT_OPERATIONS, ...RESOURCES].map(({ id }) => id);
  const called = [...Object.keys(CALLS), ...Object.keys(RESOURCE_CALLS)];
  expect(called.toSorted()).toEqual(ids.toSorted());
});

describe.each(CLIENTS_HERE)('$title', ({ name, runs }) => {
  let driver: Driver;
  let service: ScriptedService;
  beforeAll(async () => {
    if (!runs) return;
    service = await startScriptedService();
    driver = startDriver(name);
    const url = service.origin;
    await driver.value('openCollector', { url, collector: 'till', key: 'k' });
  });
  afterAll(async () => {
    if (!runs) return;
    await driver.end();
    await service.close();
  });

  test
    .skipIf(!runs)
    .each(CONTRACT_OPERATIONS.map((operation) => [operation.id, operation] as const))(
    '%s: the path, every parameter, and every value of the answer',
    async (id, operation) => {
      const sent = new Set<string>();
      for (const signature of ['header', 'hash']) {
        const url = service.origin;
        await driver.value('open', { url, vid: 'demo', key: 'demo-security-key', signature });
        for (const [call, given] of CALLS[id] ?? []) {
          service.play(ok);
          const value = await driver.value(call, given);
          const [arrived] = service.arrived;
          expect(arrived?.path).toBe(operation.path);
          for (const param of Object.keys(arrived?.params ?? {})) sent.add(param);
          for (const [param, pattern] of operation.patterns) {
            const text = arrived?.params[param];
            if (text !== undefined) expect(text, param).toMatch(pattern);
            else expect(operation.required).not.toContain(param);
          }
          expect(missingIn(value, exampleOf(operation.path))).toEqual([]);
        }
      }
      const accepted = operation.names.filter((each) => !NEVER_SENT.has(each));
      // The collector of this test signs with the header only.
      const withHash = operation.isSigned && id !== 'collect';
      expect([...sent].toSorted()).toEqual([...accepted, ...(withHash ? ['hash'] : [])].toSorted());
    },
  );

  test.skipIf(!runs).each(RESOURCES.map((resource) => [resource.id, resource] as const))(
    '%s: the method, the path, every parameter, and every value of the answer',
    async (id, { method, path, parameters, fields }) => {
      const sent = new Set<string>();
      const url = service.origin;
      // Always signed with the header.
      const access = { url, vid: 'demo', key: 'demo-security-key', signature: 'hash' };
      await driver.value('open', access);
      const values: unknown[] = [];
      for (const [call, given] of RESOURCE_CALLS[id] ?? []) {
        service.play(ok);
        values.push(await driver.value(call, given));
        const [arrived, again] = service.arrived;
        expect(again).toBeUndefined();
        expect(arrived?.method).toBe(method);
        expect(arrived?.path).toBe(path.replace(/\{\w+\}/, IN_PATH));
        expect(arrived?.headers['x-signature']).toMatch(/^v2,/);
        const body = arrived?.body === '' ? {} : (JSON.parse(arrived?.body ?? '') as object);
        for (const each of [...Object.keys(arrived?.params ?? {}), ...Object.keys(body)]) {
          sent.add(each);
        }
        for (const { name: param, schema } of parameters) {
          const text = arrived?.params[param];
          const pattern = new RegExp(schema.pattern ?? '', 'u');
          if (text !== undefined) expect(text, param).toMatch(pattern);
        }
      }
      // Only a page of a list has what is not in its items.
      expect(missingIn(values, exampleOf(path, method))).toEqual([]);
      const inQuery = parameters.filter((one) => one.in === 'query').map((one) => one.name);
      expect([...sent].toSorted()).toEqual([...inQuery, ...fields].toSorted());
    },
  );

  test.skipIf(!runs)('each group of operations goes to its own address', async () => {
    const url = `${service.origin}/bills/`;
    const more = { fundUrl: `${service.origin}/money`, scoringUrl: `${service.origin}/crb` };
    await driver.value('open', { url, vid: 'demo', key: 'k', retryForMs: 0, ...more });
    service.play((response) => response.writeHead(404).end());
    await driver.error('fund');
    await driver.error('balance');
    await driver.error('createPayment', BILL);
    await driver.error('genericScore', SCORE);
    expect(service.arrived.map(({ path }) => path)).toEqual([
      '/money/payments/v2/billing/fund',
      '/bills/billing/account/balance',
      '/bills/transaction/create',
      '/crb/generic-score',
    ]);
  });
});
