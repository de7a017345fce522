import { createWireTime } from '../../src/platform/base/clock.ts';
import type { WireTime } from '../../src/platform/base/clock.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import type { Mac } from '../../src/platform/base/mac.ts';
import { ANY_ACCOUNT } from '../../src/payments/billers/account-format.ts';
import { putBiller, putOperator } from '../../src/payments/billers/store.ts';
import type { Route } from '../../src/payments/billers/biller.ts';
import type { BillerRecord, OperatorRecord } from '../../src/payments/billers/store.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import type { Pool, PoolOptions, Queryable } from '../../src/platform/db/pool.ts';
import { claim, NO_MAXIMUM } from '../../src/payments/dispatch/store.ts';
import type { ChosenRoute, Claim } from '../../src/payments/dispatch/store.ts';
import { readBalances } from './read-balances.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import type { FinalReport, NewPayment } from '../../src/payments/create/payment.ts';
import { insertCollector } from '../../src/parties/store.ts';
import { FIRST_ACCOUNTS } from '../../src/payments/ledger/account.ts';
import { createTestDatabase } from './cluster.ts';
import { FIXTURE_FEES, SECOND_BILLER_VERSIONS } from './fee-prices.ts';
import { BILLER, newPayment } from './new-transaction.ts';

/** The ledger's authentication codes in tests without a service. */
export const ledgerMac = createMac(Buffer.alloc(32, 'test ledger key'));

/** The operator and the billers that `openBooks` creates; both billers are paid through it. */
export const OPERATOR = 'kplc';
export const OTHER_BILLER = 'kplc_postpaid';
export const COLLECTOR = 'till';

/** A database with an operator, two billers and a collector, and a pool on it. */
export interface Books {
  readonly url: string;
  readonly ownerUrl: string;
  /** As the runtime role, like every pool but `owner`. */
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
  /** As the role that owns the schema: to tamper with protected rows, and to archive. */
  readonly owner: Pool;
  /** Opens another pool, as for a lane or another process. Closed with the fixture. */
  openPool(options?: Partial<PoolOptions>): Pool;
  /** Adds a vendor with this amount in its float and returns its id. Calls must not overlap. */
  addVendor(floatCents?: bigint): Promise<number>;
  /** Adds several vendors with one statement, as `addVendor` would. */
  addVendors(floatsCents: readonly bigint[]): Promise<number[]>;
  /** Collects and funds this amount. */
  addFloat(vendorId: number, amountCents: bigint): Promise<void>;
  balances(vendorId: number): Promise<Readonly<Record<string, bigint>>>;
  close(): Promise<void>;
}

export async function openBooks(): Promise<Books> {
  const database = await createTestDatabase();
  const pools: Pool[] = [];
  const openPool = (options: Partial<PoolOptions> = {}): Pool => {
    const pool = createPool({ url: database.url, max: 1, name: 'test', ...options });
    pools.push(pool);
    return pool;
  };
  const pool = openPool({ max: 8 });
  // Connects only when it is used.
  const owner = openPool({ url: database.ownerUrl, max: 2 });
  await databaseTransaction(pool, async (client) => {
    await putOperator(client, operatorRecord());
    await putBiller(client, billerRecord(BILLER));
    await putBiller(client, billerRecord(OTHER_BILLER));
    await insertFixturePrices(client);
    await insertCollector(client, {
      collector: COLLECTOR,
      name: 'Till',
      scope: 'all',
      createdAt: new Date(),
    });
  });
  let fundings = 0;
  const addFloat = async (vendorId: number, amountCents: bigint): Promise<void> => {
    const paidAt = new Date('2026-01-05T09:00:00Z');
    const collector = COLLECTOR;
    await collect(
      { pool, ledgerMac },
      { collector, reference: newId(), vendorId, amountCents, paidAt },
    );
    fundings += 1;
    await fund(pool, { vendorId, requestedAt: new Date(paidAt.getTime() + fundings * 1000) });
  };
  return {
    url: database.url,
    ownerUrl: database.ownerUrl,
    pool,
    ledgerMac,
    wireTime: createWireTime('Africa/Nairobi'),
    owner,
    openPool,
    addFloat,
    addVendor: async (floatCents = 0n) => (await addVendors(pool, [floatCents]))[0] ?? 0,
    addVendors: async (floatsCents) => await addVendors(pool, floatsCents),
    balances: async (vendorId) =>
      Object.fromEntries(
        (await readBalances(pool, vendorId)).map((row) => [row.account, row.balanceCents]),
      ),
    close: async () => {
      await Promise.all(
        pools.filter((opened) => !opened.ending).map(async (opened) => await opened.end()),
      );
      await database.drop();
    },
  };
}

/** See fee-prices.ts. */
async function insertFixturePrices(client: Queryable): Promise<void> {
  await client.query(
    `insert into fee_prices (version, biller_code, valid_from, set_at, set_by, tiers, vat_bps, vat_included,
       excise_bps)
     select version, biller_code, at, at, 'Fixture', tiers, vat_bps, true, excise_bps
     from (
       select fee + b.versions as version, b.biller_code, vat_bps, excise_bps,
         jsonb_build_array(jsonb_build_object('from_cents', 0, 'flat_cents', fee, 'bps', 0)) as tiers,
         now() + (n - 100) * interval '1 millisecond' as at
       from unnest($1::integer[], $2::integer[], $6::integer[]) with ordinality
           as u (fee, vat_bps, excise_bps, n)
         cross join (values ($3, 0), ($4, $5::integer)) as b (biller_code, versions)
       union all
       select $5::integer * 2 + b.n, b.biller_code, 0, 0, '[]', now()
       from unnest(array[$3, $4]) with ordinality as b (biller_code, n)
     ) p`,
    [
      FIXTURE_FEES.map(({ feeCents }) => Number(feeCents)),
      FIXTURE_FEES.map(({ vatBps }) => vatBps),
      BILLER,
      OTHER_BILLER,
      SECOND_BILLER_VERSIONS,
      FIXTURE_FEES.map(({ exciseBps }) => exciseBps),
    ],
  );
}

/**
 * Adds vendors with a funded float in one round trip, because some tests need hundreds.
 */
async function addVendors(pool: Pool, floatsCents: readonly bigint[]): Promise<number[]> {
  const added = await pool.query<{ vendor_id: number }>(
    `with wanted as (
       select (select coalesce(max(vendor_id), 0) from vendors) + n::integer as vendor_id, cents,
         gen_random_uuid() as collection_id, gen_random_uuid() as movement_id
       from unnest($1::bigint[]) with ordinality as w (cents, n)
     ), funded as (
       select * from wanted where cents > 0
     ), vendor as (
       insert into vendors (vendor_id, vid, name, sector, created_at)
       select vendor_id, 'vendor-' || vendor_id, 'Vendor', 'retail', now() from wanted
     ), account as (
       insert into accounts (bucket, vendor_id, account, balance_cents)
       select bucket_of(vendor_id), vendor_id, account,
         case account when 'float' then cents else 0 end
       from wanted, unnest($2::text[]) as account
       union all
       select bucket_of(vendor_id), vendor_id, 'collector:' || $3, -cents from funded
     ), collection as (
       insert into collections (collector, reference, vendor_id, collection_id, amount_cents, paid_at,
         created_at, account)
       select $3, 'opening-' || vendor_id, vendor_id, collection_id, cents, now(), now(),
         'collector:' || $3 from funded
     ), movement as (
       insert into fund_movements (bucket, vendor_id, requested_at, movement_id, amount_cents, created_at)
       select bucket_of(vendor_id), vendor_id, '2026-01-01', movement_id, cents, now() from funded
     ), transfer as (
       insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account,
         amount_cents, created_at)
       select bucket_of(vendor_id), vendor_id, collection_id, 1, 'collector:' || $3, 'collected', cents, now() from funded
       union all
       select bucket_of(vendor_id), vendor_id, movement_id, 1, 'collected', 'float', cents, now() from funded
     )
     select vendor_id from wanted order by vendor_id`,
    [floatsCents, FIRST_ACCOUNTS, COLLECTOR],
  );
  return added.rows.map((row) => row.vendor_id);
}

export function operatorRecord(change: Partial<OperatorRecord> = {}): OperatorRecord {
  return {
    operatorCode: OPERATOR,
    name: 'Operator',
    connector: 'scripted',
    baseUrl: 'http://127.0.0.1:9',
    settings: {},
    maxConcurrency: 16,
    maxPerSecond: null,
    ...change,
  };
}

/** A route without limits. */
export const OPEN_ROUTE: Route = {
  operatorCode: OPERATOR,
  position: 0,
  weight: 1,
  minimumCents: null,
  maximumCents: null,
  dailyLimitCents: null,
  prices: [],
  obstacle: null,
  obstacleReason: null,
  breaker: null,
};

/** The fields that the dispatcher adds to a claim that it sends through an operator. */
export function through(operatorCode: string, operatorPrice: number | null = null): ChosenRoute {
  return {
    operatorCode,
    reason: null,
    minimumCents: 0n,
    maximumCents: NO_MAXIMUM,
    operatorPrice,
    waitMs: 0,
  };
}

export function billerRecord(billerCode: string, change: Partial<BillerRecord> = {}): BillerRecord {
  return {
    billerCode,
    name: billerCode,
    category: 'electricity',
    operatorCode: OPERATOR,
    minimumCents: 100n,
    maximumCents: null,
    secondaryAccount: false,
    validatesAccounts: false,
    accountFormat: ANY_ACCOUNT.accountFormat,
    accountLabel: ANY_ACCOUNT.accountLabel,
    amounts: 'any',
    status: 'ONLINE',
    listPosition: 0,
    ...change,
  };
}

/** A payment of a new vendor, which the operator was instructed to make. */
export async function instructNew(books: Books, amountCents: bigint): Promise<NewPayment> {
  const vendorId = await books.addVendor();
  // Collected as a collector reports it, so that the ledger check finds it authentic.
  await books.addFloat(vendorId, amountCents);
  const made = newPayment({ vendorId, amountCents });
  await createInstructed(books.pool, [made]);
  return made;
}

/** Creates the payments and claims them for sending. After that each has one open instruction. */
export async function createInstructed(
  pool: Pool,
  payments: readonly NewPayment[],
  operatorPrice: number | null = null,
): Promise<Claim[]> {
  await createPayments(pool, payments);
  const queues = new Map(
    payments.map(({ vendorId, billerCode }) => [
      `${vendorId} ${billerCode}`,
      {
        vendorId,
        billerCode,
        stage: 'send' as const,
        max: 10_000,
        leaseMs: 600_000,
        route: through(OPERATOR, operatorPrice),
      },
    ]),
  );
  return await claim(pool, [...queues.values()]);
}

/** An operator's report about a payment. Default: paid in full. */
export function paidReport(
  about: Pick<NewPayment, 'vendorId' | 'paymentId' | 'billerCode' | 'amountCents'>,
  given: Partial<FinalReport> = {},
): FinalReport {
  return {
    vendorId: about.vendorId,
    paymentId: about.paymentId,
    billerCode: about.billerCode,
    outcome: 'success',
    paidCents: about.amountCents,
    billerReference: 'OP1',
    message: 'Paid',
    details: null,
    failureCode: null,
    source: 'answer',
    operatorCode: null,
    ...given,
  };
}

export function failedReport(
  about: Pick<NewPayment, 'vendorId' | 'paymentId' | 'billerCode'>,
  given: Partial<FinalReport> = {},
): FinalReport {
  return {
    vendorId: about.vendorId,
    paymentId: about.paymentId,
    billerCode: about.billerCode,
    outcome: 'failed',
    paidCents: null,
    billerReference: null,
    message: 'Declined',
    details: null,
    failureCode: 'declined',
    source: 'answer',
    operatorCode: null,
    ...given,
  };
}
