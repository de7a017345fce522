import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { countOption } from '../scripts/count-option.ts';
import { checkLedger } from '../src/payments/audit/check.ts';
import { createPayments } from '../src/payments/create/store.ts';
import { settlePayments } from '../src/payments/settle/store.ts';
import { claim, NO_MAXIMUM } from '../src/payments/dispatch/store.ts';
import { setBuckets } from '../src/parties/buckets-store.ts';
import { distribute, undistribute } from '../src/platform/cluster/distribute.ts';
import { readNodes } from '../src/platform/cluster/nodes.ts';
import { rebucket } from '../src/platform/cluster/rebucket.ts';
import { createPool, databaseTransaction } from '../src/platform/db/pool.ts';
import type { Pool } from '../src/platform/db/pool.ts';
import { TABLE_CLASSES } from '../src/schema.ts';
import { prepareSandbox } from '../sandbox/data.ts';
import { resetCitus } from '../test/support/citus.ts';
import { newPayment } from '../test/support/new-transaction.ts';
import { measureWork, moveShards } from './cluster-store.ts';
import type { NodeWork } from './cluster-store.ts';
import { familyCpuSeconds } from './machine.ts';
import { fillFloats, insertVendors, listVids, quickenOperators } from './store.ts';

/**
 * `npm run -s bench:citus`: what PostgreSQL costs per payment, created and settled, on the nodes of a
 * cluster on this machine, distributed and not, how long the moves to the cluster and back take, and
 * the work of each node with one worker and with two. CITUS_URL names the database of its coordinator,
 * which is emptied.
 * Ends with one JSON line.
 */
const {
  payments,
  vendors,
  buckets,
  batch: rows,
  settleBatch,
} = new Command('bench:citus')
  .option('--payments <n>', 'in each of the two forms', countOption, 20_000)
  .option('--vendors <n>', 'that share them', countOption, 1000)
  .option('--buckets <n>', 'of the vendors', countOption, 32)
  .option('--batch <n>', 'payments in a call that creates them', countOption, 128)
  .option('--settle-batch <n>', 'payments in a call that claims or settles them', countOption, 512)
  .parse()
  .opts<{
    payments: number;
    vendors: number;
    buckets: number;
    batch: number;
    settleBatch: number;
  }>();

/** Pays for the biller of `newPayment`. */
const OPERATOR = 'kplc';
const CONNECTIONS = 2;
const SHARDS = 8;
const FLOAT_CENTS = 100_000_000_000n;

interface Cost {
  readonly us_per_payment: number;
  readonly payments_per_second: number;
  readonly share_by_node: readonly number[];
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** The server process of every node, the coordinator's first: the parent of one that lives as long. */
async function findServers(pool: Pool): Promise<number[]> {
  const read = await pool.query<{ result: string }>(
    `select min(pid)::text as result from pg_stat_activity where usesysid is null
     union all select result from run_command_on_workers(
       'select min(pid) from pg_stat_activity where usesysid is null')`,
  );
  return read.rows.map(({ result }) => parentOf(Number(result)));
}

/** Creates and settles payments in batches of one bucket, as the lanes make them under load. */
async function pay(
  pool: Pool,
  vendorIds: readonly number[],
  count: number = payments,
): Promise<void> {
  const groups = [...Map.groupBy(vendorIds, (vendorId) => vendorId % buckets).values()];
  let left = count;
  const connection = async (first: number): Promise<void> => {
    for (let turn = first; left > 0; turn += CONNECTIONS) {
      const group = groups[turn % groups.length] ?? [];
      const made = Array.from({ length: Math.min(settleBatch, left) }, () =>
        newPayment({ vendorId: group[Math.floor(Math.random() * group.length)] ?? 0 }),
      );
      left -= made.length;
      for (let from = 0; from < made.length; from += rows) {
        await createPayments(pool, made.slice(from, from + rows));
      }
      const queues = [...new Set(made.map(({ vendorId }) => vendorId))].map((vendorId) => ({
        vendorId,
        billerCode: made[0]?.billerCode ?? '',
        stage: 'send' as const,
        max: settleBatch,
        leaseMs: 600_000,
        route: {
          operatorCode: OPERATOR,
          reason: null,
          minimumCents: 0n,
          maximumCents: NO_MAXIMUM,
          operatorPrice: null,
          waitMs: 0,
        },
      }));
      await claim(pool, queues);
      await settlePayments(
        pool,
        made.map(({ vendorId, paymentId, billerCode, amountCents }) => ({
          vendorId,
          paymentId,
          billerCode,
          operatorCode: OPERATOR,
          outcome: 'success',
          paidCents: amountCents,
          billerReference: 'OP1',
          message: 'Paid',
          details: null,
          failureCode: null,
          source: 'answer',
        })),
      );
    }
  };
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, first) => await connection(first)),
  );
}

async function measure(
  pool: Pool,
  servers: readonly number[],
  vendorIds: readonly number[],
): Promise<Cost> {
  const before = servers.map(familyCpuSeconds);
  const startedMs = performance.now();
  await pay(pool, vendorIds);
  const seconds = (performance.now() - startedMs) / 1000;
  const used = servers.map((pid, index) => familyCpuSeconds(pid) - (before[index] ?? 0));
  const total = used.reduce((sum, one) => sum + one, 0);
  return {
    us_per_payment: Math.round((total / payments) * 1e6),
    payments_per_second: Math.round(payments / seconds),
    share_by_node: used.map((one) => Math.round((one / total) * 100) / 100),
  };
}

/**
 * The work of the nodes when one worker has all shards, and when half of them have been moved to the
 * other.
 */
async function measureWorkers(
  pool: Pool,
  url: string,
  vendorIds: readonly number[],
): Promise<Record<string, readonly NodeWork[]>> {
  const work = async (): Promise<void> => {
    const own = createPool({ url, max: CONNECTIONS, name: 'bench work', statementTimeoutMs: 0 });
    await pay(own, vendorIds, Math.ceil(payments / 5));
    await own.end();
  };
  const [one = '', two = ''] = (await readNodes(pool))
    .filter(({ role }) => role === 'worker')
    .map(({ address }) => address);
  await moveShards(pool, two, one, SHARDS);
  const withOne = await measureWork(pool, work);
  await moveShards(pool, one, two, SHARDS / 2);
  return { one_worker: withOne, two_workers: await measureWork(pool, work) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return Math.round((performance.now() - startedMs) / 100) / 10;
}

async function run(url: string): Promise<Record<string, unknown>> {
  await resetCitus(url);
  const pool = createPool({ url, max: CONNECTIONS, name: 'bench', statementTimeoutMs: 0 });
  try {
    const move = { classes: TABLE_CLASSES, others: [pool] };
    await undistribute(pool, move);
    const bucketed = Object.keys(TABLE_CLASSES).filter((n) => TABLE_CLASSES[n] === 'distributed');
    await databaseTransaction(pool, async (db) => {
      await setBuckets(db, buckets);
      await rebucket(db, bucketed);
    });
    const masterKeys = { current: randomBytes(32), previous: undefined };
    await prepareSandbox(pool, { masterKeys, operatorOrigin: 'http://127.0.0.1:9' });
    await quickenOperators(pool);
    await insertVendors(pool, vendors);
    await fillFloats(pool, FLOAT_CENTS);
    const vendorIds = (await listVids(pool, 'bench-%')).map(({ vendor_id: id }) => id);
    const servers = await findServers(pool);
    await pool.query('analyze');
    const plain = await measure(pool, servers, vendorIds);
    const there = await timed(
      async () =>
        await distribute(pool, { ...move, shards: SHARDS, prepare: async () => undefined }),
    );
    const checkedThere = (await checkLedger(pool)).violations.length;
    await pool.query('analyze');
    const citus = await measure(pool, servers, vendorIds);
    const work = await measureWorkers(pool, url, vendorIds);
    const back = await timed(async () => await undistribute(pool, move));
    const checkedBack = (await checkLedger(pool)).violations.length;
    return {
      plain,
      citus,
      citus_vs_plain: Math.round((citus.us_per_payment / plain.us_per_payment) * 100) / 100,
      work,
      distribute: { payments, seconds: there, violations: checkedThere },
      undistribute: { payments: Math.ceil(2.4 * payments), seconds: back, violations: checkedBack },
    };
  } finally {
    await pool.end();
  }
}

const url = process.env['CITUS_URL'] ?? '';
process.stdout.write(
  url === ''
    ? 'Skipped: CITUS_URL names no cluster to measure.\n'
    : `${JSON.stringify(await run(url))}\n`,
);
