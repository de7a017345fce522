import type { Queryable } from '../../platform/db/pool.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { openCase, setResolved } from '../cases/cases-store.ts';
import { listCasesAbout } from '../cases/read-cases.ts';
import type { ProposedResolution } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import type { FinalReport } from '../create/payment.ts';
import { recallInstructions } from '../dispatch/recall-store.ts';
import { announceCorrection } from '../events/store.ts';
import { postTransfer } from '../ledger/store.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { settlePayments } from '../settle/store.ts';
import { insertCorrection, setCorrectedOutcome } from './corrections-store.ts';
import { readPayments } from '../reconciliation/store.ts';
import { givenCents } from './facts.ts';
import type { Unclaimed } from './left-to-correct.ts';
import { readLostPayment } from './read-lost-payment.ts';
import { restCase, unclaimedOf } from './rest-case.ts';
import { openExposure, openRest } from './exposure-cases.ts';
import type { Plan, Situation } from './resolutions.ts';

/** A resolution that two people decided. */
export interface Decided {
  readonly row: CaseRow;
  readonly payment: Situation['payment'];
  readonly proposal: ProposedResolution;
  readonly plan: Plan;
  readonly proposedBy: string;
  readonly approvedBy: string;
}

/** Settles the payment, or posts correcting transfers, and resolves the case, in the caller's database transaction. */
export async function carryOut(db: Queryable, mac: Mac, decided: Decided): Promise<void> {
  const { row, proposal, plan, proposedBy, approvedBy } = decided;
  if (plan.kind === 'settle') await settleByHand(db, decided, plan);
  const isWhole = plan.kind === 'correct' && givenCents(proposal) === undefined;
  const was = isWhole ? await readUnclaimed(db, decided) : undefined;
  const correctionId = newId();
  if (plan.kind === 'correct') await correct(db, mac, decided, { ...plan, correctionId });
  const { resolution } = proposal;
  await setResolved(db, row, { resolution, proposedBy, resolvedBy: approvedBy });
  if (plan.kind === 'correct') await openRest(db, row, plan.restCents ?? 0n);
  const is = was && (await readUnclaimed(db, decided));
  const rest = is && restCase(row, was, is, correctionId);
  if (rest) await openCase(db, rest);
}

/** Undefined if the case is about no payment. */
async function readUnclaimed(db: Queryable, { row }: Decided): Promise<Unclaimed | undefined> {
  const { vendorId, paymentId, operatorCode } = row;
  if (paymentId === null || operatorCode === null) return undefined;
  const [known] = await readPayments(db, operatorCode, [{ vendorId, paymentId }], true);
  const payment = known ?? (await readLostPayment(db, row));
  if (payment === null) return undefined;
  const open = (await listCasesAbout(db, vendorId, paymentId)).filter(
    (one) => one.resolvedAt === null && one.operatorCode === operatorCode,
  );
  return unclaimedOf(row, payment, open);
}

async function settleByHand(
  db: Queryable,
  { row, payment, proposal }: Decided,
  plan: Extract<Plan, { kind: 'settle' }>,
): Promise<void> {
  if (payment === null) throw new Error('a report about no payment');
  if (plan.outcome === 'success') await recallInstructions(db, [payment], row.operatorCode);
  const [result] = await settlePayments(db, [reportOf({ row, payment, proposal }, plan)]);
  if (result === 'settled') return;
  throw new PlainError('The payment has been settled in the meantime. Reject this proposal.');
}

/** The report by which two people settle a payment in the operator's place. */
export function reportOf(
  {
    row,
    payment,
    proposal,
  }: Pick<Decided, 'row' | 'proposal'> & { payment: NonNullable<Decided['payment']> },
  plan: Extract<Plan, { kind: 'settle' }>,
): FinalReport {
  const { vendorId, paymentId, billerCode } = payment;
  const wasPaid = plan.outcome === 'success';
  return {
    vendorId,
    paymentId,
    billerCode,
    outcome: plan.outcome,
    paidCents: plan.paidCents,
    billerReference: wasPaid ? proposal.operator_reference : null,
    message: proposal.message ?? (wasPaid ? 'Paid' : 'Not executed by the operator'),
    details: wasPaid ? proposal.details : null,
    failureCode: wasPaid ? null : 'corrected',
    source: 'person',
    // A contradiction is about the operator that reported it, which may not have the instruction.
    operatorCode: row.kind === 'contradiction' ? row.operatorCode : null,
  };
}

async function correct(
  db: Queryable,
  mac: Mac,
  { row, proposal, proposedBy, approvedBy }: Decided,
  plan: Extract<Plan, { kind: 'correct' }> & { readonly correctionId: string },
): Promise<void> {
  const { correctionId } = plan;
  const [first] = plan.transfers;
  if (first === undefined) throw new Error('a correction without a transfer');
  const { vendorId } = first;
  const postedAt = await postingTime(db);
  for (const [index, transfer] of plan.transfers.entries()) {
    // 8 and 9 are a payment’s cost and commission.
    const leg = index < 7 ? index + 1 : index + 3;
    await postTransfer(db, { ...transfer, sourceId: correctionId, leg, createdAt: postedAt });
  }
  const outcomeAfter = plan.outcomeAfter;
  await insertCorrection(db, mac, {
    vendorId,
    correctionId,
    caseId: row.caseId,
    paymentId: row.paymentId,
    resolution: proposal.resolution,
    amountCents: plan.transfers.reduce((sum, transfer) => sum + transfer.amountCents, 0n),
    postedAt,
    outcomeBefore: outcomeAfter === null ? null : outcomeAfter === 'success' ? 'failed' : 'success',
    outcomeAfter,
    proposedBy,
    approvedBy,
  });
  if (outcomeAfter !== null && row.paymentId !== null) {
    await setCorrectedOutcome(db, {
      vendorId,
      correctionId,
      ...toldAfter(row, proposal, outcomeAfter),
    });
    await announceCorrection(db, {
      vendorId,
      paymentId: row.paymentId,
      correctionId,
      postedAt,
    });
  }
  await openExposure(db, row, correctionId, plan.transfers);
}

/** The reference, message and details that a corrected payment's status shows. */
function toldAfter(
  { facts }: CaseRow,
  proposal: ProposedResolution,
  outcome: 'success' | 'failed',
): Pick<Parameters<typeof setCorrectedOutcome>[1], 'billerReference' | 'message' | 'details'> {
  if (outcome === 'failed') {
    const message =
      proposal.message ?? 'Not paid by the operator after all; the amount was returned';
    return { billerReference: null, message, details: null };
  }
  const reported = facts['biller_reference'] ?? facts['operator_reference'];
  return {
    billerReference:
      proposal.operator_reference ?? (typeof reported === 'string' ? reported : null),
    message: proposal.message ?? 'Paid after all, as the operator says; the amount was charged',
    details: proposal.details ?? detailsOf(facts['details']),
  };
}

function detailsOf(value: unknown): Readonly<Record<string, string>> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, string>) : null;
}
