import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rotateKey } from '../../../src/parties/administer.ts';
import { newSharedSecret } from '../../../src/parties/keys.ts';
import { listKeysOf } from '../../../src/parties/read-keys.ts';
import { rotateSecret, setWebhook } from '../../../src/payments/events/administer.ts';
import { decodeReference } from '../../../src/parties/reference.ts';
import type { PaymentKey } from '../../../src/payments/create/payment.ts';
import { claim } from '../../../src/payments/dispatch/store.ts';
import { settlePayments } from '../../../src/payments/settle/store.ts';
import { announceEvent } from '../../../src/payments/events/store.ts';
import { setOperatorKey } from '../../../src/payments/billers/administer-operator-key.ts';
import { setRoute } from '../../../src/payments/billers/administer-routes.ts';
import { readPayment } from '../../../src/payments/create/store.ts';
import { findBiller, putBiller, putOperator } from '../../../src/payments/billers/store.ts';
import { setSource, setSourceKey } from '../../../src/payments/receipts/administer.ts';
import { insertAccount, putSource } from '../../../src/payments/receipts/sources-store.ts';
import { enterQuarantine } from '../../../src/payments/quarantine/enter.ts';
import { findOpenQuarantine } from '../../../src/payments/quarantine/read-quarantine.ts';
import { releaseQuarantine } from '../../../src/payments/quarantine/release.ts';
import { listMissing } from '../../../src/payments/quarantine/stakes.ts';
import { insertStatement } from '../../../src/payments/reconciliation/store.ts';
import type { TopUpRule } from '../../../src/payments/vendor-floats/rule.ts';
import { insertRule } from '../../../src/payments/vendor-floats/rules-store.ts';
import {
  findLastSummary,
  findTerms as findSummaryTerms,
  insertSummary,
  insertTerms as insertSummaryTerms,
} from '../../../src/payments/summaries/store.ts';
import { summaryNumber } from '../../../src/payments/summaries/summary.ts';
import type { InvoiceContent } from '../../../src/payments/invoices/invoice.ts';
import {
  findTerms,
  insertInvoice,
  insertTerms,
  lastNumber,
} from '../../../src/payments/invoices/store.ts';
import { newId } from '../../../src/platform/base/ids.ts';
import { createMac } from '../../../src/platform/base/mac.ts';
import type { Mac } from '../../../src/platform/base/mac.ts';
import type { MasterKeys } from '../../../src/platform/base/sealing.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import { requireVendor } from '../../../src/parties/require-vendor.ts';
import { billerRecord, failedReport, paidReport } from '../../support/money-fixture.ts';
import { VTPASS_SETTINGS } from '../../conformance/subjects/vtpass.ts';
import { DARAJA_KEY, SHORT_CODE, startProvider } from '../../support/money-in.ts';
import type { Provider } from '../../support/money-in.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import type { RecordingServer } from '../../support/recording-server.ts';

function keyOf(reference: string): PaymentKey {
  const key = decodeReference(reference);
  if (key === undefined) throw new Error(`${reference} is no reference`);
  return key;
}

export type Fixtures = ReturnType<typeof createFixtures>;

const TERMS = { thresholdCents: 10_000n, pauseSeconds: 600 };
const PROMPTS = { targetCents: 20_000n, maximumCents: 20_000n, dailyCents: 50_000n };
const RULES: Readonly<Record<TopUpRule['kind'], TopUpRule>> = {
  fund: { kind: 'fund', ...TERMS },
  push: { kind: 'push', ...TERMS, ...PROMPTS, sourceCode: 'paybill', phone: '254712345678' },
};

const ONE_AT_A_TIME = { maxConcurrency: 1, maxPerSecond: null };
const answerOf = (line: string): unknown => {
  if (line.includes('validate')) return { status: 'valid', name: 'Amani' };
  return line.includes('products') ? [] : { rows: [] };
};

/** A file of the guide for accountants. */
export const guideSample = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, '../../../docs/guide/samples', name), 'utf8');

/** What samples need that no definition makes. */
export function createFixtures(pool: Pool, masterKeys: MasterKeys) {
  const sealing = { masterKeys, certain: true };
  let provider: Promise<RecordingServer> | undefined;
  let till: Promise<Provider> | undefined;
  return {
    close: async (): Promise<void> => {
      await (await provider)?.close();
      await (await till)?.close();
    },
    /** Enters a quarantine, until `endQuarantine`. */
    enterQuarantine: async (seemsComplete = false): Promise<void> => {
      const lost = { lostFrom: new Date(Date.now() - 3_600_000), lostUntil: new Date() };
      const entry = { entryId: newId(), by: 'tests', reason: 'restored', seemsComplete };
      await enterQuarantine(pool, { ...entry, ...lost });
    },
    /** Imports what the release of the quarantine waits for. */
    coverQuarantine: async (): Promise<void> => {
      const open = await findOpenQuarantine(pool);
      for (const operator of open === undefined ? [] : await listMissing(pool, open)) {
        await pool.query(
          `insert into operator_statements (statement_id, operator, period_start, period_end,
             file_sha256, imported_at, complete, opening_cents, closing_cents, pulled)
           values ($1, $2, $3, $4, sha256($5), now(), true, 0, 0, false)`,
          [
            ...[newId(), operator, open?.lostFrom],
            ...[new Date(Number(open?.lostUntil) + 1), Buffer.from(newId())],
          ],
        );
      }
    },
    /** Ends the quarantine that a sample has entered. False: there is none. */
    endQuarantine: async (ledgerMac: Mac): Promise<boolean> => {
      const open = await findOpenQuarantine(pool);
      if (open === undefined) return false;
      await pool.query('update quarantines set seems_complete = true where released_at is null');
      await releaseQuarantine({ pool, ledgerMac }, { by: 'tests', nothingLost: 'a test' });
      return true;
    },
    /** A passkey of the person. Returns its id. */
    addPasskey: async (login: string): Promise<string> => {
      const id = randomUUID();
      await pool.query(
        `insert into passkeys (credential_id, person_id, public_key, sign_count, transports, name,
           created_at, mac)
         select $1, person_id, '', 0, '{}', 'telephone', now(), '' from people where login = $2`,
        [id, login],
      );
      return id;
    },
    /** Gives a vendor a webhook. */
    addWebhook: async (vid: string): Promise<void> => {
      const hook = { url: 'http://127.0.0.1:9/', allowsPrivate: true };
      const vendor = await requireVendor(pool, vid);
      await setWebhook(pool, vendor, { ...hook, sealing: async () => sealing });
    },
    /** Gives a vendor a new key, or its webhook a new secret. Returns the id of the former one. */
    replaceKey: async (holderKind: 'vendor' | 'webhook', vid: string): Promise<string> => {
      const vendor = await requireVendor(pool, vid);
      const overlapSeconds = 600;
      if (holderKind === 'vendor') {
        await rotateKey(pool, { holderKind, holder: vid }, { ...sealing, overlapSeconds });
      } else await rotateSecret(pool, vendor, { sealing, overlapSeconds });
      const [, former] = await listKeysOf(pool, { holderKind, holder: vid });
      return former?.keyId ?? '';
    },
    /** An event of a vendor. Returns its id. */
    addEvent: async (vid: string): Promise<string> => {
      const { vendorId } = await requireVendor(pool, vid);
      const eventId = newId();
      await announceEvent(pool, { vendorId, eventId, type: 'float.low', details: { float: 1 } });
      return eventId;
    },
    /** Sends every payment of the vendor to the operator, which has not answered. */
    sendPayments: async (reference: string): Promise<void> => {
      const { vendorId } = keyOf(reference);
      const queue = { vendorId, billerCode: 'dstv', stage: 'send' as const };
      await claim(pool, [{ ...queue, max: 1_000, leaseMs: 600_000 }]);
    },
    /** The only biller for disbursements, through an operator of the sandbox. */
    addDisbursements: async (): Promise<void> => {
      const operatorCode = (await findBiller(pool, 'dstv'))?.operatorCode ?? '';
      await putBiller(
        pool,
        billerRecord('mpesa_payout', { category: 'disbursements', operatorCode }),
      );
    },
    /** Ends a payment that was sent, as paid. */
    payPayment: async (reference: string): Promise<void> => {
      const { paymentId, vendorId } = keyOf(reference);
      const payment = await readPayment(pool, vendorId, paymentId);
      const amountCents = payment?.amountCents ?? 0n;
      await settlePayments(pool, [
        paidReport({ paymentId, vendorId, billerCode: 'dstv', amountCents }),
      ]);
    },
    /** Ends a payment that was sent. */
    endPayment: async (reference: string): Promise<void> => {
      await settlePayments(pool, [failedReport({ ...keyOf(reference), billerCode: 'dstv' })]);
    },
    /** A route of a biller through an operator that is not its own. */
    addRoute: async (billerCode: string, operatorCode: string): Promise<void> => {
      await setRoute(pool, { billerCode, operatorCode }, { position: 5 });
    },
    /** A rule that tops up a vendor’s float. */
    addRule: async (vid: string, kind: TopUpRule['kind']): Promise<void> => {
      const { vendorId } = await requireVendor(pool, vid);
      await insertRule(pool, { ruleId: newId(), vendorId, by: 'tests', terms: RULES[kind] });
    },
    /** A statement of an operator without lines. Returns its id. */
    addStatement: async (): Promise<string> => {
      const statementId = newId();
      const period = { periodStart: new Date('2026-01-04'), periodEnd: new Date('2026-01-05') };
      await insertStatement(pool, {
        ...{ statementId, operator: 'kplc', ...period, fileSha256: randomBytes(32), issue: 1 },
        ...{ complete: true, openingCents: 100n, closingCents: 100n, pulled: false },
      });
      return statementId;
    },
    /** An operator that can be asked for its movements. Returns its code. */
    addPulled: async (): Promise<string> => {
      const { origin } = await (provider ??= startRecordingServer(answerOf));
      const terms = { name: 'Aggregator', connector: 'http', baseUrl: origin };
      const statement = {
        ...{ method: 'GET', path: '/moves' },
        answer: {
          ...{ list: 'body.rows', kind: 'movement.kind', kinds: { sale: 'payment' } },
          ...{ at: 'movement.at', operator_reference: 'movement.id', amount: 'movement.amount' },
        },
      };
      const settings = { ...VTPASS_SETTINGS, statement };
      await putOperator(pool, { operatorCode: 'aggregator', ...terms, ...ONE_AT_A_TIME, settings });
      const secret = JSON.stringify({ api_key: 'a', secret_key: 's', public_key: 'p' });
      await setOperatorKey(pool, 'aggregator', { secret, sealing });
      return 'aggregator';
    },
    /** An operator that answers nothing, with a key. Returns its code. */
    addOperator: async (): Promise<string> => {
      const operatorCode = `op_${randomUUID().slice(0, 8)}`;
      const terms = { name: 'Operator', connector: 'http-json', baseUrl: 'http://127.0.0.1:9' };
      await putOperator(pool, { operatorCode, ...terms, ...ONE_AT_A_TIME, settings: {} });
      await setOperatorKey(pool, operatorCode, { secret: newSharedSecret(), sealing });
      return operatorCode;
    },
    /** A biller that knows its accounts. Returns its code. */
    addKnowing: async (): Promise<string> => {
      const { origin } = await (provider ??= startRecordingServer(answerOf));
      const terms = { name: 'Knowing', connector: 'http-json', baseUrl: origin, settings: {} };
      await putOperator(pool, { operatorCode: 'knowing', ...terms, ...ONE_AT_A_TIME });
      await setOperatorKey(pool, 'knowing', { secret: newSharedSecret(), sealing });
      const settings = { operatorCode: 'knowing', validatesAccounts: true };
      await putBiller(pool, billerRecord('knowing', settings));
      return 'knowing';
    },
    /** An operator that lists what it sells. Returns its code. */
    addSeller: async (): Promise<string> => {
      const { origin } = await (provider ??= startRecordingServer(answerOf));
      const terms = { name: 'Seller', connector: 'dt-one', baseUrl: origin };
      const settings = { billers: { kplc_prepaid: { product_id: 1001 } } };
      await putOperator(pool, { operatorCode: 'seller', ...terms, ...ONE_AT_A_TIME, settings });
      const secret = JSON.stringify({ api_key: 'k', api_secret: 's' });
      await setOperatorKey(pool, 'seller', { secret, sealing });
      return 'seller';
    },
    /** A source with a provider, which can send this vendor’s phones prompts. */
    addTill: async (vid: string) => {
      const source = `t${randomUUID().slice(0, 8)}`;
      const { origin } = await (till ??= startProvider());
      const settings = { base_url: origin, short_code: SHORT_CODE, addresses: ['127.0.0.1'] };
      const terms = { name: 'Till', kind: 'daraja', collector: 'demo-collector', settings };
      await setSource(pool, source, terms);
      await setSourceKey(pool, source, { secret: DARAJA_KEY, sealing });
      const { vendorId } = await requireVendor(pool, vid);
      const account = randomUUID().slice(0, 8).toUpperCase();
      const of = { accountId: newId(), sourceCode: source, account, vendorId };
      const added = { addedAt: new Date(), addedBy: 'tests', mac: Buffer.alloc(32) };
      await insertAccount(pool, { ...of, ...added });
      return { source, account };
    },
    /** A bank account whose statements are imported. Returns its code. */
    addBank: async (): Promise<string> => {
      const settings = JSON.parse(guideSample('bank-csv.json')) as Record<string, unknown>;
      const terms = { name: 'Bank', kind: 'statement', collector: 'demo-collector' };
      await setSource(pool, 'bank', { ...terms, settings });
      return 'bank';
    },
    /** An invoice of the vendor demo, of a company that has said how it invoices. */
    addInvoice: async (): Promise<string> => {
      const name = { legal_name: 'Malipo Ltd', pin: 'P051234567X', address: 'Nairobi' };
      const how = {
        per: 'month',
        needsControl: false,
        startsAt: new Date(),
        setBy: 'tests',
      } as const;
      if ((await findTerms(pool)) === undefined)
        await insertTerms(pool, { version: 1, legalName: 'Malipo Ltd', ...name, ...how });
      const { vendorId, vid } = await requireVendor(pool, 'demo');
      const [invoiceId, at] = [newId(), new Date().toISOString()];
      const content: InvoiceContent = {
        ...{ seller: name, buyer: { vid, ...name }, currency: 'KES', from: at, to: at, lines: [] },
        ...{ credits: null, payment: null, needs_control: true },
      };
      await insertInvoice(pool, createMac(Buffer.alloc(32)), {
        ...{ invoiceId, run: 1, series: 'INV', vendorId, issuedAt: new Date(), credits: null },
        number: (await lastNumber(pool, 'INV')) + 1n,
        ...{ paymentId: null, netCents: 100n, exciseCents: 0n, vatCents: 16n },
        content: JSON.stringify(content),
      });
      return invoiceId;
    },
    /** A summary journal without lines, of a company that has said how they are made. Returns its number. */
    addSummary: async (): Promise<string> => {
      if ((await findSummaryTerms(pool)) === undefined) {
        const how = { per: 'month', dimensions: [], taxCode: 'T9', company: null } as const;
        await insertSummaryTerms(pool, {
          version: 1,
          startsAt: new Date(),
          ...how,
          setBy: 'tests',
        });
      }
      const last = await findLastSummary(pool);
      const fromAt = last?.toAt ?? new Date();
      const journal = {
        ...{ number: (last?.number ?? 0) + 1, fromAt, toAt: new Date(Number(fromAt) + 1) },
        madeAt: new Date(),
      };
      await insertSummary(pool, createMac(Buffer.alloc(32)), journal, []);
      return summaryNumber(journal.number);
    },
    /** A source that can send a vendor’s phone prompts. */
    addSource: async (vid: string): Promise<void> => {
      const source = { sourceCode: 'paybill', name: 'Paybill', kind: 'daraja', settings: {} };
      const bank = 'paybill';
      const rest = { collector: 'demo-collector', status: 'active' } as const;
      await putSource(pool, { ...source, ...rest, bank }, false);
      const { vendorId } = await requireVendor(pool, vid);
      await insertAccount(pool, {
        ...{
          accountId: newId(),
          sourceCode: 'paybill',
          account: randomUUID().slice(0, 8).toUpperCase(),
        },
        ...{ vendorId, addedAt: new Date(), addedBy: 'tests', mac: Buffer.alloc(32) },
      });
    },
  };
}
