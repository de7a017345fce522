import { crashPoint } from '#crash-points';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';
import { databaseTransaction } from './pool.ts';
import type { Pool, Queryable } from './pool.ts';
import { findSchemaDamage, makeSchemaRecord, recordSchema } from './schema-check.ts';

const MIGRATIONS_FOLDER = path.resolve(import.meta.dirname, '../../../migrations');
// One number for all migrators of one database, so that they wait for each other.
const MIGRATION_LOCK = 7_305_001;

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Read once: files of a newer version may come into the folder while this one runs. */
let ours: Promise<readonly Migration[]> | undefined;

/** The migrations in the order of their numbers. @param folder default: this version's. */
export async function readMigrations(folder?: string): Promise<readonly Migration[]> {
  return await (folder === undefined
    ? (ours ??= readFolder(MIGRATIONS_FOLDER))
    : readFolder(folder));
}

async function readFolder(folder: string): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name));
  return await Promise.all(
    names.toSorted().map(async (name) => {
      const sql = await readFile(path.join(folder, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Brings the database to this version: every migration once, in order, each in a transaction of its
 * own, so that a killed migrator leaves nothing half done. Processes that start together wait for
 * one another. Returns the names applied now.
 * Throws: when an applied migration has been edited, or the database is newer than this program;
 * `PlainError` when the schema is no longer what the migrations made.
 */
export async function migrate(pool: Pool, folder?: string): Promise<readonly string[]> {
  const migrations = await readMigrations(folder);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (await applyOnce(pool, migration, migrations)) applied.push(migration.name);
  }
  return applied;
}

async function applyOnce(
  pool: Pool,
  migration: Migration,
  known: readonly Migration[],
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    await beginMigrating(client);
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    await makeSchemaRecord(client);
    const done = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations',
    );
    for (const row of done.rows) checkApplied(row, known);
    if (done.rows.some((row) => row.name === migration.name)) return false;
    await refuseDamage(client);
    await client.query(migration.sql);
    await recordSchema(client);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      migration.name,
      migration.checksum,
    ]);
    crashPoint('migrate:before-commit');
    return true;
  });
}

/** Waits for other migrators of this database; whatever takes long may. */
export async function beginMigrating(client: Queryable): Promise<void> {
  await client.query('set local lock_timeout = 0');
  await client.query('set local statement_timeout = 0');
  // A migrator that was killed must not keep the others waiting for its statement to end.
  await client.query(`set local client_connection_check_interval = '1s'`);
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
}

/** Throws: `PlainError` when a constraint, an index or a function of the migrations is not there. */
export async function refuseDamage(client: Queryable): Promise<void> {
  const damage = await findSchemaDamage(client);
  if (damage.length === 0) return;
  throw new PlainError(
    `The database no longer enforces what it has to: ${damage.slice(0, 10).join('; ')}.\nRestore what is missing. If it was changed on purpose: npm run -s malipo -- migrate --accept-schema`,
  );
}

/** Takes the schema as it is now for what it has to be, after somebody changed it on purpose. */
export async function acceptSchema(pool: Pool): Promise<readonly string[]> {
  return await databaseTransaction(pool, async (client) => {
    await beginMigrating(client);
    await makeSchemaRecord(client);
    const accepted = await findSchemaDamage(client);
    await recordSchema(client);
    return accepted;
  });
}

function checkApplied(
  row: { readonly name: string; readonly checksum: string },
  known: readonly Migration[],
): void {
  const migration = known.find((candidate) => candidate.name === row.name);
  if (migration === undefined) {
    throw new Error(
      `The database has migration ${row.name}, which this version of Malipo does not know. Start the newer version.`,
    );
  }
  if (migration.checksum !== row.checksum) {
    throw new Error(
      `Migration ${row.name} was changed after it had been applied. Restore the file; changes go into a new migration.`,
    );
  }
}

/** True when every migration of this version is applied (for readiness). */
export async function isMigrated(pool: Pool): Promise<boolean> {
  const names = (await readMigrations()).map((migration) => migration.name);
  const done = await pool.query<{ count: bigint }>(
    'select count(*) from schema_migrations where name = any($1)',
    [names],
  );
  return done.rows[0]?.count === BigInt(names.length);
}
