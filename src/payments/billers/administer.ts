import { DISBURSEMENTS } from './biller.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { CURRENCY } from '../../platform/base/money.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { ANY_ACCOUNT, whyNotAFormat } from './account-format.ts';
import type { Availability, Operator } from './biller.ts';
import { operatorOf } from './catalogue.ts';
import { differenceOf } from './operator-version.ts';
import { beginVersion, joinLastVersion } from './operator-versions-store.ts';
import type { PhonePrefix } from './kenyan-prefixes.ts';
import type { AmountRule } from './product.ts';
import { listProducts } from './products-store.ts';
import {
  endOffline,
  findBiller,
  findOperator,
  hasEndedOffline,
  listBillers,
  putBiller,
  putOperator,
  putPrefix,
  removePrefix,
  setBillerStatus,
} from './store.ts';
import type { BillerRecord, OfflinePeriod, OperatorRecord, OperatorRow } from './store.ts';

/**
 * Administration of operators, billers and prefixes. Each function is one database transaction with
 * the mark that makes running processes reload, and throws `PlainError` if it cannot be done.
 */

/** Settings to change; absent ones stay. */
export interface OperatorChange {
  readonly name?: string | undefined;
  readonly connector?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Merged into the existing ones; undefined removes one. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly maxConcurrency?: number | undefined;
  /** Null: no limit. */
  readonly maxPerSecond?: number | null | undefined;
  /**
   * The new settings reach the same merchant account, so it is asked with them about instructions that
   * it got before. With no other change: the last change did. Default: they may reach another account,
   * and each instruction is asked about where it was sent.
   */
  readonly sameAccount?: boolean | undefined;
}

const DEFAULT_MAX_CONCURRENCY = 32;

/**
 * Adds an operator or changes the given settings. Returns true if it was added.
 * @param check throws if the operator could not be used with these settings; it gets no secrets.
 */
export async function setOperator(
  db: Queryable,
  operatorCode: string,
  change: OperatorChange,
  check: (operator: Operator) => Promise<void>,
): Promise<boolean> {
  return await changeSettings(db, 'billers', async (client) => {
    const known = await findOperator(client, operatorCode);
    const operator = mergeOperator(operatorCode, known, change);
    await check(operatorOf(operator));
    if (known !== undefined) await noteVersion(client, known, operator, change);
    await putOperator(client, operator);
    return known === undefined;
  });
}

/** Begins another version of the operator if its instructions go elsewhere from now on. */
async function noteVersion(
  client: Queryable,
  known: OperatorRow,
  operator: OperatorRecord,
  { sameAccount = false, ...change }: OperatorChange,
): Promise<void> {
  const difference = differenceOf(known, operator);
  if (difference !== 'none') {
    await beginVersion(client, known.operatorCode, sameAccount || difference === 'times');
    return;
  }
  const hasOther = Object.entries(change).some(([name, value]) =>
    name === 'settings' ? Object.keys(change.settings).length > 0 : value !== undefined,
  );
  if (!sameAccount || hasOther) return;
  if (await joinLastVersion(client, known.operatorCode)) return;
  throw new PlainError(
    'Its settings and key have not been changed, so there is no other account.',
    {
      field: 'same_account',
    },
  );
}

function mergeOperator(
  operatorCode: string,
  known: OperatorRow | undefined,
  change: OperatorChange,
): OperatorRecord {
  const settings = Object.fromEntries(
    Object.entries({ ...known?.settings, ...change.settings }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const maxPerSecond =
    change.maxPerSecond === undefined ? known?.maxPerSecond : change.maxPerSecond;
  return {
    operatorCode,
    name: needed(change.name ?? known?.name, 'name'),
    connector: needed(change.connector ?? known?.connector, 'connector'),
    baseUrl: needed(change.baseUrl ?? known?.baseUrl, 'base_url'),
    settings,
    maxConcurrency: change.maxConcurrency ?? known?.maxConcurrency ?? DEFAULT_MAX_CONCURRENCY,
    maxPerSecond: maxPerSecond ?? null,
  };
}

/** Settings to change; absent ones stay. */
export interface BillerChange {
  readonly name?: string | undefined;
  readonly category?: string | undefined;
  readonly operatorCode?: string | undefined;
  readonly minimumCents?: bigint | undefined;
  /** Null: no maximum. */
  readonly maximumCents?: bigint | null | undefined;
  readonly secondaryAccount?: boolean | undefined;
  readonly validatesAccounts?: boolean | undefined;
  /** `msisdn` or an anchored pattern, and what people call such an account. */
  readonly accountFormat?: string | undefined;
  readonly accountLabel?: string | undefined;
  readonly amounts?: AmountRule | undefined;
  readonly position?: number | undefined;
}

/**
 * Adds a biller (ONLINE) or changes the given settings. Returns true if it was added.
 *
 * Its operator may change at any time: an instruction is verified with the operator that got it.
 */
export async function setBiller(
  db: Queryable,
  billerCode: string,
  change: BillerChange,
): Promise<boolean> {
  return await changeSettings(db, 'billers', async (client) => {
    const known = await findBiller(client, billerCode);
    const biller = {
      ...mergeBiller(billerCode, known, change),
      listPosition:
        change.position ?? known?.listPosition ?? nextPosition(await listBillers(client)),
    };
    if ((await findOperator(client, biller.operatorCode)) === undefined) {
      throw new PlainError(`Operator ${biller.operatorCode} does not exist.`, {
        field: 'operator',
      });
    }
    if (change.amounts === 'products') await requireProducts(client, billerCode);
    await putBiller(client, biller);
    return known === undefined;
  });
}

/** Throws: `PlainError` unless some operator sells something for the biller, at a price that we know. */
async function requireProducts(client: Queryable, billerCode: string): Promise<void> {
  const products = await listProducts(client);
  const isSold = products.some(
    ({ billerCodes, amount }) => billerCodes.includes(billerCode) && amount?.currency === CURRENCY,
  );
  if (isSold) return;
  throw new PlainError(
    `No operator lists a product of ${billerCode} in ${CURRENCY}: ask its operators with: biller refresh-products ${billerCode}.`,
    { field: 'amounts' },
  );
}

function mergeBiller(
  billerCode: string,
  known: BillerRecord | undefined,
  change: BillerChange,
): Omit<BillerRecord, 'listPosition'> {
  const minimum = needed(change.minimumCents ?? known?.minimumCents, 'minimum');
  const maximum =
    change.maximumCents === undefined ? (known?.maximumCents ?? null) : change.maximumCents;
  if (maximum !== null && maximum < minimum) {
    throw new PlainError('The maximum is below the minimum.', { field: 'maximum' });
  }
  const { accountFormat } = change;
  const reason = accountFormat === undefined ? undefined : whyNotAFormat(accountFormat);
  if (reason !== undefined) {
    throw new PlainError(`The format cannot be used: ${reason}.`, { field: 'account_format' });
  }
  return {
    billerCode,
    name: needed(change.name ?? known?.name, 'name'),
    category: categoryOf(change.category, known?.category),
    operatorCode: needed(change.operatorCode ?? known?.operatorCode, 'operator'),
    minimumCents: minimum,
    maximumCents: maximum,
    secondaryAccount: change.secondaryAccount ?? known?.secondaryAccount ?? false,
    validatesAccounts: change.validatesAccounts ?? known?.validatesAccounts ?? false,
    accountFormat: change.accountFormat ?? known?.accountFormat ?? ANY_ACCOUNT.accountFormat,
    accountLabel: change.accountLabel ?? known?.accountLabel ?? ANY_ACCOUNT.accountLabel,
    amounts: change.amounts ?? known?.amounts ?? 'any',
    status: known?.status ?? 'ONLINE',
  };
}

function nextPosition(billers: readonly BillerRecord[]): number {
  return billers.reduce((last, biller) => Math.max(last, biller.listPosition), -1) + 1;
}

function needed<Value>(value: Value | undefined, field: string): Value {
  if (value === undefined)
    throw new PlainError('This option is required for a new entry.', { field });
  return value;
}

/** The status that people set; an open circuit breaker still keeps the biller OFFLINE. */
export async function changeBillerStatus(
  pool: Pool,
  billerCode: string,
  status: Availability,
  offline: OfflinePeriod = {},
): Promise<void> {
  if (status === 'ONLINE' && offline.until !== undefined) {
    throw new PlainError('Only OFFLINE can have an end time.', { field: 'until' });
  }
  if (offline.until !== undefined && offline.until.getTime() <= Date.now()) {
    throw new PlainError('The end must be in the future.', { field: 'until' });
  }
  const period = status === 'OFFLINE' ? offline : {};
  await changeSettings(pool, 'billers', async (client) => {
    if (!(await setBillerStatus(client, billerCode, status, period))) throw noBiller(billerCode);
  });
}

/** Sets billers ONLINE whose OFFLINE period has ended. Returns their codes. */
export async function endOfflinePeriods(pool: Pool): Promise<readonly string[]> {
  if (!(await hasEndedOffline(pool))) return [];
  return await changeSettings(pool, 'billers', endOffline);
}

export async function setPrefix(pool: Pool, prefix: string, billerCode: string): Promise<void> {
  await changeSettings(pool, 'billers', async (client) => {
    if ((await findBiller(client, billerCode)) === undefined) throw noBiller(billerCode);
    await putPrefix(client, prefix, billerCode);
  });
}

export async function dropPrefix(pool: Pool, prefix: string): Promise<void> {
  await changeSettings(pool, 'billers', async (client) => {
    if (!(await removePrefix(client, prefix))) {
      throw new PlainError(`Prefix ${prefix} does not exist.`);
    }
  });
}

/** Sets the prefixes of billers that exist. Returns how many, and the billers that do not exist. */
export async function loadPrefixes(
  pool: Pool,
  prefixes: readonly PhonePrefix[],
): Promise<{ readonly loaded: number; readonly missingBillers: readonly string[] }> {
  return await changeSettings(pool, 'billers', async (client) => {
    const known = new Set((await listBillers(client)).map((biller) => biller.billerCode));
    const usable = prefixes.filter(({ billerCode }) => known.has(billerCode));
    for (const { prefix, billerCode } of usable) await putPrefix(client, prefix, billerCode);
    const missing = prefixes.map(({ billerCode }) => billerCode).filter((code) => !known.has(code));
    return { loaded: usable.length, missingBillers: [...new Set(missing)] };
  });
}

function noBiller(billerCode: string): PlainError {
  return new PlainError(`Biller ${billerCode} does not exist.`);
}

/** Who may pay through a biller depends on it, so it stays as it was made. */
function categoryOf(changed: string | undefined, known: string | undefined): string {
  const category = needed(changed ?? known, 'category');
  const isSame = known === undefined || (known === DISBURSEMENTS) === (category === DISBURSEMENTS);
  if (isSame) return category;
  throw new PlainError(
    `A biller is of the category ${DISBURSEMENTS} from its first day, or never.`,
    {
      field: 'category',
    },
  );
}
