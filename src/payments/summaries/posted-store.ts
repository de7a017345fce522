import type { Queryable } from '../../platform/db/pool.ts';
import type { BookPeriod } from '../house/store.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';
import { splitByHours } from '../ledger/sums.ts';
import { WITH_PAYMENTS } from '../ledger/sums-store.ts';
import type { SummaryDimension } from './dimensions.ts';
import type { Posted } from './summary.ts';

/** What was posted between two accounts of vendors. */
export type PostedPair = Omit<Posted, 'books' | 'day'>;

const PAIRS = `
  select case when $3::boolean then nullif(f.vendor_id, 0) end as "vendorId",
    case when $4::boolean then coalesce(p.biller_code, a.biller_code) end as "billerCode",
    case when $5::boolean then coalesce(p.operator_code, a.operator_code) end as "operatorCode",
    f.debit_account as "debitAccount", f.credit_account as "creditAccount",
    sum(f.amount_cents)::bigint as "amountCents"
  from ${WITH_PAYMENTS}
  where f.created_at >= $1 and f.created_at < $2
  group by 1, 2, 3, 4, 5`;

const SUMMED = `
  select null::integer as "vendorId",
    case when $3::boolean then nullif(s.biller_code, '') end as "billerCode",
    case when $4::boolean then nullif(s.operator_code, '') end as "operatorCode",
    s.debit_account as "debitAccount", s.credit_account as "creditAccount",
    sum(s.amount_cents)::bigint as "amountCents"
  from transfer_hours s where s.hour >= $1 and s.hour < $2
  group by 1, 2, 3, 4, 5`;

/** What was posted to vendors' accounts in a period, from sums by hour where these say enough. */
export async function readPosted(
  db: Queryable,
  period: BookPeriod,
  dimensions: readonly SummaryDimension[],
): Promise<PostedPair[]> {
  const [vendor, biller, operator] = (['vendor', 'biller', 'operator'] as const).map((name) =>
    dimensions.includes(name),
  );
  const transfers = async ({ from, to }: { from: Date | null; to: Date | null }) =>
    await queryByBucket<PostedPair>(db, PAIRS, [from, to, vendor, biller, operator]);
  if (vendor === true) return await transfers(period);
  const found: PostedPair[] = [];
  for (const { source, from, to } of await splitByHours(db, period)) {
    if (source === 'transfers') found.push(...(await transfers({ from, to })));
    else found.push(...(await db.query<PostedPair>(SUMMED, [from, to, biller, operator])).rows);
  }
  return found;
}
