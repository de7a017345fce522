import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFundedVendor, collect, fresh } from '../support/demo-vendors.ts';
import { READING, usualParams } from '../support/operation-samples.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { BODY_FORMS, PATHS, UNSIGNED, encode, send, signed } from '../support/vendor-client.ts';
import type {
  Answer,
  BodyForm,
  OperationName,
  Params,
  VendorClient,
  WireRequest,
} from '../support/vendor-client.ts';

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let vendor: VendorClient;
beforeAll(async () => {
  sandbox = await fixture.start();
  vendor = await addFundedVendor(sandbox, { floatAmount: '100000.00' });
});
afterAll(async () => await fixture.cleanUp());

const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const TEXT = expect.stringMatching(/\S/) as string;
const WHEN = expect.stringMatching(TIME) as string;
const REFERENCE = expect.stringMatching(/^[0-9A-Z]{32}$/) as string;

function request(operation: OperationName, params: Params, form: BodyForm): WireRequest {
  const all = { vid: vendor.vid, ...params };
  return encode(PATHS[operation], UNSIGNED.has(operation) ? all : signed(all, vendor.key), form);
}

function expectSuccess(answer: Answer, body: unknown): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual(body);
}

const GOTV = {
  biller_name: 'GOtv',
  biller_code: 'gotv',
  biller_category: 'tv',
  minimum_balance: '50.00',
  secondary_account: 'true',
  maximum_amount: null,
  fee: '0.00',
  fee_formula: null,
  account_format: '^[0-9]{5,14}$',
  account_label: 'IUC number',
  can_validate: 'true',
};

const NUMBER = expect.stringMatching(/^-?\d+(\.\d+)?$/) as string;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/) as string;

/** Sector pairs with these names. */
const pairs = (names: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    names.split(' ').map((name) => [name, { mySector: NUMBER, otherSectors: NUMBER }]),
  );
const score = (name: string): Readonly<Record<string, string>> => ({
  grade: TEXT,
  [name]: NUMBER,
  probability: NUMBER,
  reasonCodeAARC1: TEXT,
  reasonCodeAARC2: TEXT,
  reasonCodeAARC3: TEXT,
  reasonCodeAARC4: TEXT,
});

/** Specification §2.6 to §2.9, about the sandbox's first example; more fields may come. */
const PROFILE = {
  crn: TEXT,
  dateOfBirth: INSTANT,
  fullName: 'Amani Baraka Wanjiru',
  nationalID: '900000001',
  otherNames: 'Amani Baraka',
  salutation: TEXT,
  surname: 'Wanjiru',
  deceased: 'false',
  nameDiffers: 'false',
  alsoKnownAs: [],
};
const FLAGS = {
  disputed: 'false',
  deceased: 'false',
  asOf: INSTANT,
  accountType: TEXT,
  openedDate: INSTANT,
  accountAge: NUMBER,
  originalAmount: NUMBER,
  currentBalance: NUMBER,
  arrearDays: NUMBER,
  stale: 'false',
  jointHolders: '',
};
const DETAILS =
  'arrearsNone arrears30Days arrears60Days arrears90Days arrearsGT90Days currentAccountsInArrears maxArrearDays staleAccounts maxArrears totalArrears totalBalance enquiries30Days enquiries90Days enquiries365Days guaranteedAccounts guaranteedBalance';
const COUNTS =
  'creditHistory npaAccounts paAccounts paAccountsWithDh paClosedAccounts paClosedAccountsWithDh paOpenAccounts paOpenAccountsWithDh disputedAccounts';
const MOBILE_COUNTS =
  'avgMobiLoanPrincipalAmount lastMobiLoanPrincipalAmount maxMobiLoanPrincipalAmount minMobiLoanPrincipalAmount mobiLoanAccounts npaClosedAccounts npaClosedMobiLoanAccounts npaOpenAccounts npaOpenMobiLoanAccounts paClosedMobiLoanAccounts paClosedMobiLoanAccountsWithDh paOpenMobiLoanAccounts paOpenMobiLoanAccountsWithDh';
const SCORING = {
  idDecision: {
    profile: { ...PROFILE, gender: TEXT, nationality: TEXT },
    summary: { creditActive: 'true' },
  },
  genericScore: {
    profile: PROFILE,
    summary: pairs(`${COUNTS} ${DETAILS}`),
    account_list: { accountStatus: TEXT, arrearAmount: NUMBER, ...FLAGS },
    phone_list: { phoneNo: TEXT, phoneType: TEXT },
    score: score('positiveScore'),
  },
  mobileLoanScore: {
    profile: PROFILE,
    summary: {
      ...pairs(`${COUNTS} ${MOBILE_COUNTS} ${DETAILS}`),
      lastMobileLoanListingDate: { otherSectors: INSTANT },
    },
    account_list: { accountStatus: TEXT, ...FLAGS },
    phone_list: { createDate: INSTANT, phoneNo: TEXT, phoneType: TEXT },
    score: score('mobiLoansScore'),
  },
} as const;

/** Each operation's parameters, new for each request, and the exact answer. */
const OPERATIONS: Readonly<
  Record<
    Exclude<OperationName, 'status' | 'collect' | 'watch' | 'unwatch' | keyof typeof SCORING>,
    () => { params: Params; body: unknown }
  >
> = {
  fund: () => ({
    params: { currency: 'KES', time: String(Date.now()) },
    body: {
      header_status: 200,
      msg: {
        status: 1,
        text: 'Amount moved',
        amount: 12.5,
        reference: REFERENCE,
        posted_time: WHEN,
      },
    },
  }),
  list: () => ({
    params: {},
    body: {
      header_status: 200,
      data: expect.arrayContaining([
        GOTV,
        {
          biller_name: 'Safaricom Airtime',
          biller_code: 'safaricom',
          biller_category: 'airtime',
          minimum_balance: '5.00',
          secondary_account: 'false',
          maximum_amount: null,
          fee: '0.00',
          fee_formula: null,
          account_format: 'msisdn',
          account_label: 'Phone number',
          can_validate: 'false',
        },
      ]) as unknown,
    },
  }),
  billerStatus: () => ({
    params: { biller_code: 'gotv' },
    body: { header_status: 200, data: { ...GOTV, status: 'ONLINE' } },
  }),
  billerProducts: () => ({
    params: { biller_code: 'gotv' },
    body: {
      header_status: 200,
      data: { biller_code: 'gotv', only_products: 'false', products: [] },
    },
  }),
  create: () => ({
    params: {
      biller_name: 'gotv',
      amount: '50.00',
      account: '2012345678',
      phone: '254722000000',
      merchant_reference: fresh('form'),
    },
    body: {
      header_status: 200,
      msg: {
        status: 1,
        text: TEXT,
        ipay_reference: REFERENCE,
        posted_time: WHEN,
        fee: '0.00',
      },
    },
  }),
  validate: () => ({
    params: { account: '2012345678', account_type: 'gotv', phone: '254722000000' },
    body: {
      header_status: 200,
      status: 1,
      text: 'SUCCESS',
      account_data: {
        account: '2012345678',
        name: TEXT,
        amountdue: expect.stringMatching(/^\d+\.\d{2}$/) as string,
        due_date: '2030-01-31',
      },
      prefix: '722',
    },
  }),
  lookup: () => ({
    params: { prefix: '722' },
    body: { header_status: 200, data: { prefix: '722', operator: 'safaricom' } },
  }),
  balance: () => ({
    params: {},
    body: { header_status: 200, balance: expect.any(Number) as number },
  }),
};

describe.each(BODY_FORMS)('parameters as %s', (form) => {
  test.each(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])(
    '%s gets an answer of the documented form',
    async (operation) => {
      const { params, body } = OPERATIONS[operation]();
      if (operation === 'fund') await collect(sandbox.origin, { vid: vendor.vid, amount: '12.50' });
      expectSuccess(await send(sandbox.origin, request(operation, params, form)), body);
    },
  );

  test('collect gets an answer of the documented form', async () => {
    const reference = fresh('income');
    for (const paid_at of ['2026-01-05T09:00:00+03:00', '1767592800', '1767592800000']) {
      // For another vendor, because the fund test counts this one’s income.
      const params = { vid: 'demo2', reference, amount: '7.25', paid_at };
      expectSuccess(await collect(sandbox.origin, params, form), {
        header_status: 200,
        msg: {
          status: 1,
          text: 'Amount collected',
          amount: 7.25,
          reference: REFERENCE,
          posted_time: WHEN,
        },
      });
    }
  });

  test.each(Object.keys(SCORING) as (keyof typeof SCORING)[])(
    '%s gets an answer of the documented form',
    async (operation) => {
      const params = usualParams(operation, vendor.vid);
      const answer = await send(sandbox.origin, request(operation, params, form));
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
      const body = JSON.parse(answer.text) as Record<string, unknown>;
      expect(body).toMatchObject({
        header_status: 200,
        text: TEXT,
        requestReference: params['requestReference'],
      });
      expect(body).not.toHaveProperty('error');
      for (const [name, wanted] of Object.entries(SCORING[operation])) {
        const found = body[name];
        const entries = Array.isArray(found) ? found : [found];
        expect(entries.length, name).toBeGreaterThan(0);
        for (const entry of entries) expect([name, entry]).toEqual([name, wanted]);
      }
      // The same reference means the same enquiry: the same answer, and nothing else for it.
      expect((await send(sandbox.origin, request(operation, params, form))).text).toBe(answer.text);
    },
  );

  test('status of an electricity payment', async () => {
    const merchantReference = fresh('form');
    const account = '37299999901';
    const create = { biller_name: 'kplc_prepaid', amount: '75', account };
    const created = await send(
      sandbox.origin,
      request('create', { ...create, merchant_reference: merchantReference }, form),
    );
    const reference = String(created.body.msg['ipay_reference']);
    const status = await until('it is paid', async () => {
      const answer = await send(sandbox.origin, request('status', { reference }, form));
      return answer.text.includes('"SUCCESS"') && answer;
    });
    const fields = {
      biller_response_time: WHEN,
      biller_reference: TEXT,
      transaction_status: 'SUCCESS',
      transaction_message: TEXT,
      failure_code: null,
      account,
      amount: 75,
      biller_name: 'kplc_prepaid',
      details: { token: expect.stringMatching(/^\d{20}$/) as string, units: '3.00' },
    };
    expectSuccess(status, {
      header_status: 200,
      msg: {
        status: 1,
        text: fields,
        ipay_reference: reference,
        posted_time: created.body.msg['posted_time'],
        merchant_reference: merchantReference,
        ...fields,
      },
    });
    const byMerchantReference = { merchant_reference: merchantReference };
    const same = await send(sandbox.origin, request('status', byMerchantReference, form));
    expect(same.body).toEqual(status.body);
  });
});

describe('reading operations', () => {
  test.each(READING)('%s is answered by GET', async (operation) => {
    const { params, body } = OPERATIONS[operation as 'list']();
    const get = { ...request(operation, params, 'query'), method: 'GET' };
    expectSuccess(await send(sandbox.origin, get), body);
  });

  test('have a HEAD', async () => {
    const answer = await send(sandbox.origin, { method: 'HEAD', path: '/billing/list?vid=demo' });
    expect(answer).toMatchObject({ status: 200, text: '' });
  });
});

describe('before the operator’s result', () => {
  test('all fields are present, null while unknown', async () => {
    const reference = await vendor.accepted({ account: '254700009909', amount: '60' });
    const answer = await until('it is sent', async () => {
      const status = await vendor.call('status', { reference });
      return status.text.includes('"PENDING"') && status;
    });
    const fields = {
      biller_response_time: null,
      biller_reference: null,
      transaction_status: 'PENDING',
      transaction_message: null,
      failure_code: null,
      account: '254700009909',
      amount: 60,
      biller_name: 'safaricom',
      details: null,
    };
    expectSuccess(answer, {
      header_status: 200,
      msg: {
        status: 1,
        text: fields,
        ipay_reference: reference,
        posted_time: WHEN,
        merchant_reference: null,
        ...fields,
      },
    });
  });

  test('a failed payment has msg.status 0', async () => {
    const reference = await vendor.accepted({ account: '254700009902' });
    const answer = await until('it fails', async () => {
      const status = await vendor.call('status', { reference });
      return status.text.includes('"FAILED"') && status;
    });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty('error');
    expect(answer.body.msg).toMatchObject({
      status: 0,
      transaction_status: 'FAILED',
      transaction_message: TEXT,
      failure_code: 'declined',
      text: { failure_code: 'declined' },
      biller_reference: null,
      biller_response_time: WHEN,
      details: null,
    });
  });

  test('nothing to fund is not an error', async () => {
    const idle = await addFundedVendor(sandbox, { floatAmount: '5.00' });
    expectSuccess(await idle.call('fund', { currency: 'KES', time: String(Date.now() + 1000) }), {
      header_status: 200,
      msg: { status: 0, text: TEXT, amount: 0, reference: '', posted_time: WHEN },
    });
  });

  test('an account that the biller does not know is an answer, not a refusal', async () => {
    const answer = await vendor.call('validate', { account: '123459902', account_type: 'dstv' });
    expectSuccess(answer, {
      header_status: 200,
      status: 0,
      text: TEXT,
      account_data: { account: '123459902', name: null, amountdue: null, due_date: null },
      prefix: null,
    });
    expect(JSON.parse(answer.text)).not.toMatchObject({ text: 'SUCCESS' });
  });
});
