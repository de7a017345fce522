import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { readMargins } from './margin-store.ts';
import type { Dimension, MarginRow, MarginSums } from './margin-store.ts';

export interface MarginReport {
  /** In the order of day, vendor, biller and operator. */
  readonly rows: readonly MarginRow[];
  readonly total: MarginSums;
}

const NOTHING: MarginSums = {
  payments: 0,
  amountCents: 0n,
  feesCents: 0n,
  vatCents: 0n,
  costCents: 0n,
  commissionCents: 0n,
};

/** What is left for us: VAT is not ours. */
export function marginOf({ feesCents, costCents, commissionCents }: MarginSums): bigint {
  return feesCents + commissionCents - costCents;
}

/** Fees, costs and commissions of a period, over one snapshot. */
export async function reportMargin(
  pool: Pool,
  period: { readonly from: Date; readonly to: Date; readonly timeZone: string },
  by: ReadonlySet<Dimension>,
): Promise<MarginReport> {
  const read = await snapshot(pool, async (client) => await readMargins(client, period, by));
  // A biller has rows in every bucket.
  const rows = new Map<string, MarginRow>();
  for (const row of read) {
    const known = rows.get(nameOf(row));
    rows.set(nameOf(row), known === undefined ? row : { ...row, ...add(known, row) });
  }
  return {
    rows: [...rows.values()].toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
    total: read.reduce(add, NOTHING),
  };
}

function nameOf(row: MarginRow): string {
  const vendor = String(row.vendorId ?? '').padStart(10, '0');
  return [row.day, vendor, row.billerCode, row.operatorCode].join(' ');
}

function add(one: MarginSums, other: MarginSums): MarginSums {
  return {
    payments: one.payments + other.payments,
    amountCents: one.amountCents + other.amountCents,
    feesCents: one.feesCents + other.feesCents,
    vatCents: one.vatCents + other.vatCents,
    costCents: one.costCents + other.costCents,
    commissionCents: one.commissionCents + other.commissionCents,
  };
}
