import { statusOf } from '../payments/create/payment.ts';
import { resolutionOf } from '../payments/cases/case-proposals.ts';
import { referenceOf } from '../payments/cases/read-cases.ts';
import type { CaseEvent, CaseRow } from '../payments/cases/read-cases.ts';
import type { QueriedPayment } from '../payments/timeline/query.ts';
import { encodeReference } from '../parties/reference.ts';
import { formatMoney } from '../platform/base/money.ts';
import type { ProposalRow } from '../proposals/proposal.ts';
import type { CaseView } from './case-schema.ts';
import type { StaffDeps } from './deps.ts';
import { viewOfProposal } from './proposal-core.ts';
import type { ProposalView } from './proposal-schema.ts';
import type { Viewer } from './viewer.ts';
import { fit, wireOf } from './wire.ts';
import { caseView } from './case-schema.ts';

/** A case as lists show it. @param open proposals that wait, by case. */
export function caseViewOf(row: CaseRow, open: ReadonlyMap<string, ProposalRow>): CaseView {
  const proposed = open.get(row.caseId);
  const facts = factsOf(row.facts);
  const { paid, amount, owed, difference } = facts;
  const about = [paid, amount, owed, difference].find((value) => typeof value === 'string');
  const isOpen = row.resolvedAt === null;
  return fit(caseView, {
    ...wireOf({ ...row, case: row.caseId, facts: null }),
    reference: referenceOf(row),
    amount: typeof about === 'string' ? about : paymentAmountOf(row),
    state: !isOpen ? 'resolved' : proposed === undefined ? 'open' : 'proposed',
    proposed: proposed === undefined ? null : resolutionOf(proposed),
    proposal: proposed?.proposalId ?? null,
    proposed_by: proposed?.proposedBy ?? row.proposedBy,
    proposed_at: proposed?.proposedAt.toISOString() ?? null,
    facts,
  });
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

export function caseEventOf({ at, action, actor, detail }: CaseEvent) {
  return {
    ...{ at: at.toISOString(), action, actor },
    note: textOf(detail['note']),
    resolution: textOf(detail['resolution']),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The payment that a case is about. */
export function paymentOf(row: QueriedPayment) {
  return {
    reference: encodeReference(row.vendorId, row.paymentId),
    status: statusOf(row.outcome, row.underWay),
    biller: row.billerCode,
    account: row.account,
    amount: formatMoney(row.amountCents),
    created_at: row.createdAt.toISOString(),
  };
}

const NOT_VERIFIED =
  'Not verified: without the right MASTER_KEY it is not known whether the proposal was changed in the database.';

/** The proposal that waits. A case can be shown without the right master key. */
export async function waitingProposal(
  row: ProposalRow | undefined,
  deps: StaffDeps,
  viewer: Viewer,
): Promise<{ readonly proposal: ProposalView | null; readonly problem: string | null }> {
  if (row === undefined) return { proposal: null, problem: null };
  const opened = await deps.proposals().catch(() => undefined);
  if (opened === undefined) return { proposal: null, problem: NOT_VERIFIED };
  return { proposal: await viewOfProposal(row, deps, viewer), problem: null };
}
