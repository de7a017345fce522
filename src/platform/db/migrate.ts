import path from 'node:path';
import { crashPoint } from '#crash-points';
import { PlainError } from '../base/plain-error.ts';

import {
  changedFunctions,
  isAmbiguousFunction,
  makeFunctionRecord,
  readAppliedFunctions,
  recordFunctions,
  refuseOverloads,
  severalSignatures,
} from './functions.ts';
import { seedStatistics } from './planner-statistics.ts';
import { databaseTransaction } from './pool.ts';
import type { Pool, Queryable } from './pool.ts';
import {
  findSchemaAdditions,
  findSchemaDamage,
  makeSchemaRecord,
  recordSchema,
} from './schema-check.ts';
import type { Schema, SqlFile } from './schema.ts';
import { refuseOtherVersion } from './version.ts';

// The advisory lock of all migrators of one database, so that they wait for each other.
export const MIGRATION_LOCK = 7_305_001;

/**
 * Brings the database to this version: every migration once, in order, each in its own database
 * transaction; then the functions whose text changed, in one database transaction; then the planner's
 * statistics of new tables. A killed migrator leaves nothing half done. Processes that start together wait for each other. Returns the
 * names of the files applied now.
 * Throws: `PlainError` when another version made the database, or its schema is no longer what the
 * files made.
 */
export async function migrate(pool: Pool, schema: Schema): Promise<readonly string[]> {
  const applied: string[] = [];
  for (const migration of schema.migrations) {
    if (await applyOnce(pool, migration, schema.migrations)) applied.push(migration.name);
  }
  applied.push(...(await applyFunctions(pool, schema)));
  await databaseTransaction(pool, async (client) => {
    await beginMigrating(client);
    await seedStatistics(client);
  });
  return applied;
}

async function applyOnce(
  pool: Pool,
  migration: SqlFile,
  known: readonly SqlFile[],
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    await beginMigrating(client);
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    await makeFunctionRecord(client);
    await makeSchemaRecord(client);
    const done = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations',
    );
    refuseOtherVersion(done.rows, known);
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

/** A function of an earlier set that this one lacks is kept: an old process may still call it. */
async function applyFunctions(pool: Pool, schema: Schema): Promise<readonly string[]> {
  return await databaseTransaction(pool, async (client) => {
    await beginMigrating(client);
    const applied = await readAppliedFunctions(client);
    const changed = changedFunctions(schema, applied);
    if (changed.length === 0 && applied.release >= schema.functionsRelease) return [];
    await refuseDamage(client);
    for (const file of changed) await applyFunction(client, file);
    await recordFunctions(client, schema);
    await refuseOverloads(client);
    await recordSchema(client);
    crashPoint('migrate:before-commit');
    return changed.map(({ name }) => name);
  });
}

async function applyFunction(client: Queryable, { name, sql }: SqlFile): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    if (!isAmbiguousFunction(error)) throw error;
    throw severalSignatures([path.basename(name, '.sql')]);
  }
}

/** Waits for other migrators of this database. There is no time limit. */
export async function beginMigrating(client: Queryable): Promise<void> {
  await client.query('set local lock_timeout = 0');
  await client.query('set local statement_timeout = 0');
  // After a migrator is killed, its statement must not keep the others waiting.
  await client.query(`set local client_connection_check_interval = '1s'`);
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
}

async function findDifferences(client: Queryable): Promise<string[]> {
  const additions = await findSchemaAdditions(client, { harmless: false });
  return [...(await findSchemaDamage(client)), ...additions];
}

/**
 * Throws: `PlainError` when something is missing, was changed by hand, or was added that can run
 * code. The next migration would otherwise record it as expected.
 */
export async function refuseDamage(client: Queryable): Promise<void> {
  const damage = await findDifferences(client);
  if (damage.length === 0) return;
  throw new PlainError(
    `The database no longer enforces the rules of its schema: ${damage.slice(0, 10).join('; ')}.\nRestore what is missing, drop what was added. If it was changed on purpose: npm run -s malipo -- migrate --accept-schema`,
  );
}

/** Records the current schema as the expected one, after somebody changed it on purpose. */
export async function acceptSchema(pool: Pool): Promise<readonly string[]> {
  return await databaseTransaction(pool, async (client) => {
    await beginMigrating(client);
    await makeSchemaRecord(client);
    const accepted = await findDifferences(client);
    await recordSchema(client);
    return accepted;
  });
}

/**
 * True if every migration of this version is applied, and its set of functions or a newer one (for
 * readiness). A set of the same release with another text counts, because the process that started
 * last applied it.
 */
export async function isMigrated(pool: Pool, schema: Schema): Promise<boolean> {
  const names = schema.migrations.map((migration) => migration.name);
  const read = await pool.query<{ migrations: bigint; release: number | null }>(
    `select (select count(*) from schema_migrations where name = any($1)) as migrations,
       (select max(release) from schema_functions) as release`,
    [names],
  );
  const { migrations = 0n, release = null } = read.rows[0] ?? {};
  return migrations === BigInt(names.length) && (release ?? 0) >= schema.functionsRelease;
}
