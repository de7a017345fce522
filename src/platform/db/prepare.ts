import { PlainError } from '../base/plain-error.ts';
import { changedFunctions, readAppliedFunctions } from './functions.ts';
import { isMigrated, migrate } from './migrate.ts';
import { TURNS } from './migration-turns.ts';
import type { Turns } from './migration-turns.ts';
import type { Pool } from './pool.ts';
import { findRoleProblems, grantRuntime, mayMigrate, roleOf } from './runtime-role.ts';
import { requireSameDatabase } from './same-database.ts';
import type { Schema } from './schema.ts';
import {
  describeUnmigrated,
  orNotReady,
  readAppliedSchema,
  refuseOtherVersion,
} from './version.ts';

export interface Prepared {
  /** Names of the migrations and functions that were applied now. */
  readonly applied: readonly string[];
  /**
   * True if this process connected as the owner of the schema, so that work reserved for the owner
   * can be done.
   */
  readonly asOwner: boolean;
  /** True when the service works as the role that owns the schema. */
  readonly oneRole: boolean;
  /** Why the runtime role is not restricted as it should be; empty if it is. */
  readonly roleProblems: readonly string[];
}

/**
 * Brings the schema to this version and grants the runtime role what it needs, if this process
 * knows the owner. Otherwise `malipo migrate` must have done both before.
 * Throws: `PlainError` when it has not, or when the pools are of different databases; anything that
 * `migrate` throws.
 */
export async function prepareDatabase(
  owner: Pool,
  runtime: Pool,
  schema: Schema,
  turns: Turns = TURNS,
): Promise<Prepared> {
  await requireSameDatabase(owner, runtime);
  const asOwner = await mayMigrate(owner);
  let applied: readonly string[] = [];
  const role = await roleOf(runtime);
  const oneRole = role === (await roleOf(owner)) && asOwner;
  if (asOwner) {
    applied = await migrate(owner, schema, turns);
    // A newer release has granted more, which its processes need.
    const { release } = await readAppliedFunctions(owner);
    if (!oneRole && release <= schema.release) await grantRuntime(owner, role, schema);
  } else {
    await requireMigrated(runtime, role, schema);
  }
  return {
    applied,
    asOwner,
    oneRole,
    roleProblems: await findRoleProblems(runtime, schema),
  };
}

async function requireMigrated(runtime: Pool, role: string, schema: Schema): Promise<void> {
  if (await orNotReady(isPrepared(runtime, schema), false)) return;
  const found = await describeUnmigrated(runtime, schema);
  throw new PlainError(
    `${found} The role ${role} may not change the schema. Run \`npm run -s malipo -- migrate\` with DATABASE_OWNER_URL, or set DATABASE_OWNER_URL here.`,
  );
}

async function isPrepared(runtime: Pool, schema: Schema): Promise<boolean> {
  if (!(await isMigrated(runtime, schema))) return false;
  const applied = await readAppliedSchema(runtime);
  refuseOtherVersion(applied, schema);
  return changedFunctions(schema, applied).length === 0;
}
