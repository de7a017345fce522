import { crashPoint } from '#crash-points';
import { newId } from '../../platform/base/ids.ts';
import { bigintArray, integerArray, textArray, uuidArray } from '../../platform/db/arrays.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { byBucket } from '../../parties/by-bucket-store.ts';
import { addDetails } from '../cases/cases-store.ts';
import type { FinalReport, SettleResult } from '../create/payment.ts';
import { noteOwed, takeDetails } from './late-details-store.ts';

const SETTLE = `select row_number as "rowNumber", result from settle_payments(
  $1, $2::integer[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[],
  $9::jsonb[], $10::text[], $11::text[], $12::text[], $13::uuid)`;

/**
 * Posts final reports to the ledger (functions/settle_payments.sql), at most one per payment in a
 * batch, one call for each bucket. Locks: the vendors' float rows, then rows of the queue. Idempotent.
 */
export async function settlePayments(
  db: Queryable,
  reports: readonly FinalReport[],
): Promise<SettleResult[]> {
  return await byBucket(
    db,
    reports,
    async (bucket, group) => await settleInBucket(db, bucket, group),
  );
}

/** A transfer that a report would post. */
export interface Posting {
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountCents: bigint;
}

/**
 * Lists what a report would post now, by the functions that decide it and post it. Nothing, if it would not settle
 * its payment. Changes nothing.
 */
export async function readPostings(db: Queryable, report: FinalReport): Promise<Posting[]> {
  const { vendorId, paymentId, billerCode, outcome, paidCents, operatorCode } = report;
  const posted = await db.query<Posting>(
    `select debit_account as "debitAccount", credit_account as "creditAccount",
       amount_cents as "amountCents"
     from unnest(postings_of(decide_settlements(bucket_of($1), array[row(1, $1, $2, $3, $4, $5, null, null,
       null, null, 'person', $6)::final_report]))) order by leg`,
    [vendorId, paymentId, billerCode, outcome, paidCents, operatorCode],
  );
  return posted.rows;
}

async function settleInBucket(
  db: Queryable,
  bucket: number,
  reports: readonly FinalReport[],
): Promise<SettleResult[]> {
  // Before its payment is settled: a row that is missing would never be asked about.
  for (const report of reports) {
    if (report.detailsFollow === undefined) continue;
    await noteOwed(db, report);
    crashPoint('details:after-note');
  }
  const rest = await callSettle(db, bucket, reports);
  const results = reports.map((): SettleResult => 'settled');
  for (const row of rest) results[row.rowNumber - 1] = row.result;
  await addDetails(
    db,
    reports.filter((_, index) => results[index] === 'contradicted'),
  );
  for (const [index, report] of reports.entries()) {
    if (!isSaidByOperator(report)) continue;
    if (results[index] === 'repeated') await takeDetails(db, report);
    if (results[index] === 'no_payment') results[index] = await settleArchived(db, report);
  }
  return results;
}

/** An archived payment is found only here: details may still come. What else a report says of it is for people. */
async function settleArchived(db: Queryable, report: FinalReport): Promise<SettleResult> {
  const taken = await takeDetails(db, report);
  return taken === 'taken' || taken === 'known' ? 'repeated' : taken;
}

/** Statements have no details, and people decide cases. */
function isSaidByOperator({ outcome, source }: FinalReport): boolean {
  return outcome === 'success' && source !== 'statement' && source !== 'person';
}

interface NotSettledRow {
  rowNumber: number;
  result: Exclude<SettleResult, 'settled'>;
}

/** The reports that did not settle their payments now. */
async function callSettle(
  db: Queryable,
  bucket: number,
  reports: readonly FinalReport[],
): Promise<readonly NotSettledRow[]> {
  const hasDetails = reports.some((report) => report.details !== null);
  const hasFailed = reports.some((report) => report.failureCode !== null);
  const result = await db.query<NotSettledRow>({
    name: 'settle_payments',
    text: SETTLE,
    values: [
      bucket,
      integerArray(reports.map((report) => report.vendorId)),
      uuidArray(reports.map((report) => report.paymentId)),
      textArray(reports.map((report) => report.billerCode)),
      textArray(reports.map((report) => report.outcome)),
      bigintArray(reports.map((report) => report.paidCents)),
      textArray(reports.map((report) => report.billerReference)),
      textArray(reports.map((report) => report.message)),
      hasDetails
        ? reports.map(({ details }) => (details === null ? null : JSON.stringify(details)))
        : null,
      hasFailed ? textArray(reports.map((report) => report.failureCode)) : null,
      textArray(reports.map((report) => report.source)),
      textArray(reports.map((report) => report.operatorCode)),
      newId(),
    ],
  });
  return result.rows;
}
