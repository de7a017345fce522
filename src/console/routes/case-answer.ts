import type {
  CaseRow,
  RecordedProposal,
  listCaseEvents,
} from '../../payments/cases/cases-store.ts';
import { referenceOf } from '../../payments/corrections/cases.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { CaseDetail, CaseProposal, ListedCase } from '../answers.ts';

/** A case as lists show it. */
export function listedCase(row: CaseRow): ListedCase {
  const { paid, amount, owed, difference } = factsOf(row.facts);
  const about = [paid, amount, owed, difference].find((value) => typeof value === 'string');
  return {
    caseId: row.caseId,
    kind: row.kind,
    vid: row.vid,
    operator: row.operatorCode,
    reference: referenceOf(row),
    amount: typeof about === 'string' ? about : paymentAmountOf(row),
    openedAt: row.openedAt.toISOString(),
    proposed: row.proposal?.resolution ?? null,
    proposedBy: row.proposedBy,
    resolution: row.resolution,
    resolvedBy: row.resolvedBy,
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
  };
}

export function paymentAmountOf({ paymentCents }: CaseRow): string | null {
  return paymentCents === null ? null : formatMoney(paymentCents);
}

/** Facts for people: cents as decimal text, under a name without the unit. */
export function factsOf(facts: CaseRow['facts']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) =>
      name.endsWith('_cents') && typeof value === 'number'
        ? [name.replace(/_cents$/, ''), formatMoney(BigInt(value))]
        : [name.replace(/_cents$/, ''), value],
    ),
  );
}

export function proposalOf(row: CaseRow, wouldPost: readonly string[]): CaseProposal | null {
  const { proposal, proposalId, proposedBy, proposedAt } = row;
  if (proposal === null || proposalId === null) return null;
  return {
    id: proposalId,
    resolution: proposal.resolution,
    note: proposal.note,
    amount: amountOf(proposal),
    operatorReference: proposal.operator_reference,
    message: proposal.message,
    details: proposal.details,
    by: proposedBy ?? '',
    at: proposedAt?.toISOString() ?? '',
    wouldPost,
  };
}

function amountOf({ amount_cents: cents }: RecordedProposal): string | null {
  return cents === null ? null : formatMoney(BigInt(cents));
}

export function eventsOf(events: Awaited<ReturnType<typeof listCaseEvents>>): CaseDetail['events'] {
  return events.map(({ at, action, actor, detail }) => ({
    at: at.toISOString(),
    action,
    actor,
    note: textOf(detail['note']),
    resolution: textOf(detail['resolution']),
  }));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
