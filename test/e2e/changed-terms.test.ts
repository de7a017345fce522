import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { setFeePrice, setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { HOUSE } from '../../src/payments/cases/cases-store.ts';
import { listCases, listCasesAbout } from '../../src/payments/cases/read-cases.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import type { Resolution } from '../../src/payments/corrections/resolution-names.ts';
import { openCaseByHand } from '../../src/payments/corrections/open-case.ts';
import { createStatementFormat } from '../../src/connectors/operators/http-json/statement.ts';
import { readTrialBalance } from '../../src/payments/house/trial-balance.ts';
import { readBalances } from '../support/read-balances.ts';
import { importOperatorStatement } from '../support/import-statements.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { fresh } from '../support/demo-vendors.ts';
import { ProductionFixture, SEALING } from '../support/production-pair.ts';
import type { Pair } from '../support/production-pair.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { PATHS, send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';

// An operator changes its commission while payments are under way, and our terms stay as they were. It has its
// own records: what it took from our float is what it says in its statement, not what our books have.

const AMOUNT = 100_000n;
/** With its VAT. */
const FEE = 2_900n;
const FLOAT = 2_000_000n;
/** Of an amount: what it takes by our terms (1.9 %), and after it gave us more, or less. */
const [BY_TERMS, WITH_MORE, WITH_LESS] = [98_100n, 97_800n, 98_500n];
const MORE_BPS = 220;
const LESS_BPS = 150;
const OPERATOR = 'kplc';
const BILLER = 'tokens';

const fixture = new ProductionFixture();
let pair: Pair;
let folder: string;
let books: Parameters<typeof proposeResolution>[0];
let vendor: VendorClient;
let from: Date;
beforeAll(async () => {
  // Nothing is executed unless this test says so.
  pair = await fixture.startPair(3_600_000);
  folder = await makeTemporaryFolder();
  const { pool } = pair;
  books = { pool, ledgerMac: await openLedgerMac(pool, SEALING.masterKeys) };
  await pair.addBiller(BILLER);
  const none = { flatCents: 0n, bps: 0 };
  const setting = { validFrom: null, setBy: 'Asha' };
  await setOperatorPrice(
    pool,
    { billerCode: BILLER, operatorCode: OPERATOR },
    { cost: none, commission: { flatCents: 0n, bps: 190 }, commissionNetted: true },
    setting,
  );
  const tiers = [{ fromCents: 0n, flatCents: FEE, bps: 0 }];
  const formula = { tiers, minimumCents: null, maximumCents: null, vatBps: 1_600 };
  const key = { billerCode: BILLER, vendorId: null };
  await setFeePrice(pool, key, { ...formula, vatIncluded: true }, setting);
  const list = { method: 'GET', path: `${PATHS.list}?vid=x` } as const;
  for (const { origin } of pair.servers) {
    await until('the fee is known', async () =>
      (await send(origin, list)).text.includes('"29.00"'),
    );
  }
  [vendor] = await pair.addFundedVendor('20000.00');
  from = new Date(Date.now() - 60_000);
  await pair.operators.ask('commission', { operator: OPERATOR, bps: 190 });
});
afterAll(async () => {
  await fixture.cleanUp();
  await removeFolder(folder);
});

/** A payment that the operator has accepted and not executed. */
async function underWay(): Promise<string> {
  const params = { biller_name: BILLER, amount: '1000.00', account: '0100009905' };
  const reference = await vendor.accepted({ ...params, merchant_reference: fresh('order') });
  await until('it is under way', async () => {
    const { transaction_status: status } = await vendor.payment(reference);
    return status === 'PENDING';
  });
  return reference;
}

function keyOf(reference: string): { readonly vendorId: number; readonly paymentId: string } {
  const key = decodeReference(reference);
  if (key === undefined) throw new Error(`${reference} is no reference`);
  return key;
}

async function casesOf(reference: string): Promise<CaseRow[]> {
  const { vendorId, paymentId } = keyOf(reference);
  const cases = await listCasesAbout(pair.pool, vendorId, paymentId);
  return cases.filter(({ resolvedAt }) => resolvedAt === null);
}

async function resolve(row: CaseRow | undefined, resolution: string): Promise<void> {
  if (row === undefined) throw new Error('there is no case');
  const nothing = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution, note: 'the contract of November', ...nothing };
  await proposeResolution(books, { caseId: row.caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId: row.caseId, by: 'Baraka' });
}

/** Two people enter that it was not paid: the operator told them so. */
async function failByHand(reference: string): Promise<void> {
  const opened = await openCaseByHand(pair.pool, {
    ...keyOf(reference),
    ...{ by: 'Asha', note: 'no answer since yesterday' },
  });
  await resolve(opened, 'failed');
  expect((await vendor.payment(reference)).transaction_status).toBe('FAILED');
}

async function importStatementOf(to: Date): ReturnType<typeof importOperatorStatement> {
  const period = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
  const url = `${pair.operators.origin}/operators/${OPERATOR}/statement?${period.toString()}`;
  const file = path.join(folder, 'statement.csv');
  await writeFile(file, await (await fetch(url)).text());
  return await importOperatorStatement({
    ...books,
    ...{ file, operator: OPERATOR, from, to, complete: true, toleranceMs: 0 },
    format: createStatementFormat({
      absenceIsProof: false,
      acceptanceWindowMs: null,
      payDeadlineMs: 0,
    }),
  });
}

async function balancesOf(vendorId: number): Promise<Readonly<Record<string, bigint>>> {
  const rows = await readBalances(pair.pool, vendorId);
  return Object.fromEntries(rows.map(({ account, balanceCents }) => [account, balanceCents]));
}

/** Our float, as the operator has it. */
async function floatAtOperator(): Promise<bigint> {
  const nothing = { operator: OPERATOR, change: 'add', cents: '0' } as const;
  return BigInt(await pair.operators.ask('float', nothing));
}

type Decision = readonly [kind: CaseRow['kind'], resolution: Resolution];

interface Scenario {
  /** Of the amount, what the operator nets when it executes it. */
  readonly bps: number;
  readonly fate: 'paid' | 'failed';
  /** On what the callback alone shows. */
  readonly before?: readonly Decision[];
  /** Refused when the statement is here. */
  readonly refused?: readonly Decision[];
  readonly after: readonly Decision[];
  /** What the vendor pays in the end, and the part of it that our books have at the operator. */
  readonly vendor: { readonly pays: bigint; readonly taken: bigint };
  readonly house?: { readonly bears?: bigint; readonly claims?: bigint };
  /** What the operator took more than our books have. */
  readonly open?: bigint;
}

const PAID = { pays: AMOUNT + FEE, taken: BY_TERMS } as const;
const NOTHING = { pays: 0n, taken: 0n } as const;
const difference = (resolution: Resolution): Decision => ['amount_difference', resolution];
const contradiction = (resolution: Resolution): Decision => ['contradiction', resolution];
const TAKING = (['charge_vendor', 'house_bears', 'receivable'] as const).map(difference);

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'paid, more commission: the difference is ours': {
    ...{ bps: MORE_BPS, fate: 'paid', refused: TAKING },
    after: [difference('terms_differ')],
    vendor: { ...PAID, taken: WITH_MORE },
  },
  'paid, more commission: the operator executed less': {
    ...{ bps: MORE_BPS, fate: 'paid' },
    after: [difference('return_to_vendor')],
    // Of 3.06, the operator keeps 1.9 %.
    vendor: { pays: AMOUNT - 306n + FEE, taken: WITH_MORE },
  },
  'paid, more commission: the operator is wrong': {
    ...{ bps: MORE_BPS, fate: 'paid' },
    after: [difference('keep_books')],
    ...{ vendor: PAID, open: WITH_MORE - BY_TERMS },
  },
  'paid, less commission: the difference is ours': {
    ...{ bps: LESS_BPS, fate: 'paid', refused: [difference('return_to_vendor')] },
    after: [difference('terms_differ')],
    vendor: { ...PAID, taken: WITH_LESS },
  },
  'paid, less commission: the operator executed more': {
    ...{ bps: LESS_BPS, fate: 'paid' },
    after: [difference('charge_vendor')],
    vendor: { pays: AMOUNT + 408n + FEE, taken: WITH_LESS },
  },
  'paid, less commission: we bear it': {
    ...{ bps: LESS_BPS, fate: 'paid' },
    after: [difference('house_bears')],
    ...{ vendor: PAID, house: { bears: WITH_LESS - BY_TERMS } },
  },
  'paid, less commission: the operator owes it': {
    ...{ bps: LESS_BPS, fate: 'paid' },
    after: [difference('receivable')],
    ...{ vendor: PAID, house: { claims: WITH_LESS - BY_TERMS } },
  },
  'failed: the vendor pays it': {
    ...{ bps: MORE_BPS, fate: 'failed', refused: [difference('terms_differ')] },
    after: [contradiction('charge_vendor'), difference('terms_differ')],
    vendor: { ...PAID, taken: WITH_MORE },
  },
  'failed: we bear it': {
    ...{ bps: MORE_BPS, fate: 'failed' },
    after: [contradiction('house_bears'), difference('keep_books')],
    ...{ vendor: NOTHING, house: { bears: WITH_MORE } },
  },
  'failed: the vendor paid it before the statement': {
    ...{ bps: MORE_BPS, fate: 'failed' },
    before: [contradiction('charge_vendor')],
    after: [difference('terms_differ')],
    vendor: { ...PAID, taken: WITH_MORE },
  },
  'failed: we bore too much of it before the statement': {
    ...{ bps: MORE_BPS, fate: 'failed' },
    before: [contradiction('house_bears')],
    refused: [...TAKING, difference('terms_differ')],
    after: [difference('house_recovers')],
    ...{ vendor: NOTHING, house: { bears: WITH_MORE } },
  },
  'failed: we bore too little of it before the statement': {
    ...{ bps: LESS_BPS, fate: 'failed' },
    before: [contradiction('house_bears')],
    refused: [difference('house_recovers'), difference('receivable_returned')],
    after: [difference('house_bears')],
    ...{ vendor: NOTHING, house: { bears: WITH_LESS } },
  },
  'failed: the operator owed too much of it before the statement': {
    ...{ bps: MORE_BPS, fate: 'failed' },
    before: [contradiction('receivable')],
    refused: TAKING,
    after: [difference('receivable_returned')],
    ...{ vendor: NOTHING, house: { claims: WITH_MORE } },
  },
  'failed: nobody believed the callback': {
    ...{ bps: LESS_BPS, fate: 'failed' },
    before: [contradiction('keep_books')],
    after: [contradiction('receivable'), difference('keep_books')],
    ...{ vendor: NOTHING, house: { claims: WITH_LESS } },
  },
};

/** A payment that the operator has not executed, whatever people believe. */
async function bringUnderWay({ fate }: Scenario): Promise<string> {
  const reference = await underWay();
  if (fate === 'failed') await failByHand(reference);
  return reference;
}

async function decideAll(reference: string, decisions: readonly Decision[] = []): Promise<void> {
  for (const [kind, resolution] of decisions) {
    await resolve(await caseOf(reference, kind), resolution);
  }
}

async function caseOf(reference: string, kind: CaseRow['kind']): Promise<CaseRow | undefined> {
  return (await casesOf(reference)).find((row) => row.kind === kind);
}

/** Until the operator's callback is here, and people have decided what it shows. */
async function reported(reference: string, { fate, before }: Scenario): Promise<void> {
  await until('the operator’s callback is here', async () =>
    fate === 'paid'
      ? (await vendor.payment(reference)).transaction_status === 'SUCCESS'
      : (await caseOf(reference, 'contradiction')) !== undefined,
  );
  await decideAll(reference, before);
}

const sum = (amounts: readonly (bigint | undefined)[]): bigint =>
  amounts.reduce<bigint>((total, cents) => total + (cents ?? 0n), 0n);

test('whatever people decide about payments on changed terms, the books have what the operator took and the vendor pays what it got', async () => {
  const scenarios = Object.values(SCENARIOS);
  const opening = await floatAtOperator();
  const references: string[] = [];
  for (const scenario of scenarios) references.push(await bringUnderWay(scenario));
  const [first = ''] = references;
  const { vendorId } = keyOf(first);
  for (const [index, scenario] of scenarios.entries()) {
    const reference = references[index] ?? '';
    await pair.operators.ask('commission', { operator: OPERATOR, bps: scenario.bps });
    await pair.operators.ask('advance', { reference, result: 'paid' });
    await reported(reference, scenario);
  }
  const tookCents = opening - (await floatAtOperator());
  const [ofVendorThen, ofHouseThen] = [await balancesOf(vendorId), await balancesOf(HOUSE)];
  const known = [ofVendorThen, ofHouseThen].flatMap((of) => [
    of[`operator:${OPERATOR}`],
    of[`receivable:${OPERATOR}`],
  ]);
  const imported = await importStatementOf(new Date());
  expect(imported).toMatchObject({
    kind: 'imported',
    ...{ oursOnly: 0, notPaid: 0 },
    float: { paymentCents: tookCents, unexplainedCents: tookCents - sum(known) },
  });

  for (const [index, scenario] of scenarios.entries()) {
    const reference = references[index] ?? '';
    for (const [kind, resolution] of scenario.refused ?? []) {
      await expect(resolve(await caseOf(reference, kind), resolution)).rejects.toThrow(PlainError);
    }
    const open = new Set((await casesOf(reference)).map(({ kind }) => kind));
    expect(open, Object.keys(SCENARIOS)[index]).toEqual(
      new Set(scenario.after.map(([kind]) => kind)),
    );
    await decideAll(reference, scenario.after);
    const { transaction_status: status } = await vendor.payment(reference);
    expect(status).toBe(scenario.vendor.pays > 0n ? 'SUCCESS' : 'FAILED');
  }
  expect(await listCases(pair.pool, { resolved: false, limit: 100 })).toEqual([]);

  const paid = sum(scenarios.map(({ vendor: { pays } }) => pays));
  expect(BigInt(Math.round((await vendor.balance()) * 100))).toBe(FLOAT - paid);
  const ofVendor = await balancesOf(vendorId);
  const taken = sum(scenarios.map(({ vendor: its }) => its.taken));
  expect(ofVendor[`operator:${OPERATOR}`]).toBe(taken);
  expect(ofVendor['reserved']).toBe(0n);
  const house = await balancesOf(HOUSE);
  const bears = sum(scenarios.map((each) => each.house?.bears));
  const claims = sum(scenarios.map((each) => each.house?.claims));
  expect(house[`losses:${OPERATOR}`]).toBe(-bears);
  expect(house[`receivable:${OPERATOR}`]).toBe(claims);
  // The operator's own records, to the cent.
  expect(tookCents).toBe(taken + bears + claims + sum(scenarios.map((each) => each.open)));
  expect((await checkLedger(pair.pool)).violations).toEqual([]);
  const trialBalance = await readTrialBalance(pair.pool, {
    from,
    to: new Date(Date.now() + 60_000),
  });
  expect(trialBalance.isEven).toBe(true);
});
