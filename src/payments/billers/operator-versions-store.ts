import type { Queryable } from '../../platform/db/pool.ts';
import type { FormerVersion } from './biller.ts';

export type FormerVersionRow = Omit<FormerVersion, 'secrets' | 'settings'> & {
  operatorCode: string;
  settings: Record<string, unknown>;
};

const COLUMNS = `operator_code as "operatorCode", version, connector, base_url as "baseUrl", settings,
  replaced_at as "replacedAt", same_account as "sameAccount", keys, callbacks_until as "callbacksUntil"`;

/** Former versions of all operators, oldest first. */
export async function listFormerVersions(db: Queryable): Promise<FormerVersionRow[]> {
  const listed = await db.query<FormerVersionRow>(
    `select ${COLUMNS} from operator_versions order by operator_code, version`,
  );
  return listed.rows;
}

/** Lists the former versions of one operator. */
export async function listFormerVersionsOf(
  db: Queryable,
  operatorCode: string,
): Promise<FormerVersionRow[]> {
  const listed = await db.query<FormerVersionRow>(
    `select ${COLUMNS} from operator_versions where operator_code = $1 order by version`,
    [operatorCode],
  );
  return listed.rows;
}

/**
 * Makes the operator's version a former one, whose keys are the current ones, and begins the next. The
 * caller has locked the operators' settings.
 */
export async function beginVersion(
  db: Queryable,
  operatorCode: string,
  sameAccount: boolean,
): Promise<void> {
  await db.query(
    `insert into operator_versions
       (operator_code, version, connector, base_url, settings, replaced_at, same_account, keys)
     select operator_code, version, connector, base_url, settings, now(), $2, 'current'
     from operators where operator_code = $1`,
    [operatorCode, sameAccount],
  );
  await db.query('update operators set version = version + 1 where operator_code = $1', [
    operatorCode,
  ]);
}

/** Returns false if the operator has no former version. */
export async function joinLastVersion(db: Queryable, operatorCode: string): Promise<boolean> {
  const joined = await db.query(
    `update operator_versions set same_account = true
     where operator_code = $1 and version = (
       select max(version) from operator_versions where operator_code = $1)`,
    [operatorCode],
  );
  return joined.rowCount === 1;
}

/** Where the keys of a former version are from now on. */
export async function setKeysOfVersion(
  db: Queryable,
  { operatorCode, version }: Pick<FormerVersionRow, 'operatorCode' | 'version'>,
  keys: { readonly kind: 'kept'; readonly callbackSeconds: number } | { readonly kind: 'ended' },
): Promise<void> {
  await db.query(
    `with clock as materialized (select now() + $4::integer * interval '1 second' as ends_at)
     update operator_versions set keys = $3, callbacks_until = coalesce(callbacks_until, ends_at)
     from clock where operator_code = $1 and version = $2`,
    [operatorCode, version, keys.kind, keys.kind === 'kept' ? keys.callbackSeconds : 0],
  );
}
