import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { HOUSE } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { correctionText } from '../ledger/authenticity.ts';
import type { CorrectionContent } from '../ledger/authenticity.ts';
import { settledHash } from '../ledger/entries.ts';
import type { Outcome } from '../create/payment.ts';
import { NO_OTHER_TERMS } from './charges.ts';
import type { OtherTerms, PlannedTransfer } from './charges.ts';

/** `correctionId` is the source of its transfers, `amountCents` their sum. */
export interface Correction extends CorrectionContent {
  readonly outcomeBefore: Outcome | null;
  readonly outcomeAfter: Outcome | null;
}

/** Also stores a hash of the outcome that it replaces, so call it before `setCorrectedOutcome`. */
export async function insertCorrection(
  db: Queryable,
  mac: Mac,
  correction: Correction,
): Promise<void> {
  const replaced = correction.outcomeAfter === null ? null : await readSettledHash(db, correction);
  await db.query(
    `insert into corrections (bucket, vendor_id, correction_id, case_id, payment_id, resolution,
       amount_cents, posted_at, outcome_before, outcome_after, settled_before, mac)
     values (bucket_of($1), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      correction.vendorId,
      correction.correctionId,
      correction.caseId,
      correction.paymentId,
      correction.resolution,
      correction.amountCents,
      correction.postedAt,
      correction.outcomeBefore,
      correction.outcomeAfter,
      replaced,
      mac.sign(correctionText(correction)),
    ],
  );
}

async function readSettledHash(
  db: Queryable,
  payment: Pick<Correction, 'vendorId' | 'paymentId'>,
): Promise<Buffer | null> {
  const read = await db.query<{ hash: Buffer }>(
    `select ${settledHash('t')} as hash from payments t
     where t.bucket = bucket_of($1) and t.vendor_id = $1 and t.payment_id = $2`,
    [payment.vendorId, payment.paymentId],
  );
  return read.rows[0]?.hash ?? null;
}

/** The outcome that the vendor sees from now on for a corrected payment. */
export async function setCorrectedOutcome(
  db: Queryable,
  corrected: {
    readonly vendorId: number;
    /** Inserted earlier, with the outcomes before and after. */
    readonly correctionId: string;
    readonly billerReference: string | null;
    readonly message: string;
    readonly details: Readonly<Record<string, string>> | null;
  },
): Promise<void> {
  const set = await db.query<{ corrected: boolean }>(
    'select set_corrected_outcome(bucket_of($1), $1, $2, $3, $4, $5) as corrected',
    [
      corrected.vendorId,
      corrected.correctionId,
      corrected.billerReference,
      corrected.message,
      corrected.details === null ? null : JSON.stringify(corrected.details),
    ],
  );
  if (set.rows[0]?.corrected !== true) {
    throw new Error(`correction ${corrected.correctionId} does not fit its payment`);
  }
}

/** The case by which the vendor was charged for this payment; undefined if it was not. */
export async function findChargeOf(
  db: Queryable,
  payment: { readonly vendorId: number; readonly paymentId: string },
): Promise<string | undefined> {
  const found = await db.query<{ caseId: string }>(
    `select case_id as "caseId" from corrections
     where bucket = bucket_of($1) and vendor_id = $1 and payment_id = $2
       and resolution = 'charge_vendor' limit 1`,
    [payment.vendorId, payment.paymentId],
  );
  return found.rows[0]?.caseId;
}

/** The operator's charge and the commission it netted, as posted for the payment. */
export async function readPostedTerms(
  db: Queryable,
  payment: { readonly vendorId: number; readonly paymentId: string },
  operatorCode: string,
): Promise<OtherTerms> {
  const read = await db.query<OtherTerms>(
    `select coalesce(sum(case 'cost:' || $3 when f.debit_account then f.amount_cents
         when f.credit_account then -f.amount_cents end), 0)::bigint as "costCents",
       coalesce(sum(case 'commission:' || $3 when f.credit_account then f.amount_cents
         when f.debit_account then -f.amount_cents end), 0)::bigint as "commissionCents"
     from transfers f
     where f.bucket = bucket_of($1) and f.vendor_id = $1 and 'operator:' || $3 in (f.debit_account, f.credit_account)
       and f.source_id in (select $2::uuid union all select c.correction_id from corrections c
         where c.bucket = bucket_of($1) and c.vendor_id = $1 and c.payment_id = $2)`,
    [payment.vendorId, payment.paymentId, operatorCode],
  );
  return read.rows[0] ?? NO_OTHER_TERMS;
}

/** The sum of what corrections on our own accounts posted for these cases. */
export async function readCorrectedCents(
  db: Queryable,
  caseIds: readonly string[],
): Promise<bigint> {
  if (caseIds.length === 0) return 0n;
  const read = await db.query<{ cents: bigint }>(
    `select coalesce(sum(amount_cents), 0)::bigint as cents from corrections
     where bucket = bucket_of($1) and vendor_id = $1 and case_id = any ($2)`,
    [HOUSE, caseIds],
  );
  return read.rows[0]?.cents ?? 0n;
}

/** Sums the transfers of corrections on the vendor's accounts for this payment, by pair of accounts. */
export async function listPostedFor(
  db: Queryable,
  payment: { readonly vendorId: number; readonly paymentId: string },
): Promise<PlannedTransfer[]> {
  const listed = await db.query<PlannedTransfer>(
    `select f.vendor_id as "vendorId", f.debit_account as "debitAccount",
       f.credit_account as "creditAccount", sum(f.amount_cents)::bigint as "amountCents"
     from corrections c join transfers f
       on f.bucket = c.bucket and f.vendor_id = c.vendor_id and f.source_id = c.correction_id
     where c.bucket = bucket_of($1) and c.vendor_id = $1 and c.payment_id = $2
     group by f.vendor_id, f.debit_account, f.credit_account
     order by f.debit_account, f.credit_account`,
    [payment.vendorId, payment.paymentId],
  );
  return listed.rows;
}

/**
 * True if the case has posted a correction, to its vendor's accounts or to our own. The runtime role
 * cannot remove one, as it can remove the resolution of a case.
 */
export async function hasCorrection(
  db: Queryable,
  { vendorId, caseId }: Pick<CaseRow, 'vendorId' | 'caseId'>,
): Promise<boolean> {
  for (const owner of new Set([vendorId, HOUSE])) {
    const found = await db.query(
      `select from corrections
       where bucket = bucket_of($1) and vendor_id = $1 and case_id = $2 limit 1`,
      [owner, caseId],
    );
    if (found.rowCount === 1) return true;
  }
  return false;
}
