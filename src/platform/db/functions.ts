import { PlainError } from '../base/plain-error.ts';
import type { Queryable } from './pool.ts';
import type { Schema, SqlFile } from './schema.ts';

/** The set of SQL functions in a database. */
export interface AppliedFunctions {
  /** 0: none has been applied yet. */
  readonly release: number;
  readonly checksums: ReadonlyMap<string, string>;
}

/** Where the applied set is recorded. */
export async function makeFunctionRecord(db: Queryable): Promise<void> {
  await db.query(
    `create table if not exists schema_functions (
       name text primary key, checksum text not null, release integer not null)`,
  );
}

export async function readAppliedFunctions(db: Queryable): Promise<AppliedFunctions> {
  const read = await db.query<{ name: string; checksum: string; release: number }>(
    'select name, checksum, release from schema_functions',
  );
  return {
    release: Math.max(0, ...read.rows.map((row) => row.release)),
    checksums: new Map(read.rows.map((row) => [row.name, row.checksum])),
  };
}

/** In the database transaction that applied the set. */
export async function recordFunctions(db: Queryable, schema: Schema): Promise<void> {
  await db.query('delete from schema_functions');
  await db.query(
    `insert into schema_functions (name, checksum, release)
     select name, checksum, $3 from unnest($1::text[], $2::text[]) as f (name, checksum)`,
    [
      schema.functions.map(({ name }) => name),
      schema.functions.map(({ checksum }) => checksum),
      schema.release,
    ],
  );
}

/**
 * Throws: `PlainError` when a name has two signatures. A call could then reach either one, so a
 * function whose signature changes gets a new name.
 */
export async function refuseOverloads(db: Queryable): Promise<void> {
  const found = await db.query<{ name: string }>(
    `select proname::text as name from pg_proc
     where pronamespace = current_schema()::regnamespace
       and exists (select from schema_functions f where f.name like '%/' || proname || '.sql')
     group by proname having count(*) > 1 order by proname`,
  );
  if (found.rows.length === 0) return;
  throw severalSignatures(found.rows.map(({ name }) => name));
}

/** Recognises the error of a statement (such as `revoke`) that names a function with several signatures. */
export function isAmbiguousFunction(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '42725';
}

export function severalSignatures(names: readonly string[]): PlainError {
  return new PlainError(
    `The database has several signatures of ${names.join(', ')}. Give a function whose signature changes a new name.`,
  );
}

/**
 * Functions that are missing from the database, or have another text than in this version. Empty if
 * the database has the set of a newer release, which stays.
 */
export function changedFunctions(schema: Schema, applied: AppliedFunctions): readonly SqlFile[] {
  if (applied.release > schema.release) return [];
  return schema.functions.filter(({ name, checksum }) => applied.checksums.get(name) !== checksum);
}
