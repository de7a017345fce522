import { COMPANY } from '../../../src/payments/settings/invoicing.ts';
import { ACCOUNT_CODES } from '../../../src/payments/settings/accounting.ts';
import { insertCode } from '../../../src/payments/summaries/store.ts';
import { insertTerms } from '../../../src/payments/invoices/store.ts';
import { expect } from 'vitest';
import { setOperator } from '../../../src/payments/billers/administer.ts';
import { changeCollector } from '../../../src/parties/administer.ts';
import { COLLECTOR as COLLECTOR_SETTING } from '../../../src/payments/settings/collectors.ts';
import { ACCOUNT } from '../../../src/payments/settings/money-in.ts';
import { addAccount, setSource } from '../../../src/payments/receipts/administer.ts';
import { setFeePrice } from '../../../src/payments/billers/administer-prices.ts';
import {
  OPERATOR as OPERATOR_SETTING,
  operatorChangeJson,
} from '../../../src/payments/settings/operators.ts';
import { FEE, formulaJson } from '../../../src/payments/settings/prices.ts';
import { proposeSetting } from '../../../src/payments/settings/propose.ts';
import type { SettingChange } from '../../../src/payments/settings/propose.ts';
import { SEALING } from '../../support/production-pair.ts';
import { COLLECTOR, createInstructed, OPERATOR } from '../../support/money-fixture.ts';
import { BILLER, newPayment } from '../../support/new-transaction.ts';
import type { Case, Cases, Given } from './case.ts';

interface Changed extends SettingChange {
  readonly shown: Case['shown'];
  /** Lines of it that say what is asked, and are no field of the setting. */
  readonly said?: readonly string[];
  readonly remarks?: Case['shown'];
  /** Somebody else changes the same setting meanwhile. */
  readonly other: () => Promise<unknown>;
}

/** A setting that Asha changes. Everything about it is read with the code that the proposal reads it with. */
async function settingCase(
  { books: { pool, ledgerMac }, proposals, people }: Given,
  { setting, key, change, shown, said = [], remarks = [], other }: Changed,
): Promise<Case> {
  const tools = { ledgerMac, masterKeys: SEALING.masterKeys };
  const state = async () => await setting.read(pool, key, tools);
  const ended = await state();
  const asked = { setting, key, change, by: people.asha, note: 'as agreed' };
  const { row } = await proposeSetting({ pool, proposals, ...tools }, asked);
  const { proposalId: id } = row;
  expect((await proposals.preview(id)).remarks).toEqual(remarks);
  const approved = Object.fromEntries(
    shown
      .slice(1)
      .filter(({ label }) => !said.includes(label))
      .map(({ label, text }) => [label, text?.split(' → ').at(-1)]),
  );
  let endedAfterChange: unknown;
  return {
    ...{ id, shown, state, ended },
    approved: { ...ended, ...approved },
    changeFacts: async () => {
      await other();
      endedAfterChange = await state();
    },
    get endedAfterChange() {
      return endedAfterChange;
    },
    reason: /was changed meanwhile/,
    spend: async () => {
      await other();
      return 'refused';
    },
  };
}

/** Another address of an operator, while a payment has no result. */
async function operator(given: Given): Promise<Case> {
  const { pool } = given.books;
  const vendorId = await given.books.addVendor();
  await given.books.addFloat(vendorId, 1_000_000n);
  await createInstructed(pool, [newPayment({ vendorId })]);
  const real = { connector: 'http-json', settings: {} };
  const set = async (baseUrl: string) =>
    await setOperator(pool, OPERATOR, { ...real, baseUrl }, async () => {});
  await set('https://pay.example.com');
  const change = operatorChangeJson({ baseUrl: 'https://new.example.com', settings: {} });
  return await settingCase(given, {
    ...{ setting: OPERATOR_SETTING, key: { operatorCode: OPERATOR }, change },
    shown: [
      { label: 'Operator', text: OPERATOR },
      { label: 'Address', text: 'https://pay.example.com → https://new.example.com' },
      { label: 'Former merchant accounts', text: '1 → 2' },
    ],
    remarks: [
      { label: 'Payments without a result', text: `vendor-${vendorId}: 1` },
      { label: 'They are asked about', text: 'where they were sent' },
    ],
    other: async () => await set('https://third.example.com'),
  });
}

/** An account number that another vendor gets. */
async function accountNumber(given: Given): Promise<Case> {
  const { books } = given;
  await setSource(books.pool, 'paybill', {
    ...{ name: 'Pay bill', kind: 'daraja', collector: COLLECTOR },
    settings: { base_url: 'http://127.0.0.1:9', short_code: '600100' },
  });
  const [one, other] = [await books.addVendor(), await books.addVendor()];
  const key = { sourceCode: 'paybill', account: 'K900' };
  return await settingCase(given, {
    ...{ setting: ACCOUNT, key, change: { vid: `vendor-${one}` } },
    shown: [
      { label: 'Account number', text: 'K900 at paybill' },
      { label: 'Vendor', text: `vendor-${one}` },
    ],
    other: async () => await addAccount(books, { ...key, vid: `vendor-${other}`, by: 'Chege' }),
  });
}

/** A collector of one vendor that may collect for every vendor. */
async function collector(given: Given): Promise<Case> {
  const { pool } = given.books;
  const vid = `vendor-${await given.books.addVendor()}`;
  const other = `vendor-${await given.books.addVendor()}`;
  await changeCollector(pool, COLLECTOR, { scope: [vid] });
  return await settingCase(given, {
    ...{ setting: COLLECTOR_SETTING, key: { collector: COLLECTOR }, change: { scope: 'all' } },
    shown: [
      { label: 'Collector', text: COLLECTOR },
      { label: 'May collect for', text: `${vid} → every vendor` },
    ],
    other: async () => await changeCollector(pool, COLLECTOR, { scope: [vid, other] }),
  });
}

/** A vendor’s own fee, where there was none. */
async function price(given: Given): Promise<Case> {
  const { pool } = given.books;
  const vendorId = await given.books.addVendor();
  const formula = (flatCents: bigint) => ({
    tiers: [{ fromCents: 0n, flatCents, bps: 0 }],
    ...{ minimumCents: null, maximumCents: null, vatBps: 0, vatIncluded: false },
  });
  return await settingCase(given, {
    setting: FEE,
    key: { billerCode: BILLER, vendor: { vendorId, vid: `vendor-${vendorId}` } },
    change: { formula: formulaJson(formula(9_900n)), validFrom: null },
    shown: [
      { label: 'Fee', text: `${BILLER} for vendor-${vendorId}` },
      { label: 'Price', text: 'that of every vendor (none) → 99.00' },
    ],
    remarks: [{ label: 'Payments that exist', text: 'keep the price that they have' }],
    other: async () => {
      const key = { billerCode: BILLER, vendorId };
      await setFeePrice(pool, key, formula(100n), { validFrom: null, setBy: 'Chege' });
    },
  });
}

/** The company that invoices. */
async function company(given: Given): Promise<Case> {
  const { pool } = given.books;
  const change = {
    ...{ legalName: 'Malipo Ltd', pin: 'P051234567X', address: 'Nairobi' },
    startsAt: '2026-11-01T00:00:00.000Z',
  };
  return await settingCase(given, {
    ...{ setting: COMPANY, key: {}, change },
    shown: [
      { label: 'Invoices', text: 'the company' },
      { label: 'Legal name', text: 'Malipo Ltd' },
      { label: 'PIN', text: 'P051234567X' },
      { label: 'Address', text: 'Nairobi' },
      { label: 'One invoice for each', text: 'month' },
      { label: 'Control unit', text: 'none' },
      { label: 'Fees since', text: '2026-11-01T00:00:00.000Z' },
    ],
    other: async () => {
      const name = { legalName: 'Other Ltd', pin: 'P0', address: 'Kisumu' };
      const how = { per: 'month', needsControl: false, startsAt: new Date() } as const;
      await insertTerms(pool, { version: 1, ...name, ...how, setBy: 'Chege' });
    },
  });
}

/** The codes of accounts in the accounting software. */
async function codes(given: Given): Promise<Case> {
  return await settingCase(given, {
    ...{ setting: ACCOUNT_CODES, key: {} },
    change: { codes: [{ account: 'fees', code: '4000' }] },
    shown: [
      { label: 'Codes of accounts', text: 'the company' },
      { label: 'Code', text: 'fees 4000' },
      { label: 'Codes in force', text: 'fees 4000' },
    ],
    said: ['Code'],
    other: async () =>
      await insertCode(given.books.pool, { account: 'fees', code: '4001', setBy: 'Chege' }),
  });
}

export const CASES: Cases = {
  accounting_setting: { make: codes },
  invoice_setting: { make: company },
  price_setting: { make: price },
  operator_setting: { role: 'operations', make: operator },
  money_in_setting: { make: accountNumber },
  party_setting: { role: 'administrator', make: collector },
};
