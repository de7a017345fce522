import { PlainError } from '../base/plain-error.ts';
import { programVersion } from '../program-version.ts';
import { readAppliedFunctions } from './functions.ts';
import type { AppliedFunctions } from './functions.ts';
import type { Queryable } from './pool.ts';
import type { Schema } from './schema.ts';

interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  /** Programs of older releases do not work after it. */
  readonly oldestRelease: number;
}

/** The release is the newest one that prepared the database. */
interface AppliedSchema extends AppliedFunctions {
  readonly migrations: readonly AppliedMigration[];
}

export const NOTHING_APPLIED: AppliedSchema = {
  migrations: [],
  release: 0,
  checksums: new Map(),
};

export async function readAppliedSchema(db: Queryable): Promise<AppliedSchema> {
  const read = await db.query<AppliedMigration>(
    `select name, checksum, oldest_release as "oldestRelease" from schema_migrations order by name`,
  );
  return { migrations: read.rows, ...(await readAppliedFunctions(db)) };
}

/**
 * Throws: `PlainError` when the database has a migration that this program lacks, unless a newer
 * release applied it that this one works with: during a deployment, and after it is taken back.
 */
export function refuseOtherVersion(applied: AppliedSchema, schema: Schema): void {
  for (const { name, checksum, oldestRelease } of applied.migrations) {
    const migration = schema.migrations.find((candidate) => candidate.name === name);
    if (migration?.checksum === checksum) continue;
    const isNewer = applied.release > schema.release;
    if (migration === undefined && isNewer && oldestRelease <= schema.release) continue;
    const difference =
      migration === undefined
        ? `migration ${name} was applied to it, which this program does not have${isNewer ? ` and which programs before release ${oldestRelease} do not work with (this is release ${schema.release})` : ''}`
        : `migration ${name} was applied to it with different content from this program’s`;
    throw new PlainError(
      `The database was made by another version of Malipo than this program (${programVersion()}): ${difference}. If a newer version made it, start that version. If a development version made it, whose migrations were rewritten since, it cannot be upgraded: use a new database, or start the version that made it.`,
    );
  }
}

/** The table does not exist, or this role has no privilege on it yet. */
const NOT_READY = new Set<unknown>(['42P01', '42501']);

/**
 * Returns `fallback` if the tables that `work` reads do not exist yet, or this role may not read
 * them.
 */
export async function orNotReady<Result>(work: Promise<Result>, fallback: Result): Promise<Result> {
  return await work.catch((error: unknown) => {
    if (NOT_READY.has((error as { code?: unknown }).code)) return fallback;
    throw error;
  });
}

/**
 * Describes, as a sentence, what was found instead of a database of this version.
 * Throws: `PlainError` when no migration upgrades its version to this one.
 */
export async function describeUnmigrated(db: Queryable, schema: Schema): Promise<string> {
  const read = await db.query<{ filled: boolean; known: boolean }>(
    `select count(*) > 0 as filled,
       coalesce(bool_or(c.relname = 'schema_migrations'), false) as known
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'`,
  );
  const { filled = false, known = false } = read.rows[0] ?? {};
  if (!filled) return 'The database is empty.';
  if (!known) return 'The database has tables, but none of Malipo.';
  const applied = await orNotReady<AppliedSchema | undefined>(readAppliedSchema(db), undefined);
  if (applied === undefined) return 'The database role may not use the tables of Malipo.';
  refuseOtherVersion(applied, schema);
  return `The database is of an older version than this program (${programVersion()}).`;
}
