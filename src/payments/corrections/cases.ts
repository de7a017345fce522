import { hash } from 'node:crypto';
import { encodeReference, newId } from '../../platform/base/ids.ts';
import { isSamePerson, requirePerson } from '../../platform/base/person.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { jsonText, requireUnaltered } from '../../platform/base/proposal.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import { lockOperator } from '../billers/store.ts';
import { announceCorrection } from '../events/store.ts';
import { caseProposalText } from '../ledger/authenticity.ts';
import {
  ensureAccounts,
  lockFloat,
  postingTime,
  postTransfer,
  readBalance,
} from '../ledger/store.ts';
import { settlePayments } from '../settle/store.ts';
import type { FinalReport } from '../create/payment.ts';
import {
  findCase,
  HOUSE,
  insertCaseEvent,
  lockCase,
  setProposal,
  setResolved,
  withdrawProposal,
} from '../cases/cases-store.ts';
import type { CaseRow, Proposal, RecordedProposal } from '../cases/cases-store.ts';
import { readKeptReceipts } from '../cases/kept-receipts-store.ts';
import { readRecordedPrices } from '../create/store.ts';
import { findOperatorPrice } from '../prices/store.ts';
import { openExposure, openRest } from './exposure-cases.ts';
import { insertCorrection, readOtherTerms, setCorrectedOutcome } from './corrections-store.ts';
import { readLostPayment } from './read-lost-payment.ts';
import { effectOf, planLines } from './plan-lines.ts';
import { planResolution } from './resolutions.ts';
import { requireSameInstruction } from './same-instruction.ts';
import { requireNotPosted } from './same-reference.ts';
import type { HouseBalances } from './house-transfer.ts';
import type { Plan, Situation } from './resolutions.ts';
import { readPayments } from '../reconciliation/store.ts';
import { recallInstructions } from '../dispatch/recall-store.ts';

/** Throws: `PlainError` if the case does not exist, or is resolved. */
async function lockOpenCase(db: Queryable, caseId: string): Promise<CaseRow> {
  const row = await lockCase(db, caseId);
  if (row === undefined) throw new PlainError('This case does not exist.');
  if (row.resolvedAt === null) return row;
  throw new PlainError(`The case is resolved (${row.resolution}, by ${row.resolvedBy}).`);
}

/**
 * Proposes how to resolve a case, replacing an earlier proposal. The postings are planned at once,
 * so that a proposal that cannot be carried out is refused here. Its authentication code covers all
 * of it.
 * Throws: `PlainError` with the problem.
 */
export async function proposeResolution(
  { pool, ledgerMac }: { readonly pool: Pool; readonly ledgerMac: Mac },
  request: { readonly caseId: string; readonly by: string; readonly proposal: Proposal },
): Promise<{ readonly row: CaseRow; readonly plan: Plan }> {
  const by = requirePerson(request.by);
  const { proposal } = request;
  return await databaseTransaction(pool, async (client) => {
    const row = await lockOpenCase(client, request.caseId);
    const situation = await readSituation(client, row);
    const plan = planResolution(situation, proposal);
    await requireSameInstruction(client, situation, { plan, proposedAt: null });
    await requireNotPosted(client, row, plan);
    const recorded = { ...proposal, effect: effectOf(plan), facts_hash: hashOf(row.facts) };
    const proposedAt = await postingTime(client);
    const made = { proposal: recorded, proposalId: newId(), proposedBy: by, proposedAt };
    const proposalMac = ledgerMac.sign(caseProposalText({ ...row, ...made }));
    await setProposal(client, row, { ...made, proposalMac });
    await insertCaseEvent(client, row, { action: 'proposed', actor: by, detail: recorded });
    return { row: (await findCase(client, row.caseId)) ?? row, plan };
  });
}

/** SHA-256 of a case's facts, hexadecimal. */
function hashOf(facts: CaseRow['facts']): string {
  return hash('sha256', jsonText(facts));
}

/** Shown if the authentication code of a proposal was not verified. */
export const NOT_VERIFIED =
  'Not verified: without the right MASTER_KEY it is not known whether the proposal was changed in the database.';

/**
 * The postings that approving the case's proposal would make now, one line each; empty without an
 * open proposal.
 * @param mac undefined: the authentication code of the proposal is not verified, and the first line says so.
 */
export async function previewResolution(
  db: Queryable,
  row: CaseRow,
  mac: Mac | undefined,
): Promise<string[]> {
  if (row.proposal === null || row.resolvedAt !== null) return [];
  try {
    if (mac !== undefined) requireCurrent(mac, row, row.proposal);
    const situation = await readSituation(db, row);
    const plan = planResolution(situation, row.proposal);
    await requireSameInstruction(db, situation, { plan, proposedAt: row.proposedAt });
    const lines = planLines(plan);
    return mac === undefined ? [NOT_VERIFIED, ...lines] : lines;
  } catch (error) {
    if (error instanceof PlainError) return [`it can no longer be carried out: ${error.message}`];
    throw error;
  }
}

/**
 * Withdraws a proposal; anybody may.
 * Throws: `PlainError` if there is no proposal, or not the one that the person names.
 */
export async function rejectProposal(
  pool: Pool,
  request: {
    readonly caseId: string;
    /** The proposal that the person has seen. Absent: the current one. */
    readonly proposalId?: string | undefined;
    readonly by: string;
    readonly note: string;
  },
): Promise<CaseRow> {
  const by = requirePerson(request.by);
  return await databaseTransaction(pool, async (client) => {
    const row = await lockOpenCase(client, request.caseId);
    if (row.proposal === null) throw new PlainError('This case has no proposal.');
    const { proposalId = row.proposalId } = request;
    if (row.proposalId !== proposalId) throw otherProposal(row, row.proposal);
    await withdrawProposal(client, row);
    const detail = { note: request.note, rejected: row.proposal };
    await insertCaseEvent(client, row, { action: 'rejected', actor: by, detail });
    return (await findCase(client, row.caseId)) ?? row;
  });
}

/**
 * Carries out another person's proposal, in one commit: settles the payment, or posts correcting
 * transfers, and resolves the case.
 * Throws: `PlainError` if the approver is the proposer, the proposal is not the one that the approver
 * names, it was changed in the database, it would not post any more what it would have posted when
 * it was made, or the payment was sent again since.
 */
export async function approveResolution(
  deps: { readonly pool: Pool; readonly ledgerMac: Mac },
  request: {
    readonly caseId: string;
    /** The proposal that the approver has seen. */
    readonly proposalId: string;
    readonly by: string;
  },
): Promise<{ readonly row: CaseRow; readonly plan: Plan }> {
  const by = requirePerson(request.by);
  return await databaseTransaction(deps.pool, async (client) => {
    await lockForApproval(client, request.caseId);
    const row = await lockOpenCase(client, request.caseId);
    const proposal = requireApprovable(row, { ...request, by });
    requireCurrent(deps.ledgerMac, row, proposal);
    const situation = await readSituation(client, row);
    const plan = planResolution(situation, proposal);
    requireSameEffect(proposal.effect, effectOf(plan));
    await requireSameInstruction(client, situation, { plan, proposedAt: row.proposedAt });
    await requireNotPosted(client, row, plan);
    if (plan.kind === 'settle') await settleByHand(client, situation, proposal, plan);
    const correctionId =
      plan.kind === 'correct'
        ? await correct(client, deps.ledgerMac, { row, proposal, plan, approvedBy: by })
        : null;
    await setResolved(client, row, proposal.resolution, by);
    if (plan.kind === 'correct') await openRest(client, row, plan.restCents ?? 0n);
    const detail = { ...proposal, correction_id: correctionId };
    await insertCaseEvent(client, row, { action: 'approved', actor: by, detail });
    return { row: (await findCase(client, row.caseId)) ?? row, plan };
  });
}

/**
 * Takes the locks that come before the case in the order of locks (README of payments): the operator,
 * so that no statement of it is being imported, which is compared with the books as they are when it
 * begins; then the books.
 */
async function lockForApproval(db: Queryable, caseId: string): Promise<void> {
  const found = await findCase(db, caseId);
  if (found === undefined) return;
  if (found.operatorCode !== null) await lockOperator(db, found.operatorCode);
  await lockBooks(db, found.vendorId);
}

/** Throws: `PlainError` if this person may not approve it, or has not seen it as it is. */
function requireApprovable(
  row: CaseRow,
  { by, proposalId }: { readonly by: string; readonly proposalId: string },
): RecordedProposal {
  const { proposal, proposedBy } = row;
  if (proposal === null) throw new PlainError('This case has no proposal.');
  if (proposedBy !== null && isSamePerson(proposedBy, by)) {
    throw new PlainError(`${by} proposed it; another person has to approve it.`, { field: 'by' });
  }
  if (row.proposalId === proposalId) return proposal;
  throw otherProposal(row, proposal);
}

function otherProposal({ proposedBy }: CaseRow, { resolution }: RecordedProposal): PlainError {
  return new PlainError(
    `This is not the current proposal, which is ${resolution} by ${proposedBy}. Look at the case again.`,
    { field: 'proposal' },
  );
}

/**
 * Throws: `PlainError` if the service did not record the proposal as it is, or the case has had
 * other facts since.
 */
function requireCurrent(mac: Mac, row: CaseRow, { facts_hash: factsHash }: RecordedProposal): void {
  requireUnaltered(mac, caseProposalText(row), row.proposalMac);
  if (factsHash === hashOf(row.facts)) return;
  throw new PlainError(
    'The case has other facts than when this was proposed. Look at it again, and propose it again.',
    { field: 'proposal' },
  );
}

function requireSameEffect(proposed: readonly string[], now: readonly string[]): void {
  if (now.join('\n') === proposed.join('\n')) return;
  throw new PlainError(
    `The books have changed since the proposal, which was: ${proposed.join('; ')}. Now it would be: ${now.join('; ')}. Propose it again.`,
    { field: 'proposal' },
  );
}

async function lockBooks(db: Queryable, vendorId: number): Promise<void> {
  // The accounts of vendor 0 are created by its first correction.
  await ensureAccounts(db, HOUSE, ['external', 'float']);
  await lockFloat(db, HOUSE);
  if (vendorId !== HOUSE) await lockFloat(db, vendorId);
}

async function readPayment(db: Queryable, row: CaseRow): Promise<Situation['payment']> {
  const { vendorId, paymentId, operatorCode: operator } = row;
  if (paymentId === null || operator === null) return null;
  const isCertain = row.kind === 'contradiction';
  const [payment] = await readPayments(db, operator, [{ vendorId, paymentId }], isCertain);
  if (payment === undefined) return null;
  const recorded = await readRecordedPrices(db, vendorId, paymentId);
  if (recorded === undefined) return null;
  const { executedBy, operatorPrice, ...fee } = recorded;
  const isAbout = operatorPrice !== null && executedBy === operator;
  const terms = isAbout ? await findOperatorPrice(db, operatorPrice) : undefined;
  const otherTerms = await readOtherTerms(db, { vendorId, paymentId }, operator);
  return { ...payment, ...fee, terms: terms ?? null, otherTerms };
}

async function readSituation(db: Queryable, row: CaseRow): Promise<Situation> {
  const payment = await readPayment(db, row);
  return {
    row,
    payment,
    lost: payment === null ? await readLostPayment(db, row) : null,
    floatCents: await readBalance(db, row.vendorId, 'float'),
    collectedCents: await readBalance(db, row.vendorId, 'collected'),
    exposureCents: await readBalance(db, row.vendorId, 'exposure'),
    keptCents: await readKeptCents(db, row),
    ...(await readHouseBalances(db, row)),
  };
}

async function readHouseBalances(
  db: Queryable,
  { operatorCode: code }: CaseRow,
): Promise<HouseBalances> {
  if (code === null) return { borneCents: 0n, receivableCents: 0n };
  return {
    borneCents: await readBalance(db, HOUSE, `operator:${code}`),
    receivableCents: await readBalance(db, HOUSE, `receivable:${code}`),
  };
}

/**
 * Returns the amount still credited from the receipt that the case is about; 0 if it is about something
 * else.
 */
async function readKeptCents(db: Queryable, row: CaseRow): Promise<bigint> {
  const { kind, vendorId, evidenceId } = row;
  if (evidenceId === null || (kind !== 'receipt_conflict' && kind !== 'receipt_reversed'))
    return 0n;
  return (await readKeptReceipts(db, vendorId, [evidenceId])).get(evidenceId) ?? 0n;
}

async function settleByHand(
  db: Queryable,
  { row, payment }: Pick<Situation, 'row' | 'payment'>,
  proposal: Proposal,
  plan: Extract<Plan, { kind: 'settle' }>,
): Promise<void> {
  if (payment === null) throw new Error('a report about no payment');
  const { vendorId, paymentId, billerCode } = payment;
  const wasPaid = plan.outcome === 'success';
  // A contradiction is about the operator that reported it, which may not have the instruction.
  const operatorCode = row.kind === 'contradiction' ? row.operatorCode : null;
  if (wasPaid) await recallInstructions(db, [payment], row.operatorCode);
  const report: FinalReport = {
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
    operatorCode,
  };
  const [result] = await settlePayments(db, [report]);
  if (result === 'settled') return;
  throw new PlainError('The payment has been settled in the meantime. Reject this proposal.');
}

async function correct(
  db: Queryable,
  mac: Mac,
  decision: {
    readonly row: CaseRow;
    readonly proposal: Proposal;
    readonly plan: Extract<Plan, { kind: 'correct' }>;
    readonly approvedBy: string;
  },
): Promise<string> {
  const { row, proposal, plan, approvedBy } = decision;
  const correctionId = newId();
  const [first] = plan.transfers;
  if (first === undefined) throw new Error('a correction without a transfer');
  const { vendorId } = first;
  const postedAt = await postingTime(db);
  const accounts = plan.transfers.flatMap((transfer) => [
    transfer.debitAccount,
    transfer.creditAccount,
  ]);
  await ensureAccounts(db, vendorId, [...new Set(accounts)]);
  for (const [index, transfer] of plan.transfers.entries()) {
    const leg = index + 1;
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
    proposedBy: row.proposedBy,
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
  return correctionId;
}

/** The reference, message and details that a corrected payment's status shows. */
function toldAfter(
  { facts }: CaseRow,
  proposal: Proposal,
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

/** The `ipay_reference` of the payment that a case is about. */
export function referenceOf(row: Pick<CaseRow, 'vendorId' | 'paymentId'>): string | null {
  return row.paymentId === null ? null : encodeReference(row.vendorId, row.paymentId);
}
