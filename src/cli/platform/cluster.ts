import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { spreadVendors } from '../../parties/buckets.ts';
import { countBuckets, countVendorsByBucket } from '../../parties/read-buckets.ts';
import { ALSO_CHECKED } from '../../also-checked.ts';
import { checkLedger } from '../../payments/audit/check.ts';
import { distribute, undistribute } from '../../platform/cluster/distribute.ts';
import type { MovedTable, MoveOptions } from '../../platform/cluster/distribute.ts';
import { readFunctions } from '../../platform/cluster/functions.ts';
import { readNodes } from '../../platform/cluster/nodes.ts';
import type { ClusterNode } from '../../platform/cluster/nodes.ts';
import { findCitus, misplaced, readTables } from '../../platform/cluster/tables.ts';
import type { PlacedTable } from '../../platform/cluster/tables.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { SCHEMA, TABLE_CLASSES } from '../../schema.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { counted, record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';

export function addClusterCommands(program: Command, cli: Cli): void {
  const cluster = program
    .command('cluster')
    .description('A database that is distributed over several machines by Citus.');
  addStatus(cluster, cli);
  addDistribute(cluster, cli);
  addUndistribute(cluster, cli);
}

function addStatus(cluster: Command, cli: Cli): void {
  command(
    cluster,
    'status',
    'Nodes, tables, buckets and vendors. Exits with 1 when only some of the tables are distributed.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool }) => await status(pool));
  });
}

interface Status {
  readonly citus: string | undefined;
  readonly isDistributed: boolean;
  /** Problems found, one line each. */
  readonly wrong: readonly string[];
  readonly nodes: readonly ClusterNode[];
  readonly tables: readonly PlacedTable[];
  readonly buckets: number;
  readonly vendors: readonly { readonly bucket: number; readonly vendors: number }[];
}

async function readStatus(db: Queryable): Promise<Status> {
  const citus = await findCitus(db);
  const onMany = citus !== undefined;
  const tables = onMany ? await readTables(db, TABLE_CLASSES) : [];
  const functions = onMany ? await readFunctions(db) : [];
  const isDistributed = tables.some(({ is }) => is !== undefined);
  const elsewhere = functions.filter(({ placed }) => !placed);
  return {
    citus,
    isDistributed,
    wrong: isDistributed
      ? [...misplaced(tables), ...elsewhere.map(({ name }) => `${name} is not on every node`)]
      : [],
    nodes: onMany ? await readNodes(db) : [],
    tables,
    buckets: await countBuckets(db),
    vendors: await countVendorsByBucket(db),
  };
}

async function status(db: Queryable): Promise<Answer> {
  const found = await readStatus(db);
  const { citus, isDistributed, wrong, nodes, tables, buckets, vendors } = found;
  return {
    json: {
      citus: citus ?? null,
      distributed: isDistributed && wrong.length === 0,
      wrong,
      nodes: nodes.map(({ holdsShards, ...node }) => ({ ...node, holds_shards: holdsShards })),
      tables: tables.map(({ name, wanted, is, shards }) => ({
        name,
        class: is ?? null,
        wanted: wanted ?? null,
        shards,
      })),
      buckets,
      vendors_by_bucket: vendors,
    },
    text: statusText(found),
    exitCode: wrong.length === 0 ? EXIT.done : EXIT.failed,
  };
}

function statusText(found: Status): string {
  const { citus, isDistributed, wrong, nodes, tables, buckets, vendors } = found;
  const perBucket = vendors.map((bucket) => bucket.vendors);
  const summary = record([
    ['citus', citus ?? 'not installed'],
    ['tables', describeTables(isDistributed, wrong)],
    ['buckets', String(buckets)],
    [
      'vendors in a bucket',
      perBucket.length === 0
        ? 'no vendors'
        : `${Math.min(...perBucket)} to ${Math.max(...perBucket)}`,
    ],
  ]);
  if (citus === undefined) return summary;
  const nodeTable = table(
    [{ title: 'NODE' }, { title: 'ROLE' }, { title: 'ACTIVE' }, SHARDS_COLUMN],
    nodes.map(({ address, role, active, shards }) => [
      address,
      role,
      active ? 'yes' : 'NO',
      String(shards),
    ]),
  );
  const tableTable = table(
    [{ title: 'TABLE' }, { title: 'CLASS' }, { title: 'SHOULD BE' }, SHARDS_COLUMN],
    tables.map(({ name, wanted, is, shards }) => [name, is ?? '', wanted ?? '', String(shards)]),
  );
  const problems = wrong.length === 0 ? '' : `\n${wrong.map((line) => `${line}\n`).join('')}`;
  return `${summary}\n${nodeTable}\n${tableTable}${problems}`;
}

const SHARDS_COLUMN = { title: 'SHARDS', align: 'right' } as const;

function describeTables(isDistributed: boolean, wrong: readonly string[]): string {
  if (!isDistributed) return 'on one machine';
  return wrong.length === 0
    ? 'distributed'
    : `distributed in part: ${counted(wrong.length, 'problem')}`;
}

interface DistributeOptions {
  readonly json?: boolean;
  readonly buckets: number;
  readonly shards: number;
}

function addDistribute(cluster: Command, cli: Cli): void {
  command(
    cluster,
    'distribute',
    'Distribute the tables over the nodes of a Citus cluster, with every process of the service stopped. Continues where an interrupted call stopped. Ends with the ledger check.',
  )
    .option('--buckets <n>', 'how many buckets vendors are spread over', wholeNumber, 128)
    .option('--shards <n>', 'into how many parts each table is split', wholeNumber, 32)
    .action(async (options: DistributeOptions) => {
      await cli.run(options, async (session) => {
        const owner = await session.ownerPool();
        const moved = await distribute(owner, {
          ...moveOptions(cli),
          others: [owner, session.pool],
          shards: options.shards,
          prepare: async (db, tables, areSome) =>
            await spreadVendors(db, options.buckets, { tables, areSome }),
        });
        return await verified(session, cli, moved, 'distributed');
      });
    });
}

function addUndistribute(cluster: Command, cli: Cli): void {
  command(
    cluster,
    'undistribute',
    'Bring all rows back into ordinary tables of the coordinator, with every process of the service stopped. Ends with the ledger check.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async (session) => {
      const owner = await session.ownerPool();
      const moved = await undistribute(owner, {
        ...moveOptions(cli),
        others: [owner, session.pool],
      });
      return await verified(session, cli, moved, 'brought back');
    });
  });
}

function moveOptions(cli: Cli): Omit<MoveOptions, 'others'> {
  return {
    classes: TABLE_CLASSES,
    onProgress: ({ table: name, done, of }) => cli.progress.show(`${done} of ${of}: ${name}`),
  };
}

async function verified(
  { pool, findLedgerMac }: Session,
  cli: Cli,
  moved: readonly MovedTable[],
  what: string,
): Promise<Answer> {
  const report = await checkLedger(pool, {
    mac: await findLedgerMac(),
    schema: SCHEMA,
    also: ALSO_CHECKED,
    onInvariant: (name) => cli.progress.show(`checking ${name}`),
  });
  const rows = moved.reduce((sum, { rows: count }) => sum + count, 0n);
  const broken = report.violations.length;
  const result =
    broken === 0
      ? 'The ledger check found no violations.'
      : `THE LEDGER CHECK FOUND ${counted(broken, 'violation')}: see malipo ledger check.`;
  return {
    json: {
      moved: moved.map(({ name, rows: count }) => ({ table: name, rows: Number(count) })),
      ledger_violations: broken,
    },
    text: `${counted(moved.length, 'table')} with ${rows} rows ${what}, compared row by row. ${result}`,
    exitCode: broken === 0 ? EXIT.done : EXIT.failed,
  };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,4}$/.test(text) || value < 1) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
  }
  return value;
}
