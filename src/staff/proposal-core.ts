import { isAboutPeople } from '../credit/decisions/content.ts';
import { readVids } from '../parties/store.ts';
import { formatMoney } from '../platform/base/money.ts';
import { isSamePerson } from '../platform/base/person.ts';
import { visible } from '../platform/base/visible.ts';
import type { Line } from '../proposals/kind.ts';
import type { ProposalRow } from '../proposals/store.ts';
import type { Done } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import type { LineView, ProposalView } from './proposal-schema.ts';
import type { Viewer } from './viewer.ts';

/** A proposal that was made: what an approval would do now, or that it is in force. */
export async function proposedAnswer(
  row: ProposalRow,
  deps: StaffDeps,
  viewer: Viewer,
): Promise<Done<ProposalView>> {
  return { result: await viewOfProposal(row, deps, viewer), audit: auditOf(row) };
}

/** With the preview, if it waits. */
export async function viewOfProposal(
  row: ProposalRow,
  { pool, proposals: open }: StaffDeps,
  viewer: Pick<Viewer, 'personId' | 'login'>,
): Promise<ProposalView> {
  const proposals = await open();
  const vids = await readVids(pool);
  const content = proposals.describe(row);
  const isOpen = row.decision === null && content !== undefined;
  const preview = isOpen ? await proposals.preview(row.proposalId) : null;
  const isOwn =
    (viewer.personId !== null && row.proposerId === viewer.personId) ||
    isSamePerson(row.proposedBy, viewer.login);
  return {
    proposal: row.proposalId,
    proposed_at: row.proposedAt.toISOString(),
    kind: row.kind,
    vid: row.vendorId === null ? null : (vids.get(row.vendorId) ?? null),
    content: content === undefined ? null : linesOf(content),
    shown: linesOf(row.carriedOut ?? row.shown),
    note: row.note,
    proposed_by: row.proposedBy,
    expires_at: row.expiresAt?.toISOString() ?? null,
    decision: row.decision,
    decided_by: row.decidedBy,
    decided_at: row.decidedAt?.toISOString() ?? null,
    decision_note: row.decisionNote,
    decided_alone: row.isAlone ?? false,
    is_own: isOwn,
    would: preview === null ? null : linesOf(preview.lines),
    remarks: preview === null ? null : linesOf(preview.remarks),
    problem: preview?.problem ?? null,
    seen: preview?.seen ?? null,
  };
}

/** Who proposed it and what was decided, for the rows of what people propose. */
export function decidedOf(row: ProposalRow) {
  return {
    proposed_by: row.proposedBy,
    proposed_at: row.proposedAt.toISOString(),
    decision: row.decision,
    decided_by: row.decidedBy,
    decided_at: row.decidedAt?.toISOString() ?? null,
  };
}

/** What the audit log keeps of a proposal that was made or decided. */
export function auditOf(row: ProposalRow): Done<object>['audit'] {
  const { kind, decision, proposedBy, isAlone } = row;
  // More people read the audit log than may see whom it is about.
  const isShown = !isAboutPeople(kind);
  const what = isShown && { about: row.about, lines: row.carriedOut ?? row.shown };
  return {
    target: row.proposalId,
    after: { kind, ...what, decision, proposedBy, ...(isAlone === true && { isAlone }) },
  };
}

export function linesOf(lines: readonly Line[]): LineView[] {
  return lines.map(({ label, text, cents }) => ({
    // The approval names what is proposed, whatever is shown: nothing may look like something else.
    ...{ label, text: text === undefined ? null : visible(text) },
    amount: cents === undefined ? null : formatMoney(BigInt(cents)),
  }));
}
