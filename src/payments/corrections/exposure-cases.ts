import type { Queryable } from '../../platform/db/pool.ts';
import { openCase } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import type { PlannedTransfer } from './charges.ts';

/** The amount that the vendor now owes is a case of its own, so that somebody collects it. */
export async function openExposure(
  db: Queryable,
  row: CaseRow,
  correctionId: string,
  transfers: readonly PlannedTransfer[],
): Promise<void> {
  const owedCents = transfers
    .filter((transfer) => transfer.debitAccount === 'exposure')
    .reduce((sum, transfer) => sum + transfer.amountCents, 0n);
  if (owedCents === 0n) return;
  await openCase(db, {
    vendorId: row.vendorId,
    paymentId: row.paymentId,
    kind: 'exposure',
    evidenceId: correctionId,
    operatorCode: row.operatorCode,
    facts: { source: 'correction', owed_cents: Number(owedCents), case_id: row.caseId },
  });
}

/** Opens a case for the rest of a debt. Resolve the former case first: a debt has one open case. */
export async function openRest(db: Queryable, row: CaseRow, restCents: bigint): Promise<void> {
  if (restCents === 0n) return;
  const facts = { ...row.facts, owed_cents: Number(restCents), rest_of_case: row.caseId };
  if ((await openCase(db, { ...row, facts })) !== undefined) return;
  throw new Error(`case ${row.caseId}: a case about the same debt is open`);
}
