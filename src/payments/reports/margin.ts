import { readVids } from '../../parties/read-vendors.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { adderOf } from '../../platform/base/sums.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';
import { readPairsByVendor, splitByHours } from '../ledger/sums.ts';
import { isOwnTermsAccount } from '../ledger/account.ts';
import { takeYourTime } from '../ledger/sums-store.ts';
import type { Dimension } from './dimensions.ts';
import { readCorrectedPayments, readMarginPairs, readSummedMarginPairs } from './margin-store.ts';
import type { MarginKey, MarginPair, MarginPeriod } from './margin-store.ts';

/** All in cents, and corrections included. */
export interface MarginSums {
  /** Payments that succeeded, less those that corrections made fail. */
  readonly payments: number;
  /** Amount paid to operators for vendors. */
  readonly amountCents: bigint;
  /** Without VAT. */
  readonly feesCents: bigint;
  readonly vatCents: bigint;
  readonly costCents: bigint;
  readonly commissionCents: bigint;
}

export interface MarginRow extends MarginSums, MarginKey {}

export interface MarginReport {
  /** In the order of day, vendor, biller and operator. */
  readonly rows: readonly (MarginRow & { readonly vid: string | null })[];
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

const add = adderOf(NOTHING);

/** Our margin. VAT is not ours, so it is not part of it. */
export function marginOf({ feesCents, costCents, commissionCents }: MarginSums): bigint {
  return feesCents + commissionCents - costCents;
}

type WholePeriod = BookPeriod & Pick<MarginPeriod, 'timeZone'>;

/** Fees, costs and commissions of a period, over one snapshot. */
export async function reportMargin(
  pool: Pool,
  period: WholePeriod,
  by: ReadonlySet<Dimension>,
): Promise<MarginReport> {
  const read = await snapshot(pool, async (client) => {
    await takeYourTime(client);
    const corrected = await readCorrectedPayments(client, period, by);
    return [
      ...corrected.map((row) => ({ ...NOTHING, ...row })),
      ...(await readAllPairs(client, period, by)).flatMap((pair) => marginsOf(pair, by)),
    ];
  });
  const vids = by.has('vendor') ? await readVids(pool) : undefined;
  // A biller has rows of several buckets, times and pairs of accounts.
  const rows = new Map<string, MarginRow>();
  for (const row of read) {
    const known = rows.get(nameOf(row));
    rows.set(nameOf(row), known === undefined ? row : { ...row, ...add(known, row) });
  }
  return {
    rows: [...rows.values()]
      .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      .map((row) => ({ ...row, vid: vids?.get(row.vendorId ?? 0) ?? null })),
    total: read.reduce(add, NOTHING),
  };
}

/** From the sums, as far as they have what is asked for. */
async function readAllPairs(
  db: Queryable,
  period: WholePeriod,
  by: ReadonlySet<Dimension>,
): Promise<MarginPair[]> {
  if (by.has('vendor')) {
    if (by.size > 1) return await readMarginPairs(db, period, by);
    const pairs = await readPairsByVendor(db, period, null);
    return pairs
      .filter(({ vendorId }) => vendorId !== 0)
      .map((pair) => ({ day: null, billerCode: null, operatorCode: null, ...pair }));
  }
  if (by.has('day') && !hasWholeHours(period)) return await readMarginPairs(db, period, by);
  const { timeZone } = period;
  const pairs: MarginPair[] = [];
  for (const { source, ...part } of await splitByHours(db, period)) {
    const read = source === 'transfers' ? readMarginPairs : readSummedMarginPairs;
    pairs.push(...(await read(db, { ...part, timeZone }, by)));
  }
  return pairs;
}

/** No zone has another offset for less than this. */
const STEP_MS = 30 * DAY_MS;
/** The ledger has nothing older. */
const OLDEST_MS = Date.UTC(2020);

/** True if days begin on an hour of UTC throughout the period: an offset may change by half an hour. */
function hasWholeHours({ from, to, timeZone }: WholePeriod): boolean {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const endMs = Math.min(Number(to), Date.now());
  for (let at = Math.max(Number(from), OLDEST_MS); at < endMs + STEP_MS; at += STEP_MS) {
    const parts = format.formatToParts(Math.min(at, endMs));
    const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    if (/:(?!00)/.test(offset)) return false;
  }
  return true;
}

/** Attributes a transfer between two accounts to the margin: at most one row for each side. Pure. */
function marginsOf(pair: MarginPair, by: ReadonlySet<Dimension>): MarginRow[] {
  const { debitAccount: debit, creditAccount: credit, amountCents: cents } = pair;
  return [...sideOf(pair, debit, credit, -cents), ...sideOf(pair, credit, debit, cents)].map(
    (row) => (by.has('operator') ? row : { ...row, operatorCode: null }),
  );
}

/** Fees belong to the operator that executed the payment, everything else to the one it is from. */
function sideOf(pair: MarginPair, account: string, other: string, change: bigint): MarginRow[] {
  const { day, vendorId, billerCode, operatorCode, payments } = pair;
  const [kind, code = operatorCode] = account.split(':');
  const row = { ...NOTHING, day, vendorId, billerCode, operatorCode: code };
  if (kind === 'fees') return [{ ...row, feesCents: change }];
  if (kind === 'vat' || kind === 'excise') return [{ ...row, vatCents: change }];
  if (kind === 'cost') return [{ ...row, costCents: -change }];
  if (kind === 'commission') return [{ ...row, commissionCents: change }];
  if (kind !== 'operator' || isOwnTermsAccount(other)) return [];
  return [{ ...row, payments: change > 0n ? payments : 0, amountCents: change }];
}

function nameOf(row: MarginRow): string {
  const vendor = String(row.vendorId ?? '').padStart(10, '0');
  return [row.day, vendor, row.billerCode, row.operatorCode].join(' ');
}
