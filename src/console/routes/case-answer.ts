import { resolutionOf } from '../../payments/cases/case-proposals.ts';
import { referenceOf } from '../../payments/cases/cases-store.ts';
import type { CaseEvent, CaseRow } from '../../payments/cases/cases-store.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { ProposalRow } from '../../proposals/store.ts';
import type { CaseDetail, ListedCase } from '../answers.ts';

/** A case as lists show it. @param open proposals that wait, by case. */
export function listedCase(row: CaseRow, open: ReadonlyMap<string, ProposalRow>): ListedCase {
  const proposed = open.get(row.caseId);
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
    proposed: proposed === undefined ? null : resolutionOf(proposed),
    proposedBy: proposed?.proposedBy ?? row.proposedBy,
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

export function eventsOf(events: readonly CaseEvent[]): CaseDetail['events'] {
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
