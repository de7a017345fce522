import { readVids } from '../../parties/read-vendors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { StatusKey, StatusRow } from '../create/status-store.ts';
import { referenceFileEndText, referenceFileText } from '../ledger/authenticity.ts';
import type { ReferenceFileContent } from '../ledger/authenticity.ts';
import type { UsedReference } from './store.ts';

type UsedRow = Omit<UsedReference, 'vendorId' | 'feeCents' | 'phone'>;

const USED = `select payment_id as "paymentId", created_at as "createdAt", outcome,
    biller_code as "billerCode", account, amount_cents as "amountCents",
    merchant_reference as "merchantReference"
  from used_references where bucket = bucket_of($1) and vendor_id = $1`;

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

interface FileRow extends ReferenceFileContent {
  readonly mac: Buffer;
  /** Null: not all of its lines are stored. */
  readonly endedAt: Date | null;
  readonly endMac: Buffer | null;
}

/** Files that two people approved through the service, whatever else is in the database. */
async function listReferenceFiles(
  { db, ledgerMac }: { readonly db: Queryable; readonly ledgerMac: Mac },
  of: { readonly sha256?: string; readonly vendorId?: number },
): Promise<
  (Pick<ReferenceFileContent, 'proposalId' | 'isLast'> & { readonly isStored: boolean })[]
> {
  const found = await db.query<FileRow>(
    `select f.proposal_id as "proposalId", f.sha256, f.is_last as "isLast", f.vendor_ids as "vendorIds",
       f.approved_at as "approvedAt", f.mac, e.ended_at as "endedAt", e.mac as "endMac"
     from reference_files f left join reference_file_ends e using (proposal_id)
     where ($1::text is null or f.sha256 = $1) and ($2::integer is null or $2 = any (f.vendor_ids))`,
    [of.sha256 ?? null, of.vendorId ?? null],
  );
  return found.rows
    .filter((row) => ledgerMac.verify(referenceFileText(row), row.mac))
    .map(({ proposalId, isLast, endedAt, endMac }) => ({
      ...{ proposalId, isLast },
      isStored:
        endedAt !== null && ledgerMac.verify(referenceFileEndText({ proposalId, endedAt }), endMac),
    }));
}

/** The proposal by which two people approved a file; undefined: they did not. */
export async function findReferenceFile(
  db: Queryable,
  ledgerMac: Mac,
  sha256: string,
): Promise<{ readonly proposalId: string } | undefined> {
  const [found] = await listReferenceFiles({ db, ledgerMac }, { sha256 });
  return found;
}

/**
 * Throws: `PlainError` while references that the vendor used before are not here: what it repeats would be paid twice.
 */
export async function requireReferences(
  db: Queryable,
  ledgerMac: Mac,
  vendorId: number,
): Promise<void> {
  if ((await findOpening(db, vendorId))?.hasReferences !== true) return;
  const files = await listReferenceFiles({ db, ledgerMac }, { vendorId });
  const hasLast = files.some(({ isLast }) => isLast);
  if (hasLast && files.every(({ isStored }) => isStored)) return;
  throw new PlainError(
    'The references that it used before are not all here, so what it repeats would be paid twice. Import them first (vendor propose-references, the last file with --last, then vendor import-references).',
  );
}
