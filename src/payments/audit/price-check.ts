import type { Queryable } from '../../platform/db/pool.ts';
import { feeOf, feePriceFor, inForce } from '../prices/price.ts';
import type { FeePrices, Versioned } from '../prices/price.ts';
import {
  feePricesByBiller,
  listFeePrices,
  listOperatorPrices,
  operatorPricesByRoute,
} from '../prices/store.ts';
import type { FeePriceRow, OperatorPriceRow } from '../prices/store.ts';
import type { Violation } from './violation.ts';

export const PRICE_INVARIANTS = [
  {
    name: 'fees_by_price',
    says: 'Every payment has the fee and VAT of the price that was in force when it was created.',
  },
  {
    name: 'operator_price_in_force',
    says: 'Every payment that an operator executed has the operator’s price that was in force when it was sent.',
  },
];

const PAGE_ROWS = 5_000;
/** Tolerances for a process whose clock is ahead, and for one that has not yet read a new price. */
const AHEAD_MS = 60_000;
const BEHIND_MS = 600_000;

interface PricedRow {
  vendorId: number;
  paymentId: string;
  billerCode: string;
  operatorCode: string | null;
  createdAt: Date;
  /** Time of the attempt that gave the outcome; null: it was not in progress, or is archived. */
  sentAt: Date | null;
  isSuccess: boolean;
  amountCents: bigint;
  feeCents: bigint;
  vatCents: bigint;
  feePrice: number | null;
  operatorPrice: number | null;
}

/** Every price that ever existed, and whether the ledger was ever restored. */
interface PriceLists {
  readonly fees: ReadonlyMap<string, FeePrices>;
  readonly feeByVersion: ReadonlyMap<number, FeePriceRow>;
  readonly operators: ReadonlyMap<string, readonly OperatorPriceRow[]>;
  readonly operatorByVersion: ReadonlyMap<number, OperatorPriceRow>;
  readonly operatorBillers: ReadonlySet<string>;
  /** Then the ledger lacks the prices of instructions that it lost. */
  readonly wasRestored: boolean;
}

/** Compares the prices that payments recorded with the price lists. */
export async function checkPrices(
  db: Queryable,
  onInvariant?: (name: string) => void,
): Promise<Violation[]> {
  onInvariant?.('fees_by_price');
  const lists = await readLists(db);
  const billers = [...lists.fees.keys(), ...lists.operatorBillers];
  const violations: Violation[] = [];
  const buckets = await db.query<{ bucket: number }>('select bucket from buckets order by bucket');
  for (const { bucket } of buckets.rows) {
    await db.query(
      `declare priced no scroll cursor for
       select t.vendor_id as "vendorId", t.payment_id as "paymentId", t.biller_code as "billerCode",
         t.operator_code as "operatorCode", t.created_at as "createdAt", t.sent_at as "sentAt",
         t.outcome is not distinct from 'success' as "isSuccess", t.amount_cents as "amountCents",
         t.fee_cents as "feeCents", t.vat_cents as "vatCents", t.fee_price as "feePrice",
         t.operator_price as "operatorPrice"
       from (
         select vendor_id, payment_id, biller_code, operator_code, created_at, sent_at, outcome,
           amount_cents, fee_cents, vat_cents, fee_price, operator_price
         from payments where bucket = $1
         union all
         select vendor_id, payment_id, biller_code, operator_code, created_at, null, outcome,
           amount_cents, fee_cents, vat_cents, fee_price, operator_price
         from archived_payments where bucket = $1
       ) t
       where t.fee_cents > 0 or t.fee_price is not null or t.operator_price is not null
         or t.biller_code = any ($2)`,
      [bucket, billers],
    );
    for (;;) {
      const page = await db.query<PricedRow>(`fetch ${PAGE_ROWS} from priced`);
      violations.push(...page.rows.flatMap((row) => faultsOf(row, lists)));
      if (page.rows.length < PAGE_ROWS) break;
    }
    await db.query('close priced');
  }
  return violations;
}

async function readLists(db: Queryable): Promise<PriceLists> {
  const fees = await listFeePrices(db, 'all');
  const operators = await listOperatorPrices(db, 'all');
  const restored = await db.query<{ restored: boolean }>(
    'select exists (select from quarantines) as restored',
  );
  return {
    fees: feePricesByBiller(fees),
    feeByVersion: new Map(fees.map((row) => [row.version, row])),
    operators: operatorPricesByRoute(operators),
    operatorByVersion: new Map(operators.map((row) => [row.version, row])),
    operatorBillers: new Set(operators.map((row) => row.billerCode)),
    wasRestored: restored.rows[0]?.restored === true,
  };
}

function faultsOf(row: PricedRow, lists: PriceLists): Violation[] {
  const { vendorId, paymentId } = row;
  const found = [
    ['fees_by_price', feeFault(row, lists)],
    ['operator_price_in_force', operatorFault(row, lists)],
  ] as const;
  return found.flatMap(([invariant, fault]) =>
    fault === undefined ? [] : { invariant, vendorId, detail: `payment ${paymentId}: ${fault}` },
  );
}

const NO_PRICES: FeePrices = new Map();

function feeFault(row: PricedRow, lists: PriceLists): string | undefined {
  const { vendorId, feePrice, feeCents, vatCents } = row;
  const prices = lists.fees.get(row.billerCode) ?? NO_PRICES;
  const possible = versionsAround(
    row.createdAt,
    [...(prices.get(vendorId) ?? []), ...(prices.get(null) ?? [])],
    (atMs) => feePriceFor(prices, vendorId, atMs)?.version ?? null,
  );
  if (!possible.has(feePrice)) {
    return `its fee is from price ${feePrice ?? 'none'}, and ${listed(possible)} was in force`;
  }
  const price = feePrice === null ? undefined : lists.feeByVersion.get(feePrice);
  const fee = price === undefined ? { feeCents: 0n, vatCents: 0n } : feeOf(price, row.amountCents);
  if (fee.feeCents === feeCents && fee.vatCents === vatCents) return undefined;
  return `fee ${feeCents} with VAT ${vatCents}, price ${feePrice ?? 'none'} makes ${fee.feeCents} with ${fee.vatCents}`;
}

function operatorFault(row: PricedRow, lists: PriceLists): string | undefined {
  const { operatorPrice, operatorCode, billerCode, sentAt } = row;
  const route = `${billerCode} ${operatorCode ?? ''}`;
  if (operatorPrice !== null) {
    const price = lists.operatorByVersion.get(operatorPrice);
    if (`${price?.billerCode} ${price?.operatorCode}` !== route) {
      return `operator price ${operatorPrice} is not one of ${route}`;
    }
  }
  if (sentAt === null || !row.isSuccess) return undefined;
  if (operatorPrice === null && lists.wasRestored) return undefined;
  const prices = lists.operators.get(route) ?? [];
  const possible = versionsAround(sentAt, prices, (atMs) => inForce(prices, atMs)?.version ?? null);
  if (possible.has(operatorPrice)) return undefined;
  return `it has operator price ${operatorPrice ?? 'none'}, and ${listed(possible)} was in force`;
}

/** The versions that a process may have used at that time. */
function versionsAround(
  at: Date,
  prices: readonly Versioned[],
  versionAt: (atMs: number) => number | null,
): Set<number | null> {
  const [fromMs, toMs] = [at.getTime() - BEHIND_MS, at.getTime() + AHEAD_MS];
  const changes = prices
    .map(({ validFrom }) => validFrom.getTime())
    .filter((ms) => ms > fromMs && ms <= toMs);
  return new Set([fromMs, toMs, ...changes].map(versionAt));
}

function listed(versions: ReadonlySet<number | null>): string {
  return [...versions].map((version) => version ?? 'none').join(' or ');
}
