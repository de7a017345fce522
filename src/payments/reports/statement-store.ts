import type { Queryable } from '../../platform/db/pool.ts';
import { listHouseTransfers } from '../house/store.ts';
import type { BookPeriod, HouseTransferRow } from '../house/store.ts';
import { isOwnTermsTransfer } from '../ledger/account.ts';
import { ENTRY } from './ledger-entries-store.ts';
import type { EntryCursor, EntryRow } from './ledger-entries-store.ts';

/** Which transfers of vendors' books. */
export interface TransferFilter {
  /** Null: of all vendors. */
  readonly vendorId: number | null;
  /** To or from one of these. Null: any. */
  readonly accounts: readonly string[] | null;
  /** With what operators charge and give us. */
  readonly withOwnTerms: boolean;
}

/** On `transfers f`, by the parameters $1 to $5. */
const MATCHES = `f.created_at >= $1::timestamptz and f.created_at < $2
  and ($3::integer is null or (f.bucket = bucket_of($3) and f.vendor_id = $3))
  and ($4::text[] is null or f.debit_account = any ($4) or f.credit_account = any ($4))
  and ($5::boolean or not ${isOwnTermsTransfer('f')})`;

/** Transfers of a span of time, oldest first. */
export async function listTransfersOfSpan(
  db: Queryable,
  filter: TransferFilter,
  span: { readonly from: EntryCursor; readonly to: Date; readonly limit: number },
): Promise<EntryRow[]> {
  const { from, to, limit } = span;
  const listed = await db.query<EntryRow>(
    `${ENTRY}
     where ${MATCHES}
       and (f.created_at, f.vendor_id, f.source_id, f.leg)
         > ($1::timestamptz, $6::integer, $7::uuid, $8::integer)
     order by f.created_at, f.vendor_id, f.source_id, f.leg limit $9`,
    [
      from.createdAt,
      to,
      filter.vendorId,
      filter.accounts,
      filter.withOwnTerms,
      from.vendorId,
      from.sourceId,
      from.leg,
      limit,
    ],
  );
  return listed.rows;
}

/** Read at once. */
const HOUSE_ROWS = 1000;

/** All transfers of an account of the house in a period, oldest first. */
export async function listHousePeriod(
  db: Queryable,
  account: string,
  period: BookPeriod,
): Promise<HouseTransferRow[]> {
  const rows: HouseTransferRow[] = [];
  for (let before: HouseTransferRow | null = null; ;) {
    const filter = { account, period, before, limit: HOUSE_ROWS };
    const some: HouseTransferRow[] = await listHouseTransfers(db, filter);
    rows.push(...some);
    before = some.at(-1) ?? null;
    if (some.length < HOUSE_ROWS) return rows.toReversed();
  }
}
