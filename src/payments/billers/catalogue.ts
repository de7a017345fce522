import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { openOperatorKeys } from '../../parties/keys.ts';
import { feePricesByBiller, listFeePrices } from '../prices/store.ts';
import type { FeePrices } from '../prices/price.ts';
import type { Secret } from '../../connectors/operator.ts';
import type { Biller, Operator, Route, VersionedOperator } from './biller.ts';
import type { SoldProduct } from './product.ts';
import { listSoldProducts } from './products-store.ts';
import { holderOf } from './operator-version.ts';
import { listFormerVersions } from './operator-versions-store.ts';
import { listRoutes } from './routes-store.ts';
import { listBillers, listOperators, listPrefixes } from './store.ts';
import type { BillerRow, OperatorRecord, OperatorRow } from './store.ts';

/**
 * Billers, operators and phone prefixes in memory, reloaded when a command or a breaker changes
 * them.
 */
export interface BillerCatalogue {
  /** In the order of the list operation. */
  billers(): readonly Biller[];
  biller(billerCode: string): Biller | undefined;
  operators(): readonly VersionedOperator[];
  operator(operatorCode: string): VersionedOperator | undefined;
  /** Biller code of the mobile operator that uses the prefix (three digits without the leading 0). */
  billerOfPrefix(prefix: string): string | undefined;
  readonly reload: () => Promise<void>;
}

const NO_SECRETS: ReadonlyMap<string, readonly Secret[]> = new Map();

/** The biller of a stored row. */
export function billerOf(
  row: BillerRow,
  routes: readonly Route[],
  {
    feePrices = new Map(),
    sold = [],
  }: { readonly feePrices?: FeePrices | undefined; readonly sold?: readonly SoldProduct[] } = {},
): Biller {
  const products = soldThrough(routes, sold, row.billerCode);
  const usable = routes.some(({ obstacle }) => obstacle === null);
  return {
    billerCode: row.billerCode,
    name: row.name,
    category: row.category,
    operatorCode: row.operatorCode,
    minimumCents: row.minimumCents,
    maximumCents: row.maximumCents,
    products,
    soldAmounts: row.amounts === 'any' ? null : products,
    feePrices,
    secondaryAccount: row.secondaryAccount,
    validatesAccounts: row.validatesAccounts,
    accountFormat: row.accountFormat,
    accountLabel: row.accountLabel,
    availability: usable && !row.quarantined ? row.status : 'OFFLINE',
    routes,
  };
}

/** Keeps only products of the operators that may execute the biller's payments. */
function soldThrough(
  routes: readonly Route[],
  sold: readonly SoldProduct[],
  billerCode: string,
): SoldProduct[] {
  const operators = new Set(routes.map(({ operatorCode }) => operatorCode));
  return sold.filter((one) => one.billerCode === billerCode && operators.has(one.operatorCode));
}

/** The operator of a stored row, without its secrets. */
export function operatorOf(row: OperatorRecord): Operator {
  return {
    operatorCode: row.operatorCode,
    name: row.name,
    connector: row.connector,
    baseUrl: row.baseUrl,
    settings: row.settings,
    maxConcurrency: row.maxConcurrency,
    maxPerSecond: row.maxPerSecond,
    secrets: [],
  };
}

/**
 * Every operator with its keys and former versions. A version and the keys that belong to it are
 * committed together and read apart, so this repeats until no version began in between: an instruction
 * recorded as one version's must not go out under the key of another account.
 */
async function readOperators(
  pool: Pool,
  masterKeys: MasterKeys | undefined,
): Promise<VersionedOperator[]> {
  for (;;) {
    const rows = await listOperators(pool);
    const [former, secrets] = await Promise.all([
      listFormerVersions(pool),
      masterKeys === undefined ? NO_SECRETS : openOperatorKeys(pool, masterKeys),
    ]);
    if (!hasSameVersions(rows, await listOperators(pool))) continue;
    return rows.map((row) => ({
      ...operatorOf(row),
      version: row.version,
      secrets: secrets.get(row.operatorCode) ?? [],
      former: former
        .filter(({ operatorCode }) => operatorCode === row.operatorCode)
        .map(({ operatorCode, ...one }) => ({
          ...one,
          secrets: secrets.get(holderOf(operatorCode, one.version)) ?? [],
        })),
    }));
  }
}

function hasSameVersions(before: readonly OperatorRow[], after: readonly OperatorRow[]): boolean {
  return versionsText(before) === versionsText(after);
}

function versionsText(rows: readonly OperatorRow[]): string {
  return rows.map(({ operatorCode, version }) => `${operatorCode} ${version}`).join(',');
}

export function createBillerCatalogue(options: {
  readonly pool: Pool;
  /**
   * Decrypts the keys shared with operators. Undefined: operators are listed without their keys.
   */
  readonly masterKeys: MasterKeys | undefined;
  /** Called after each reload, with the new content in place. */
  readonly onReload?: () => void;
}): BillerCatalogue {
  const { pool, masterKeys } = options;
  let billers = new Map<string, Biller>();
  let operators = new Map<string, VersionedOperator>();
  let prefixes = new Map<string, string>();
  let reloadsBegun = 0;
  let shown = 0;
  const reload = async (): Promise<void> => {
    reloadsBegun += 1;
    const ours = reloadsBegun;
    const [billerRows, feePriceRows, routes, sold, prefixRows, operatorList] = await Promise.all([
      listBillers(pool),
      listFeePrices(pool, 'recent'),
      listRoutes(pool),
      listSoldProducts(pool),
      listPrefixes(pool),
      readOperators(pool, masterKeys),
    ]);
    // A reload that began later has newer data.
    if (ours < shown) return;
    shown = ours;
    const feePrices = feePricesByBiller(feePriceRows);
    billers = new Map(
      billerRows.map((row) => [
        row.billerCode,
        billerOf(row, routes.get(row.billerCode) ?? [], {
          feePrices: feePrices.get(row.billerCode),
          sold,
        }),
      ]),
    );
    operators = new Map(operatorList.map((operator) => [operator.operatorCode, operator]));
    prefixes = new Map(prefixRows.map((row) => [row.prefix, row.billerCode]));
    options.onReload?.();
  };
  return {
    billers: () => [...billers.values()],
    biller: (billerCode) => billers.get(billerCode),
    operators: () => [...operators.values()],
    operator: (operatorCode) => operators.get(operatorCode),
    billerOfPrefix: (prefix) => prefixes.get(prefix),
    reload,
  };
}
