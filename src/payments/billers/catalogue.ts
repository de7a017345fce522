import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { openOperatorKeys } from '../../parties/keys.ts';
import type { Biller, Operator, OperatorSecret } from './biller.ts';
import { listBillers, listOperators, listPrefixes } from './store.ts';
import type { BillerRow } from './store.ts';

/**
 * Billers, operators and phone prefixes in memory, reloaded when a command or a breaker changes
 * them.
 */
export interface BillerCatalogue {
  /** In the order of the list operation. */
  billers(): readonly Biller[];
  biller(billerCode: string): Biller | undefined;
  operators(): readonly Operator[];
  operator(operatorCode: string): Operator | undefined;
  /** Biller code of the mobile operator that uses the prefix (three digits without the leading 0). */
  billerOfPrefix(prefix: string): string | undefined;
  readonly reload: () => Promise<void>;
}

const NO_SECRETS: ReadonlyMap<string, readonly OperatorSecret[]> = new Map();

/** The biller of a stored row. */
export function billerOf(row: BillerRow): Biller {
  return {
    billerCode: row.biller_code,
    name: row.name,
    category: row.category,
    operatorCode: row.operator_code,
    minimumCents: row.minimum_cents,
    maximumCents: row.maximum_cents,
    feeCents: row.fee_cents,
    secondaryAccount: row.secondary_account,
    validatesAccounts: row.validates_accounts,
    accountFormat: row.account_format,
    accountLabel: row.account_label,
    availability: row.breaker_reason === null && !row.quarantined ? row.status : 'OFFLINE',
    breakerOpen: row.breaker_reason !== null,
  };
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
  let operators = new Map<string, Operator>();
  let prefixes = new Map<string, string>();
  let reloadsBegun = 0;
  let shown = 0;
  const reload = async (): Promise<void> => {
    reloadsBegun += 1;
    const ours = reloadsBegun;
    const [billerRows, operatorRows, prefixRows, secrets] = await Promise.all([
      listBillers(pool),
      listOperators(pool),
      listPrefixes(pool),
      masterKeys === undefined ? NO_SECRETS : openOperatorKeys(pool, masterKeys),
    ]);
    // A reload that began later has newer data.
    if (ours < shown) return;
    shown = ours;
    billers = new Map(billerRows.map((row) => [row.biller_code, billerOf(row)]));
    operators = new Map(
      operatorRows.map((row) => [
        row.operator_code,
        {
          operatorCode: row.operator_code,
          name: row.name,
          connector: row.connector,
          baseUrl: row.base_url,
          settings: row.settings,
          maxConcurrency: row.max_concurrency,
          maxPerSecond: row.max_per_second,
          secrets: secrets.get(row.operator_code) ?? [],
        },
      ]),
    );
    prefixes = new Map(prefixRows.map((row) => [row.prefix, row.biller_code]));
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
