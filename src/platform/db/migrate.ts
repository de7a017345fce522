import path from 'node:path';
import { crashPoint } from '#crash-points';
import { PlainError } from '../base/plain-error.ts';

import {
  changedFunctions,
  isAmbiguousFunction,
  makeFunctionRecord,
  recordFunctions,
  refuseOverloads,
  severalSignatures,
} from './functions.ts';
import { seedStatistics } from './planner-statistics.ts';
import { TURNS, inTurns } from './migration-turns.ts';
import type { Turns } from './migration-turns.ts';
import type { Pool, Queryable } from './pool.ts';
import { findSchemaDifferences, makeSchemaRecord, recordSchema } from './schema-check.ts';
import type { Schema, SqlFile } from './schema.ts';
import { NOTHING_APPLIED, orNotReady, readAppliedSchema, refuseOtherVersion } from './version.ts';

/**
 * Brings the database to this version: every migration once, in order, each in its own database
 * transaction; then the functions whose text changed, in one database transaction; then
 * the planner's statistics of new tables. A step waits for locks in short turns, so that a service
 * that runs on the database continues. A killed migrator leaves nothing half done. Processes that
 * start together wait for each other. Returns the names of the files applied now. A database of a
 * newer release that this program can work with is left as it is.
 * Throws: `PlainError` when another version made the database, or its schema is no longer what the
 * files made.
 */
export async function migrate(
  pool: Pool,
  schema: Schema,
  turns: Turns = TURNS,
): Promise<readonly string[]> {
  const applied: string[] = [];
  for (const migration of await findUnapplied(pool, schema)) {
    const isNew = await inTurns(
      pool,
      async (client) => await applyOnce(client, migration, schema),
      turns,
    );
    if (isNew) applied.push(migration.name);
  }
  applied.push(
    ...(await inTurns(pool, async (client) => await applyFunctions(client, schema), turns)),
  );
  await inTurns(pool, seedStatistics, turns);
  return applied;
}

/** Without waiting for other migrators, which may be applying some, also of another release. */
async function findUnapplied(pool: Pool, schema: Schema): Promise<readonly SqlFile[]> {
  const applied = await orNotReady(readAppliedSchema(pool), NOTHING_APPLIED);
  refuseOtherVersion(applied, schema);
  const names = new Set(applied.migrations.map(({ name }) => name));
  return schema.migrations.filter(({ name }) => !names.has(name));
}

async function applyOnce(client: Queryable, migration: SqlFile, schema: Schema): Promise<boolean> {
  await client.query(
    `create table if not exists schema_migrations (
       name text primary key, checksum text not null, applied_at timestamptz not null default now(),
       oldest_release integer not null)`,
  );
  await makeFunctionRecord(client);
  await makeSchemaRecord(client);
  const applied = await readAppliedSchema(client);
  refuseOtherVersion(applied, schema);
  if (applied.migrations.some((row) => row.name === migration.name)) return false;
  await refuseDamage(client);
  await client.query(migration.sql);
  await recordSchema(client);
  await client.query(
    'insert into schema_migrations (name, checksum, oldest_release) values ($1, $2, $3)',
    [migration.name, migration.checksum, migration.oldestRelease ?? schema.release - 1],
  );
  crashPoint('migrate:before-commit');
  return true;
}

/** A function of an earlier set that this one lacks is kept: an old process may still call it. */
async function applyFunctions(client: Queryable, schema: Schema): Promise<readonly string[]> {
  await makeSchemaRecord(client);
  const applied = await readAppliedSchema(client);
  refuseOtherVersion(applied, schema);
  const changed = changedFunctions(schema, applied);
  if (changed.length === 0 && applied.release >= schema.release) return [];
  await refuseDamage(client);
  for (const file of changed) await applyFunction(client, file);
  await recordFunctions(client, schema);
  await refuseOverloads(client);
  await recordSchema(client);
  crashPoint('migrate:before-commit');
  return changed.map(({ name }) => name);
}

async function applyFunction(client: Queryable, { name, sql }: SqlFile): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    if (!isAmbiguousFunction(error)) throw error;
    throw severalSignatures([path.basename(name, '.sql')]);
  }
}

/**
 * Throws: `PlainError` when something is missing, was changed by hand, or was added that can run
 * code. The next migration would otherwise record it as expected.
 */
export async function refuseDamage(client: Queryable): Promise<void> {
  const damage = await findSchemaDifferences(client, { additions: 'harmful' });
  if (damage.length === 0) return;
  throw new PlainError(
    `The database no longer enforces the rules of its schema: ${damage.slice(0, 10).join('; ')}.\nRestore what is missing, drop what was added. If it was changed on purpose: npm run -s malipo -- migrate --accept-schema`,
  );
}

/** Records the current schema as the expected one, after somebody changed it on purpose. */
export async function acceptSchema(pool: Pool): Promise<readonly string[]> {
  return await inTurns(pool, async (client) => {
    await makeSchemaRecord(client);
    const accepted = await findSchemaDifferences(client, { additions: 'harmful' });
    await recordSchema(client);
    return accepted;
  });
}

/**
 * True if every migration of this version is applied, and its set of functions or a newer one (for
 * readiness). A set of the same release with another text counts, because the process that started
 * last applied it.
 */
export async function isMigrated(db: Queryable, schema: Schema): Promise<boolean> {
  const names = schema.migrations.map((migration) => migration.name);
  const read = await db.query<{ migrations: bigint; release: number | null }>(
    `select (select count(*) from schema_migrations where name = any($1)) as migrations,
       (select max(release) from schema_functions) as release`,
    [names],
  );
  const { migrations = 0n, release = null } = read.rows[0] ?? {};
  return migrations === BigInt(names.length) && (release ?? 0) >= schema.release;
}
