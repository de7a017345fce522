import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BY_INDEX_ONLY } from '../../src/platform/db/session-settings.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { extractStatements } from '../support/extract-statements.ts';
import { functionStatements } from '../support/function-statements.ts';
import { prepareMadeUpRows } from '../support/made-up-rows.ts';
import { scansOf, shorterKeys } from '../support/plans.ts';
import type { Scan } from '../support/plans.ts';

/** Tables whose rows are settings: they stay small. */
const SMALL =
  /^(pg_|schema_)|^(billers|lenders|operators|operator_float_hours|operator_statements|receipt_sources|webhooks)$/;

/** PostgreSQL first analyzes a table after more than 50 changes. */
const FEW_ROWS = { changedOften: 20, inserted: 60 };
const ROWS = 3_000;

/** Shorter keys that are acceptable, by statement and the columns that its plan leaves out. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'function delete_old_events events e: by () without bucket, vendor_id, event_id':
    'there are no old events while the table is new',
  'src/credit/bureaus/upstream-store.ts upstream_calls upstream_calls_1: by () without bucket, vendor_id, started_at':
    'there is nothing to erase while the table is new',
  'src/credit/registry/cases-store.ts credit_cases o: by () without crns':
    'open cases are few, because people decide them',
  'src/credit/registry/files-store.ts account_disputes d: by (crn) without account_id':
    'the disputes of the same people',
  'src/credit/registry/scored-people-store.ts account_states s: by () without crn, account_id, as_of, as_of, as_of':
    'a report about everybody who was scored in a month',
  'src/credit/watches/store.ts credit_watches credit_watches: by () without due_at':
    'due watches of all vendors: the whole index either way',
  'src/payments/events/webhooks-store.ts events events: by (bucket, vendor_id) without due_at':
    'a command about the waiting events of one vendor',
  'src/payments/cases/cases-store.ts cases c: by () without bucket, vendor_id, payment_id':
    'cases are decided by people',
  'src/credit/registry/read-withdrawals.ts account_withdrawals w: by () without crn, account_id':
    'withdrawals are decided by people',
  'src/credit/registry/read-withdrawals.ts subject_enquiries e: by () without crn, enquired_at, enquired_at':
    'people ask who saw an account; the enquiries of a new installation',
  'src/payments/receipts/identity-store.ts receipts r: by () without source_code, account':
    'the receipts of a new installation',
  'src/payments/receipts/identity-store.ts receipts r: by () without account, paid_at, paid_at':
    'the receipts of a new installation that have no time of their own',
  'src/payments/receipts/identity-store.ts receipts r: by (source_code, paid_at, paid_at) without account, account':
    'a bank that numbers its entries in another way since: what it listed within two days',
  'src/payments/invoices/check-store.ts invoices invoices: by () without series':
    'the invoices of a new installation',
  'src/payments/invoices/store.ts invoices i: by () without vendor_id':
    'the invoices of a new installation',
  'src/payments/invoices/store.ts invoice_runs r: by (to_at) without run': 'runs are months',
  'src/payments/prices/store.ts fee_prices n: by () without biller_code, valid_from, valid_from, biller_code, valid_from, valid_from':
    'prices are set by people',
  'src/payments/reconciliation/bridge-store.ts operator_prices p: by () without version':
    'prices are set by people',
  'src/payments/house/store.ts house_entries e: by () without entry_id':
    'entries are made by people',
  'src/payments/audit/openings-check.ts house_entries e: by () without kind':
    'entries are made by people',
  'src/payments/house/store.ts house_transfers house_transfers: by () without moved_at':
    'the trial balance of a new installation',
  'src/payments/house/store.ts house_transfers house_transfers_1: by () without moved_at':
    'the trial balance of a new installation',
  'src/payments/reconciliation/bridge-store.ts house_transfers house_transfers: by () without moved_at':
    'the float of a new installation',
  'src/payments/reconciliation/bridge-store.ts house_transfers house_transfers_1: by () without moved_at':
    'the float of a new installation',
  'src/payments/reports/receivables-store.ts corrections c: by () without bucket, vendor_id, vendor_id, correction_id':
    'corrections are made by people',
  'src/payments/reports/receivables-store.ts cases cases: by () without case_id':
    'cases are decided by people',
  'src/parties/people/passkeys-store.ts passkey_challenges passkey_challenges: by () without expires_at':
    'challenges live for minutes and are made by people',
  'src/parties/request-log-store.ts request_log request_log: by () without bucket, vendor_id, at, request_id':
    'there are no old requests while the table is new',
  'src/payments/receipts/pushes-store.ts receipt_pushes receipt_pushes: by () without vendor_id, phone':
    'prompts that are open at one time are few',
  'src/payments/vendor-floats/read-rules.ts top_ups t: by () without vendor_id':
    'one top-up a pause for each vendor with a rule',
  'src/payments/vendor-floats/store.ts vendor_float_hours vendor_float_hours: by () without vendor_id':
    'vendors that are watched, each with the hours of four weeks',
  'src/payments/vendor-floats/store.ts vendor_float_hours vendor_float_hours: by () without vendor_id, hour':
    'vendors that are watched, each with the hours of four weeks',
  'src/payments/dispatch/recall-store.ts payments p: by (bucket, vendor_id, payment_id) without created_at':
    'the block range index is better only for a large table',
  'src/payments/overview/read-activity.ts payments payments: by () without created_at, created_at':
    'the payments of a new installation; the block range index is better for a large table',
  'src/payments/overview/read-activity.ts payments payments: by (bucket, vendor_id) without created_at, created_at':
    'the payments of a new vendor; the block range index is better for a large table',
  'src/payments/timeline/list-store.ts payments p: by () without created_at, created_at':
    'the list of a new installation; the block range index is better for a large table',
  'src/payments/timeline/list-store.ts payments p: by (bucket, vendor_id) without created_at, created_at':
    'the list of a new vendor; the block range index is better for a large table',
  'src/payments/timeline/list-store.ts payments l: by () without vendor_id':
    'the open payments of a new installation, which are most of its payments',
  'src/payments/timeline/store.ts payments t_1: by (duplicate_key) without created_at, created_at':
    'a search that has found the account’s payments',
  'src/payments/timeline/store.ts payments t_2: by (duplicate_key) without created_at, created_at':
    'a search that has found the phone number’s payments',
};

/** Statements with default plans are planned each time: those that read a vendor's rows may read more. */
const OF_A_VENDOR = /without bucket, vendor_id$/;

interface Planned {
  readonly at: string;
  readonly text: string;
  /** Connections keep its plan, however the tables change. */
  readonly isKept: boolean;
}

type Plans = ReadonlyMap<Planned, readonly Scan[]>;

/** How the plans of a pool are made: see `PoolOptions.byIndexOnly`. */
type Way = 'by index only' | 'by default';

let database: TestDatabase;
let client: Client;
let statements: Planned[];

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
  const inSource = extractStatements('src').statements.map(({ at, text, isNamed }) => ({
    at: at.replace(/:.*/, ''),
    text,
    isKept: isNamed,
  }));
  const inFunctions = await functionStatements(client);
  statements = [...inSource, ...inFunctions.map((one) => ({ ...one, isKept: true }))].filter(
    ({ at, text }) =>
      /^\s*(with|select|insert|update|delete)\b/i.test(text) && !at.startsWith('src/platform/'),
  );
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function plan(way: Way, wanted: readonly Planned[]): Promise<Plans> {
  for (const [name, value] of Object.entries(BY_INDEX_ONLY)) {
    await client.query(`set ${name} to ${way === 'by index only' ? value : 'default'}`);
  }
  const plans = new Map<Planned, readonly Scan[]>();
  for (const statement of wanted) {
    const scans = await scansOf(client, statement.text);
    plans.set(
      statement,
      scans.filter(({ table }) => !SMALL.test(table)),
    );
  }
  return plans;
}

function faultsOf(plans: Plans, grown: Plans): string[] {
  const faults = [...plans].flatMap(([statement, scans]) =>
    shorterKeys(scans, grown.get(statement) ?? []).map((fault) => `${statement.at} ${fault}`),
  );
  return [...new Set(faults)].toSorted();
}

/** The same for default plans, without accepted faults; records which exceptions were needed. */
function faultsByDefault(plans: Plans, grown: Plans, needed: Set<string>): string[] {
  return faultsOf(plans, grown).filter((fault) => {
    if (ACCEPTED[fault] !== undefined) needed.add(fault);
    return ACCEPTED[fault] === undefined && !OF_A_VENDOR.test(fault);
  });
}

test(
  'statements are planned by whole keys, whatever the statistics',
  { timeout: 300_000 },
  async () => {
    const kept = statements.filter(({ isKept }) => isKept);
    expect(kept.filter(({ at }) => at.startsWith('function ')).length).toBeGreaterThan(25);
    const rows = await prepareMadeUpRows(client);
    const emptyKept = await plan('by index only', kept);
    await rows.add(1, ROWS);
    const neverAnalyzed = await plan('by default', statements);
    await rows.empty();
    await rows.add(1, FEW_ROWS.changedOften);
    await client.query('analyze');
    const fewKept = await plan('by index only', kept);
    await rows.add(FEW_ROWS.changedOften + 1, FEW_ROWS.inserted);
    await client.query('analyze');
    await rows.add(FEW_ROWS.inserted + 1, ROWS);
    const analyzedEarly = await plan('by default', statements);
    await client.query('vacuum analyze');
    const grown = await plan('by index only', kept);
    const grownByDefault = await plan('by default', statements);
    await rows.drain();
    const drainedKept = await plan('by index only', kept);
    const needed = new Set<string>();
    const found = {
      'planned when empty, never analyzed': faultsOf(emptyKept, grown),
      'never analyzed': faultsByDefault(neverAnalyzed, grownByDefault, needed),
      'planned with few rows': faultsOf(fewKept, grown),
      'planned after the queues were drained': faultsOf(drainedKept, grown),
      'analyzed with few rows': faultsByDefault(analyzedEarly, grownByDefault, needed),
    };
    expect(found).toEqual({
      'planned when empty, never analyzed': [],
      'never analyzed': [],
      'planned with few rows': [],
      'planned after the queues were drained': [],
      'analyzed with few rows': [],
    });
    expect([...needed].toSorted()).toEqual(Object.keys(ACCEPTED).toSorted());
  },
);
