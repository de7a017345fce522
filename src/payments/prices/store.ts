import type { Queryable } from '../../platform/db/pool.ts';
import type { FeeFormula, FeePrice, FeePrices, OperatorPrice, OperatorTerms } from './price.ts';

/** Who set a price, and when. */
interface Setting {
  readonly setAt: Date;
  readonly setBy: string;
}

export interface FeePriceRow extends FeePrice, Setting {
  readonly billerCode: string;
  /** Null: every vendor without a price of its own. */
  readonly vendorId: number | null;
}

export interface OperatorPriceRow extends OperatorPrice, Setting {
  readonly billerCode: string;
  readonly operatorCode: string;
}

interface StoredTier {
  readonly from_cents: number;
  readonly flat_cents: number;
  readonly bps: number;
}

interface StoredFeePrice extends Omit<FeePriceRow, 'tiers'> {
  tiers: StoredTier[];
}

interface StoredOperatorPrice {
  version: number;
  billerCode: string;
  operatorCode: string;
  validFrom: Date;
  setAt: Date;
  setBy: string;
  costCents: bigint;
  costBps: number;
  commissionCents: bigint;
  commissionBps: number;
  commissionNetted: boolean;
}

/**
 * current: prices that are in force, or will be. recent: also those that were replaced less than an hour
 * ago, for a process whose clock is behind. all: all that ever were.
 */
export type WhichPrices = 'current' | 'recent' | 'all';

/** SQL: whether a price n that follows the price p replaces it. $1: which ones are listed. */
const REPLACES = `(n.valid_from, n.version) > (p.valid_from, p.version)
      and (n.valid_from = p.valid_from
        or n.valid_from <= now() - case when $1 = 'recent' then interval '1 hour' else interval '0' end)`;

const FEE_PRICES = `select p.version, p.biller_code as "billerCode", p.vendor_id as "vendorId",
    p.valid_from as "validFrom", p.set_at as "setAt", p.set_by as "setBy", p.tiers,
    p.minimum_cents as "minimumCents", p.maximum_cents as "maximumCents", p.vat_bps as "vatBps",
    p.vat_included as "vatIncluded", p.excise_bps as "exciseBps"
  from fee_prices p
  where $1 = 'all' or not exists (select from fee_prices n
    where n.biller_code = p.biller_code and n.vendor_id is not distinct from p.vendor_id
      and ${REPLACES})
  order by p.biller_code, p.vendor_id nulls first, p.valid_from, p.version`;

/** Fee prices, in the order of their begin. */
export async function listFeePrices(db: Queryable, which: WhichPrices): Promise<FeePriceRow[]> {
  const listed = await db.query<StoredFeePrice>(FEE_PRICES, [which]);
  return listed.rows.map((row) => ({
    ...row,
    tiers: row.tiers.map((tier) => ({
      fromCents: BigInt(tier.from_cents),
      flatCents: BigInt(tier.flat_cents),
      bps: tier.bps,
    })),
  }));
}

const OPERATOR_PRICES = `select p.version, p.biller_code as "billerCode",
    p.operator_code as "operatorCode", p.valid_from as "validFrom", p.set_at as "setAt",
    p.set_by as "setBy", p.cost_cents as "costCents", p.cost_bps as "costBps",
    p.commission_cents as "commissionCents", p.commission_bps as "commissionBps",
    p.commission_netted as "commissionNetted"
  from operator_prices p
  where $1 = 'all' or not exists (select from operator_prices n
    where n.biller_code = p.biller_code and n.operator_code = p.operator_code
      and ${REPLACES})
  order by p.biller_code, p.operator_code, p.valid_from, p.version`;

/** Lists operators' prices as `listFeePrices` lists fees. */
export async function listOperatorPrices(
  db: Queryable,
  which: WhichPrices,
): Promise<OperatorPriceRow[]> {
  const listed = await db.query<StoredOperatorPrice>(OPERATOR_PRICES, [which]);
  return listed.rows.map(
    ({ costCents, costBps, commissionCents, commissionBps, ...row }): OperatorPriceRow => ({
      ...row,
      cost: { flatCents: costCents, bps: costBps },
      commission: { flatCents: commissionCents, bps: commissionBps },
    }),
  );
}

/** Fee prices by biller, for `feePriceFor`. */
export function feePricesByBiller(rows: readonly FeePriceRow[]): Map<string, FeePrices> {
  const byBiller = new Map<string, Map<number | null, FeePriceRow[]>>();
  for (const row of rows) {
    const ofBiller = byBiller.get(row.billerCode) ?? new Map<number | null, FeePriceRow[]>();
    byBiller.set(row.billerCode, ofBiller);
    ofBiller.set(row.vendorId, [...(ofBiller.get(row.vendorId) ?? []), row]);
  }
  return byBiller;
}

/** Operator prices by `<biller code> <operator code>`, for `inForce`. */
export function operatorPricesByRoute(
  rows: readonly OperatorPriceRow[],
): Map<string, readonly OperatorPriceRow[]> {
  const byRoute = new Map<string, OperatorPriceRow[]>();
  for (const row of rows) {
    const route = `${row.billerCode} ${row.operatorCode}`;
    byRoute.set(route, [...(byRoute.get(route) ?? []), row]);
  }
  return byRoute;
}

/** When a price begins and who set it. Null: it begins now. */
export interface NewSetting {
  readonly validFrom: Date | null;
  readonly setBy: string;
}

/**
 * Adds a fee price. Returns its version. The caller changes the settings of billers
 * (`changeSettings`), so that versions are given out one after another.
 */
export async function insertFeePrice(
  db: Queryable,
  key: { readonly billerCode: string; readonly vendorId: number | null },
  formula: FeeFormula,
  { validFrom, setBy }: NewSetting,
): Promise<number> {
  const tiers = formula.tiers.map((tier): StoredTier => ({
    from_cents: Number(tier.fromCents),
    flat_cents: Number(tier.flatCents),
    bps: tier.bps,
  }));
  const inserted = await db.query<{ version: number }>(
    `insert into fee_prices as n (version, biller_code, vendor_id, valid_from, set_at, set_by, tiers,
       minimum_cents, maximum_cents, vat_bps, vat_included, excise_bps)
     select coalesce(max(p.version), 0) + 1, $1, $2, greatest($3, now()), now(), $4, $5, $6, $7, $8, $9, $10
     from fee_prices p returning n.version`,
    [
      key.billerCode,
      key.vendorId,
      validFrom,
      setBy,
      JSON.stringify(tiers),
      formula.minimumCents,
      formula.maximumCents,
      formula.vatBps,
      formula.vatIncluded,
      formula.exciseBps ?? 0,
    ],
  );
  return inserted.rows[0]?.version ?? 0;
}

/** Adds an operator's price. Returns its version. The caller does the same as for `insertFeePrice`. */
export async function insertOperatorPrice(
  db: Queryable,
  key: { readonly billerCode: string; readonly operatorCode: string },
  { cost, commission, commissionNetted }: OperatorTerms,
  { validFrom, setBy }: NewSetting,
): Promise<number> {
  const inserted = await db.query<{ version: number }>(
    `insert into operator_prices as n (version, biller_code, operator_code, valid_from, set_at, set_by,
       cost_cents, cost_bps, commission_cents, commission_bps, commission_netted)
     select coalesce(max(p.version), 0) + 1, $1, $2, greatest($3, now()), now(), $4, $5, $6, $7, $8, $9
     from operator_prices p returning n.version`,
    [
      key.billerCode,
      key.operatorCode,
      validFrom,
      setBy,
      cost.flatCents,
      cost.bps,
      commission.flatCents,
      commission.bps,
      commissionNetted,
    ],
  );
  return inserted.rows[0]?.version ?? 0;
}

/** The operator's price of this version. */
export async function findOperatorPrice(
  db: Queryable,
  version: number,
): Promise<OperatorPriceRow | undefined> {
  return (await listOperatorPrices(db, 'all')).find((row) => row.version === version);
}
