import { isAboutPeople } from '../credit/decisions/content.ts';
import { listPeople } from '../parties/people/read-people.ts';
import { readVids } from '../parties/read-vendors.ts';
import { formatMoney } from '../platform/base/money.ts';
import { isSamePerson } from '../platform/base/person.ts';
import { visible } from '../platform/base/visible.ts';
import type { Line } from '../proposals/kind.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { ProposalRow } from '../proposals/proposal.ts';
import type { Done } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import type { LineView, ListedProposal, ProposalView } from './proposal-schema.ts';
import type { Viewer } from './viewer.ts';
import { wireOf } from './wire.ts';

/** A proposal that was made: what an approval would do now, or that it is in force. */
export async function proposedAnswer(
  row: ProposalRow,
  deps: StaffDeps,
  viewer: Viewer,
): Promise<Done<ProposalView>> {
  return { result: await viewOfProposal(row, deps, viewer), audit: auditOf(row) };
}

/** What an answer has of a proposal that was made instead. */
export async function instead(row: ProposalRow, deps: StaffDeps, viewer: Viewer) {
  const { proposal, decision, would, seen } = await viewOfProposal(row, deps, viewer);
  return { proposal, decision, would, seen };
}

/** With the preview, if it waits. */
export async function viewOfProposal(
  row: ProposalRow,
  deps: Deps,
  viewer: Looking,
): Promise<ProposalView> {
  const by = await viewedBy(deps, viewer);
  const { content, ...common } = commonOf(row, by);
  const isOpen = row.decision === null && content !== null;
  const preview = isOpen ? await by.proposals.preview(row.proposalId) : null;
  return {
    ...common,
    content,
    would: preview === null ? null : linesOf(preview.lines),
    remarks: preview === null ? null : linesOf(preview.remarks),
    problem: preview?.problem ?? null,
    seen: preview?.seen ?? null,
  };
}

const lineText = ({ label, text, amount }: LineView): string =>
  `${label}: ${[amount, text].filter((part) => part !== null).join(' ')}`;

/** As lists show it. */
export function listedProposal(row: ProposalRow, by: ViewedBy): ListedProposal {
  const common = commonOf(row, by);
  const { vid, content, shown } = common;
  return {
    ...common,
    what: linesOf(row.shown).map(lineText).join('; '),
    about: vid ?? content?.[0]?.text ?? row.about,
    amount: shown.find((line) => line.amount !== null)?.amount ?? null,
  };
}

type Deps = Pick<StaffDeps, 'pool' | 'proposals'>;
type Looking = Pick<Viewer, 'personId' | 'login'> & Partial<Pick<Viewer, 'vendor'>>;

export interface ViewedBy {
  readonly proposals: Proposals;
  readonly vids: ReadonlyMap<number, string>;
  readonly viewer: Looking;
  /** A vendor’s people learn no login of staff. Undefined: everybody is named. */
  readonly named: ReadonlySet<string | null> | undefined;
}

export async function viewedBy(deps: Deps, viewer: Looking): Promise<ViewedBy> {
  const { pool } = deps;
  const { vendor } = viewer;
  const people = vendor && (await listPeople(pool, vendor.vendorId));
  const named = people && new Set(people.map(({ personId }) => personId));
  return { proposals: await deps.proposals(), vids: await readVids(pool), viewer, named };
}

function commonOf(row: ProposalRow, { proposals, vids, viewer, named }: ViewedBy) {
  const content = proposals.describe(row);
  const nameFor = (personId: string | null, name: string): string =>
    named === undefined || named.has(personId) ? name : 'staff';
  const isOwn =
    (viewer.personId !== null && row.proposerId === viewer.personId) ||
    isSamePerson(row.proposedBy, viewer.login);
  return {
    proposal: row.proposalId,
    proposed_at: row.proposedAt.toISOString(),
    kind: row.kind,
    title: proposals.kindOf(row.kind)?.title ?? row.kind,
    vid: row.vendorId === null ? null : (vids.get(row.vendorId) ?? null),
    content: content === undefined ? null : linesOf(content),
    shown: linesOf(row.carriedOut ?? row.shown),
    note: row.note,
    proposed_by: nameFor(row.proposerId, row.proposedBy),
    expires_at: row.expiresAt?.toISOString() ?? null,
    decision: row.decision,
    decided_by: row.decidedBy === null ? null : nameFor(row.deciderId, row.decidedBy),
    decided_at: row.decidedAt?.toISOString() ?? null,
    decision_note: row.decisionNote,
    decided_alone: row.isAlone ?? false,
    is_own: isOwn,
  };
}

/** Who proposed it and what was decided, for the rows of what people propose. */
export const decidedOf = ({
  proposedBy,
  proposedAt,
  decision,
  decidedBy,
  decidedAt,
}: ProposalRow) => wireOf({ proposedBy, proposedAt, decision, decidedBy, decidedAt });

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
