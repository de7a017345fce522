import { crashPoint } from '#crash-points';
import pg from 'pg';
import type { TableClass, TableClasses } from '../db/distribution.ts';
import { inTransaction } from '../db/pool.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import { PlainError } from '../base/plain-error.ts';
import { alone } from './alone.ts';
import { distributeFunctions } from './functions.ts';
import { requireWorkers } from './nodes.ts';
import { misplaced, readTables } from './tables.ts';
import type { PlacedTable } from './tables.ts';

/** The distribution column. */
export const BUCKET = 'bucket';

export interface MoveOptions {
  readonly classes: TableClasses;
  /** The other pools of this program, whose connections are not another program's. */
  readonly others: readonly Pool[];
  readonly onProgress?: (progress: MoveProgress) => void;
}

export interface MoveProgress {
  readonly table: string;
  /** Tables that are finished, out of `of`. */
  readonly done: number;
  readonly of: number;
}

export interface MovedTable {
  readonly name: string;
  readonly rows: bigint;
}

/**
 * Distributes every table over the nodes of the cluster, each in its own database transaction,
 * which compares all rows before and after. Work that an earlier call has done stays, so that a
 * killed call is continued by the next.
 * @param options.prepare runs first, in one database transaction, with every table locked.
 * Throws: `PlainError` when there is no cluster, or another program is connected.
 */
export async function distribute(
  owner: Pool,
  options: MoveOptions & {
    readonly shards: number;
    readonly prepare: (
      db: Queryable,
      /** The tables of this class; whether some are already distributed. */
      distributed: readonly string[],
      areSome: boolean,
    ) => Promise<void>;
  },
): Promise<MovedTable[]> {
  return await alone(owner, options.others, async (db, refuseOthers) => {
    await requireWorkers(db);
    const tables = await readTables(db, options.classes);
    refuseImpossible(tables);
    const distributed = tables.filter(({ wanted }) => wanted === 'distributed');
    let first = distributed.find(({ is }) => is !== undefined);
    await committed(db, async () => {
      await lock(db, tables);
      await refuseOthers();
      await options.prepare(
        db,
        distributed.map(({ name }) => name),
        first !== undefined,
      );
    });
    const waiting = tables.filter(({ is }) => is === undefined).toSorted(byClass);
    const moved = await moveEach(
      db,
      {
        ...options,
        refuseOthers,
        waiting,
        // Local tables connected by foreign keys can only be moved together.
        candidates: (table) =>
          table.wanted === 'local' ? waiting.filter(({ wanted }) => wanted === 'local') : [],
      },
      async (table, isConnected) => {
        await place(db, table, { first: first?.name, shards: options.shards, isConnected });
        if (table.wanted === 'distributed') first ??= table;
      },
    );
    await removeCopied(db, tables);
    if (first !== undefined) await distributeFunctions(db, first.name);
    await analyze(db, tables);
    const wrong = misplaced(await readTables(db, options.classes));
    if (wrong.length > 0) throw new Error(`not everything was moved: ${wrong.join('; ')}`);
    return moved;
  });
}

/** The reverse: every table becomes an ordinary table of the coordinator, which can be dumped. */
export async function undistribute(owner: Pool, options: MoveOptions): Promise<MovedTable[]> {
  return await alone(owner, options.others, async (db, refuseOthers) => {
    const tables = await readTables(db, options.classes);
    const waiting = tables.filter(({ is }) => is !== undefined);
    const moved = await moveEach(
      db,
      { ...options, refuseOthers, waiting, candidates: () => waiting },
      async ({ name }, isConnected) => {
        await db.query(
          'select undistribute_table($1::text::regclass, cascade_via_foreign_keys => $2)',
          [name, isConnected],
        );
      },
    );
    await analyze(db, tables);
    return moved;
  });
}

/**
 * A moved table has no statistics. Without them `ledger check`, which follows each move, takes many times as
 * long.
 */
async function analyze(db: Queryable, tables: readonly PlacedTable[]): Promise<void> {
  for (const { name } of tables) await db.query(`analyze ${pg.escapeIdentifier(name)}`);
}

/**
 * Moves one table after the other, each together with those that must move with it, in one database
 * transaction that compares all their rows before and after.
 */
async function moveEach(
  db: Queryable,
  options: Pick<MoveOptions, 'onProgress'> & {
    readonly refuseOthers: () => Promise<void>;
    readonly waiting: readonly PlacedTable[];
    /** The tables that must move with a table because foreign keys connect them. */
    readonly candidates: (table: PlacedTable) => readonly PlacedTable[];
  },
  move: (table: PlacedTable, isConnected: boolean) => Promise<void>,
): Promise<MovedTable[]> {
  const { waiting } = options;
  const moved = new Map<string, MovedTable>();
  for (const table of waiting) {
    if (moved.has(table.name)) continue;
    options.onProgress?.({ table: table.name, done: moved.size, of: waiting.length });
    const connected = await readConnected(db, table.name, options.candidates(table));
    const together = connected.length > 1 ? connected : [table];
    await committed(db, async () => {
      await lock(db, together);
      await options.refuseOthers();
      const compare = await comparison(db, together);
      await move(table, together.length > 1);
      for (const done of await compare()) moved.set(done.name, done);
    });
  }
  return [...moved.values()];
}

/** Reference tables before those that may refer to them; within a class in their original order. */
const ORDER: readonly (TableClass | undefined)[] = ['reference', 'distributed', 'local'];

function byClass(one: PlacedTable, other: PlacedTable): number {
  return ORDER.indexOf(one.wanted) - ORDER.indexOf(other.wanted);
}

function refuseImpossible(tables: readonly PlacedTable[]): void {
  const wrong = misplaced(
    tables.filter(({ wanted, is }) => wanted === undefined || is !== undefined),
  );
  if (wrong.length === 0) return;
  throw new PlainError(
    `This version cannot distribute the database: ${wrong.join('; ')}. Run \`npm run -s malipo -- cluster undistribute\` with the version that distributed it, or drop the tables that are not ours.`,
  );
}

async function committed(db: Queryable, work: () => Promise<void>): Promise<void> {
  await inTransaction(db, async () => {
    await work();
    crashPoint('cluster:before-commit');
    return true;
  });
  crashPoint('cluster:after-commit');
}

async function lock(db: Queryable, tables: readonly { readonly name: string }[]): Promise<void> {
  const read = await db.query<{ names: string }>(
    `select string_agg(quote_ident(name), ', ') as names from unnest($1::text[]) t (name)`,
    [tables.map(({ name }) => name)],
  );
  await db.query(`lock table ${read.rows[0]?.names ?? ''} in access exclusive mode`);
}

async function place(
  db: Queryable,
  { name, wanted }: PlacedTable,
  by: {
    readonly first: string | undefined;
    readonly shards: number;
    readonly isConnected: boolean;
  },
): Promise<void> {
  if (wanted === 'reference') {
    await db.query('select create_reference_table($1::text::regclass)', [name]);
  } else if (wanted === 'local') {
    await db.query(
      'select citus_add_local_table_to_metadata($1::text::regclass, cascade_via_foreign_keys => $2)',
      [name, by.isConnected],
    );
  } else if (by.first === undefined) {
    const values = [name, BUCKET, by.shards];
    await db.query(
      `select create_distributed_table($1::text::regclass, $2, colocate_with => 'none', shard_count => $3)`,
      values,
    );
  } else {
    const values = [name, BUCKET, by.first];
    await db.query(
      'select create_distributed_table($1::text::regclass, $2, colocate_with => $3)',
      values,
    );
  }
}

/** Citus keeps the rows that it has copied until it knows all tables that refer to them. */
async function removeCopied(db: Queryable, tables: readonly PlacedTable[]): Promise<void> {
  for (const { name, wanted } of tables) {
    if (wanted === 'local') continue;
    await db.query('select truncate_local_data_after_distributing_table($1::text::regclass)', [
      name,
    ]);
  }
}

interface Content {
  readonly rows: bigint;
  readonly digest: string;
}

/**
 * Reads the tables, and returns a function that reads them again and compares.
 * Throws: if a row is missing, was added or differs.
 */
async function comparison(
  db: Queryable,
  tables: readonly { readonly name: string }[],
): Promise<() => Promise<MovedTable[]>> {
  const before: { readonly name: string; readonly content: Content }[] = [];
  for (const { name } of tables) before.push({ name, content: await readContent(db, name) });
  return async () => {
    const moved: MovedTable[] = [];
    for (const { name, content } of before) {
      const after = await readContent(db, name);
      if (after.rows !== content.rows || after.digest !== content.digest) {
        throw new Error(`${name} had ${content.rows} rows and now ${after.rows}, or others`);
      }
      moved.push({ name, rows: after.rows });
    }
    return moved;
  };
}

async function readContent(db: Queryable, name: string): Promise<Content> {
  const quoted = await db.query<{ name: string }>('select quote_ident($1) as name', [name]);
  // A sum does not depend on the order of the rows.
  const read = await db.query<Content>(
    `select count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as digest
     from ${quoted.rows[0]?.name ?? ''} t`,
  );
  return read.rows[0] ?? { rows: 0n, digest: '' };
}

/** The table, and those of the others that foreign keys connect to it. */
async function readConnected(
  db: Queryable,
  name: string,
  among: readonly PlacedTable[],
): Promise<PlacedTable[]> {
  const read = await db.query<{ name: string }>(
    `with recursive connected as (
       select $1::text::regclass::oid as oid
       union
       select case k.conrelid when c.oid then k.confrelid else k.conrelid end
       from connected c join pg_constraint k
         on k.contype = 'f' and c.oid in (k.conrelid, k.confrelid)
     )
     select relname::text as name from connected join pg_class using (oid)`,
    [name],
  );
  const names = new Set(read.rows.map((row) => row.name));
  return among.filter((table) => names.has(table.name));
}
