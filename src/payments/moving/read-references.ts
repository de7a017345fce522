import { readVids } from '../../parties/read-vendors.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { StatusKey, StatusRow } from '../create/status-store.ts';
import type { UsedReference } from './store.ts';

const USED = `select payment_id as "paymentId", created_at as "createdAt", outcome,
    biller_code as "billerCode", account, amount_cents as "amountCents",
    merchant_reference as "merchantReference"
  from used_references where bucket = bucket_of($1) and vendor_id = $1`;

type UsedRow = Omit<UsedReference, 'vendorId' | 'feeCents' | 'phone'>;

/**
 * The status of what the vendor created at the system that it came from; undefined if it used no such reference there.
 * Never unknown to the vendor: a client that was told so would pay under a new reference.
 */
export async function readUsedReference(
  db: Queryable,
  key: StatusKey,
): Promise<StatusRow | undefined> {
  const { vendorId } = key;
  const found =
    'paymentId' in key
      ? await db.query<UsedRow>(`${USED} and payment_id = $2`, [vendorId, key.paymentId])
      : await db.query<UsedRow>(`${USED} and merchant_reference = $2`, [
          vendorId,
          key.merchantReference,
        ]);
  const row = found.rows[0];
  if (row === undefined) return undefined;
  const { paymentId, createdAt, outcome, merchantReference } = row;
  return {
    ...{ paymentId, createdAt, outcome, merchantReference, underWay: outcome === null },
    ...{ billerCode: row.billerCode ?? '', account: row.account ?? '' },
    amountCents: row.amountCents ?? 0n,
    failureCode: outcome === 'failed' ? 'other' : null,
    ...{ billerResponseTime: null, billerReference: null, message: null, details: null },
  };
}

export interface Opening {
  vendorId: number;
  collectedCents: bigint;
  floatCents: bigint;
  hasReferences: boolean;
  valuedAt: Date;
}

const OPENINGS = `select vendor_id as "vendorId", collected_cents as "collectedCents", float_cents as "floatCents",
    has_references as "hasReferences", valued_at as "valuedAt"
  from vendor_openings`;

/** What the vendor brought; undefined: it did not come from another system. */
export async function findOpening(db: Queryable, vendorId: number): Promise<Opening | undefined> {
  return (await db.query<Opening>(`${OPENINGS} where vendor_id = $1`, [vendorId])).rows[0];
}

/** Vendors that came from another system, by vid. */
export async function listMoved(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const vids = await readVids(db);
  const read = await db.query<{ vendorId: number }>(
    'select vendor_id as "vendorId" from vendor_openings',
  );
  return new Map(read.rows.map(({ vendorId }) => [vids.get(vendorId) ?? '', vendorId]));
}

/** When a file was approved, and stored; undefined: two people did not decide about it. */
export async function findReferenceFile(
  db: Queryable,
  sha256: string,
): Promise<{ approvedAt: Date; doneAt: Date | null } | undefined> {
  const found = await db.query<{ approvedAt: Date; doneAt: Date | null }>(
    `select approved_at as "approvedAt", done_at as "doneAt" from reference_files where sha256 = $1`,
    [sha256],
  );
  return found.rows[0];
}

/**
 * Throws: `PlainError` while references that the vendor used before are not here: what it repeats would be paid twice.
 */
export async function requireReferences(db: Queryable, vendorId: number): Promise<void> {
  if ((await findOpening(db, vendorId))?.hasReferences !== true) return;
  const read = await db.query<{ isAllHere: boolean | null }>(
    `select bool_or(is_last) and bool_and(done_at is not null) as "isAllHere"
     from reference_files where $1 = any (vendor_ids)`,
    [vendorId],
  );
  if (read.rows[0]?.isAllHere === true) return;
  throw new PlainError(
    'The references that it used before are not all here, so what it repeats would be paid twice. Import them first (vendor propose-references, the last file with --last, then vendor import-references).',
  );
}
