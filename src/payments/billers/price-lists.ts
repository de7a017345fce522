import { readVids } from '../../parties/read-vendors.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { findBiller } from './store.ts';
import { chargeFor, inForce, termsOf } from '../prices/price.ts';
import type { Fee } from '../prices/price.ts';
import {
  feePricesByBiller,
  listFeePrices,
  listOperatorPrices,
  operatorPricesByRoute,
} from '../prices/store.ts';
import type { FeePriceRow, OperatorPriceRow, WhichPrices } from '../prices/store.ts';

/** The prices as people read them. */

interface Wanted {
  readonly which: WhichPrices;
  /** Undefined: of every biller. */
  readonly billerCode: string | undefined;
}

const isOf =
  ({ billerCode }: Wanted) =>
  (row: { readonly billerCode: string }): boolean =>
    (billerCode ?? row.billerCode) === row.billerCode;

/** A fee, with the vendor that pays it; null: every vendor without one of its own. */
export type ListedFee = FeePriceRow & { readonly vid: string | null };

export async function readFees(db: Queryable, wanted: Wanted): Promise<ListedFee[]> {
  const rows = (await listFeePrices(db, wanted.which)).filter(isOf(wanted));
  const vids = await readVids(db);
  return rows.map((row) => ({
    ...row,
    vid: row.vendorId === null ? null : (vids.get(row.vendorId) ?? null),
  }));
}

export async function readOperatorPrices(
  db: Queryable,
  wanted: Wanted,
): Promise<OperatorPriceRow[]> {
  return (await listOperatorPrices(db, wanted.which)).filter(isOf(wanted));
}

/** The costs and gains of one operator for a payment. */
export interface OperatorQuote {
  readonly operatorCode: string;
  readonly costCents: bigint;
  readonly commissionCents: bigint;
  /** With the fee, without its VAT. */
  readonly marginCents: bigint;
}

export interface Quote extends Fee {
  /** Version of the fee; null: no fee is in force. */
  readonly feePrice: number | null;
  /** One quote for each operator that has a price. */
  readonly operators: readonly OperatorQuote[];
}

/** The cost of a payment now. Throws: `PlainError` if the biller does not exist. */
export async function quote(
  db: Queryable,
  {
    billerCode,
    ...payment
  }: {
    readonly billerCode: string;
    readonly vendorId: number | null;
    readonly amountCents: bigint;
  },
  nowMs: number,
): Promise<Quote> {
  if ((await findBiller(db, billerCode)) === undefined) {
    throw new PlainError(`Biller ${billerCode} does not exist.`);
  }
  const wanted = { which: 'recent', billerCode } as const;
  const fees = feePricesByBiller(await readFees(db, wanted));
  const charge = chargeFor(fees.get(billerCode) ?? new Map(), payment, nowMs);
  const routes = operatorPricesByRoute(await readOperatorPrices(db, wanted));
  const operators = [...routes.values()].flatMap((rows) => {
    const row = inForce(rows, nowMs);
    if (row === undefined) return [];
    const { costCents, commissionCents } = termsOf(row, payment.amountCents);
    const marginCents = charge.feeCents - charge.vatCents + commissionCents - costCents;
    return [{ operatorCode: row.operatorCode, costCents, commissionCents, marginCents }];
  });
  return { ...charge, operators };
}
