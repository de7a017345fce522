import type { Queryable } from '../../platform/db/pool.ts';
import type { Availability } from './biller.ts';
import type { AmountRule } from './product.ts';

export interface BillerRow {
  billerCode: string;
  name: string;
  category: string;
  operatorCode: string;
  minimumCents: bigint;
  maximumCents: bigint | null;
  secondaryAccount: boolean;
  validatesAccounts: boolean;
  accountFormat: string;
  accountLabel: string;
  amounts: AmountRule;
  status: Availability;
  /** Why people set it OFFLINE. */
  offlineReason: string | null;
  /** When it is ONLINE again by itself. */
  offlineUntil: Date | null;
  listPosition: number;
  /** A quarantine is open, so no biller sends anything (src/payments/quarantine). */
  quarantined: boolean;
}

export interface OperatorRow {
  operatorCode: string;
  version: number;
  name: string;
  connector: string;
  baseUrl: string;
  settings: Record<string, unknown>;
  maxConcurrency: number;
  maxPerSecond: number | null;
}

const OPERATOR_COLUMNS = `operator_code as "operatorCode", version, name, connector, base_url as "baseUrl",
  settings, max_concurrency as "maxConcurrency", max_per_second as "maxPerSecond"`;

const BILLERS = `select b.biller_code as "billerCode", b.name, b.category,
    b.operator_code as "operatorCode", b.minimum_cents as "minimumCents",
    b.maximum_cents as "maximumCents",
    b.secondary_account as "secondaryAccount", b.validates_accounts as "validatesAccounts",
    b.account_format as "accountFormat", b.account_label as "accountLabel", b.amounts, b.status, b.offline_reason as "offlineReason",
    b.offline_until as "offlineUntil",
    b.list_position as "listPosition",
    exists (select from quarantines where released_at is null) as quarantined
  from billers b`;

export async function listBillers(db: Queryable): Promise<BillerRow[]> {
  const result = await db.query<BillerRow>(`${BILLERS} order by b.list_position, b.biller_code`);
  return result.rows;
}

export async function findBiller(
  db: Queryable,
  billerCode: string,
): Promise<BillerRow | undefined> {
  const found = await db.query<BillerRow>(`${BILLERS} where b.biller_code = $1`, [billerCode]);
  return found.rows[0];
}

export async function findOperator(
  db: Queryable,
  operatorCode: string,
): Promise<OperatorRow | undefined> {
  const found = await db.query<OperatorRow>(
    `select ${OPERATOR_COLUMNS} from operators where operator_code = $1`,
    [operatorCode],
  );
  return found.rows[0];
}

export async function listOperators(db: Queryable): Promise<OperatorRow[]> {
  return (
    await db.query<OperatorRow>(`select ${OPERATOR_COLUMNS} from operators order by operator_code`)
  ).rows;
}

export async function hasOperators(db: Queryable): Promise<boolean> {
  return (await db.query('select from operators limit 1')).rowCount === 1;
}

/** Locks the operator until the caller's database transaction ends; payments continue. */
export async function lockOperator(db: Queryable, operatorCode: string): Promise<void> {
  await db.query('select from operators where operator_code = $1 for no key update', [
    operatorCode,
  ]);
}

export async function listPrefixes(
  db: Queryable,
): Promise<{ prefix: string; billerCode: string }[]> {
  const result = await db.query<{ prefix: string; billerCode: string }>(
    'select prefix, biller_code as "billerCode" from phone_prefixes order by prefix',
  );
  return result.rows;
}

export type OperatorRecord = Omit<OperatorRow, 'settings' | 'version'> & {
  readonly settings: Readonly<Record<string, unknown>>;
};

/** Inserts the operator, or replaces all of its fields but the version. */
export async function putOperator(db: Queryable, operator: OperatorRecord): Promise<void> {
  await db.query(
    `insert into operators (operator_code, name, connector, base_url, settings, max_concurrency, max_per_second)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (operator_code) do update set name = excluded.name, connector = excluded.connector,
       base_url = excluded.base_url, settings = excluded.settings,
       max_concurrency = excluded.max_concurrency, max_per_second = excluded.max_per_second`,
    [
      operator.operatorCode,
      operator.name,
      operator.connector,
      operator.baseUrl,
      JSON.stringify(operator.settings),
      operator.maxConcurrency,
      operator.maxPerSecond,
    ],
  );
}

export type BillerRecord = Omit<BillerRow, 'quarantined' | 'offlineReason' | 'offlineUntil'>;

/** Inserts the biller or replaces its fields, except why and until when it is OFFLINE. */
export async function putBiller(db: Queryable, biller: BillerRecord): Promise<void> {
  await db.query(
    `insert into billers (biller_code, name, category, operator_code, minimum_cents, maximum_cents,
       secondary_account, validates_accounts, account_format, account_label, amounts, status,
       list_position)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (biller_code) do update set name = excluded.name, category = excluded.category,
       operator_code = excluded.operator_code, minimum_cents = excluded.minimum_cents,
       maximum_cents = excluded.maximum_cents,
       secondary_account = excluded.secondary_account,
       validates_accounts = excluded.validates_accounts, account_format = excluded.account_format,
       account_label = excluded.account_label, amounts = excluded.amounts,
       status = excluded.status,
       list_position = excluded.list_position`,
    [
      biller.billerCode,
      biller.name,
      biller.category,
      biller.operatorCode,
      biller.minimumCents,
      biller.maximumCents,
      biller.secondaryAccount,
      biller.validatesAccounts,
      biller.accountFormat,
      biller.accountLabel,
      biller.amounts,
      biller.status,
      biller.listPosition,
    ],
  );
}

/** Why a biller is set OFFLINE, and until when; absent: until people set it ONLINE. */
export interface OfflinePeriod {
  readonly reason?: string | undefined;
  readonly until?: Date | undefined;
}

/** Returns false if the biller does not exist. */
export async function setBillerStatus(
  db: Queryable,
  billerCode: string,
  status: Availability,
  offline: OfflinePeriod = {},
): Promise<boolean> {
  const updated = await db.query(
    `update billers set status = $2, offline_reason = $3, offline_until = $4
     where biller_code = $1`,
    [billerCode, status, offline.reason ?? null, offline.until ?? null],
  );
  return updated.rowCount === 1;
}

/** Finds out if a biller is still OFFLINE although its period has ended. */
export async function hasEndedOffline(db: Queryable): Promise<boolean> {
  const found = await db.query('select from billers where offline_until <= now() limit 1');
  return found.rowCount === 1;
}

/** Sets billers ONLINE whose period has ended. Returns their codes. */
export async function endOffline(db: Queryable): Promise<string[]> {
  const ended = await db.query<{ billerCode: string }>(
    `update billers set status = 'ONLINE', offline_reason = null, offline_until = null
     where offline_until <= now() returning biller_code as "billerCode"`,
  );
  return ended.rows.map(({ billerCode }) => billerCode);
}

export async function putPrefix(db: Queryable, prefix: string, billerCode: string): Promise<void> {
  await db.query(
    `insert into phone_prefixes (prefix, biller_code) values ($1, $2)
     on conflict (prefix) do update set biller_code = excluded.biller_code`,
    [prefix, billerCode],
  );
}

/** Returns false if the prefix was not in the table. */
export async function removePrefix(db: Queryable, prefix: string): Promise<boolean> {
  return (await db.query('delete from phone_prefixes where prefix = $1', [prefix])).rowCount === 1;
}
