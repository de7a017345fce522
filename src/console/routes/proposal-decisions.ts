import { Type } from 'typebox';
import { isAboutPeople } from '../../credit/decisions/content.ts';
import { isAllowed } from '../../parties/people/permissions.ts';
import { listPeople } from '../../parties/people/people-store.ts';
import { readVids } from '../../parties/store.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { visible } from '../../platform/base/visible.ts';
import { isSamePerson } from '../../platform/base/person.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Actor, AnyKind, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/store.ts';
import type { Approval, LineView, ProposalAnswer, ProposalsAnswer } from '../system-answers.ts';
import type { ProposalView } from '../system-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import { rowId } from './fields.ts';
import { stateQuery } from './proposals.ts';
import { onlyReason, reason } from './reason.ts';

/** More are not shown. */
const MAX_LISTED = 200;

export interface ProposalRoutesOptions {
  readonly pool: Pool;
  readonly proposals: Proposals;
}

/** The person who is signed in, as proposals name people. */
export function actorOf({ personId, login }: Viewer): Actor {
  return { personId, name: login };
}

const params = Type.Object({ id: rowId });

/** Proposals of every kind: the list, one with its preview, and the decision. A new kind needs no route here. */
export function proposalRoutes(options: ProposalRoutesOptions): AnyRoute[] {
  const { proposals } = options;
  const seen = Type.String({ minLength: 1, maxLength: 64 });
  const approval = { seen, reason: Type.Optional(reason) };
  const permission = 'proposals.read';
  const one = { method: 'POST', permission: 'proposals.act', params } as const;
  return [
    route({
      ...{ method: 'GET', path: '/proposals', permission, query: stateQuery },
      handle: async ({ query: { state } }, { viewer }): Promise<ProposalsAnswer> => {
        const kinds = kindsFor(proposals, viewer).map(({ name }) => name);
        const vendorId = viewer.vendor?.vendorId;
        const filter = { open: state !== 'all', kinds, vendorId, limit: MAX_LISTED };
        const rows = await proposals.list(filter);
        const shown = rows.filter((row) => maySee(proposals, row, viewer));
        const by = await viewedBy(options, viewer);
        return { proposals: shown.map((row) => viewOf(row, by)) };
      },
    }),
    route({
      ...{ method: 'GET', path: '/proposals/:id', permission, params },
      handle: async ({ params: { id } }, { viewer }): Promise<ProposalAnswer> => {
        const row = await requireShown(proposals, id, viewer);
        const view = viewOf(row, await viewedBy(options, viewer));
        const isOpen = row.decision === null && view.content !== null;
        const preview = isOpen ? await proposals.preview(id) : null;
        if (preview === null) return { ...view, preview };
        const { lines, remarks } = preview;
        return {
          ...view,
          preview: { ...preview, lines: linesOf(lines), remarks: linesOf(remarks) },
        };
      },
    }),
    route({
      ...{ ...one, path: '/proposals/:id/approve', action: 'proposal.approve' },
      body: Type.Object(approval, { additionalProperties: false }),
      handle: async ({ params: { id }, body }, { viewer }) => {
        await requireOpen(proposals, id, viewer);
        const request = { proposalId: id, by: actorOf(viewer), note: body.reason, seen: body.seen };
        return auditedOf(await proposals.approve(request));
      },
    }),
    ...(['reject', 'withdraw'] as const).map((step) =>
      route({
        ...{ ...one, path: `/proposals/:id/${step}`, action: `proposal.${step}` },
        body: onlyReason,
        handle: async ({ params: { id }, body }, { viewer }) => {
          await requireOpen(proposals, id, viewer);
          const request = { proposalId: id, by: actorOf(viewer), note: body.reason };
          return auditedOf(await proposals[step](request));
        },
      }),
    ),
  ];
}

/** What the audit log keeps of a proposal that was made or decided. @param answer of the route. */
export function auditedOf(row: ProposalRow, answer?: unknown): Audited {
  const { kind, decision, proposedBy, isAlone } = row;
  // More people read the audit log than may see whom it is about.
  const isShown = !isAboutPeople(kind);
  const what = isShown && { about: row.about, lines: row.carriedOut ?? row.shown };
  return new Audited(answer, {
    target: row.proposalId,
    after: { kind, ...what, decision, proposedBy, ...(isAlone === true && { isAlone }) },
  });
}

/** What waits and this person may decide, for the list of approvals. */
export async function waitingProposals(
  options: ProposalRoutesOptions,
  viewer: Viewer,
): Promise<Approval[]> {
  const { proposals } = options;
  const kinds = kindsFor(proposals, viewer).map(({ name }) => name);
  const rows = await proposals.list({ open: true, kinds, limit: MAX_LISTED });
  const by = await viewedBy(options, viewer);
  const shownRows = rows.filter((row) => maySee(proposals, row, viewer));
  return shownRows.toReversed().map((row) => {
    const view = viewOf(row, by);
    const { id, kind, shown, vid, content, note, proposedBy, proposedAt, isOwn } = view;
    const amount = shown.find((line) => line.amount !== null)?.amount ?? null;
    const common = { note, amount, proposedBy, proposedAt, isOwn };
    const about = vid ?? content?.[0]?.text ?? row.about;
    return { id, proposed: kind, about, ...common };
  });
}

/** The kinds that this person may propose or decide. */
function kindsFor(proposals: Proposals, viewer: Viewer): readonly AnyKind[] {
  return proposals.kinds.filter(
    (kind) => may(kind, viewer, 'proposes') || may(kind, viewer, 'decides'),
  );
}

function may(kind: AnyKind, { role, vendor }: Viewer, step: 'proposes' | 'decides'): boolean {
  const permission = step === 'proposes' ? kind.proposedBy : kind.decidedBy;
  return (vendor === undefined || kind.ownVendor?.[step] === true) && isAllowed(role, permission);
}

/** Throws: `not_found` if this person may not see it. */
async function requireShown(
  proposals: Proposals,
  id: string,
  viewer: Viewer,
): Promise<ProposalRow> {
  const row = await proposals.find(id);
  // One whose kind was altered: those who see the audit log may end it.
  const isUnknown =
    proposals.kindOf(row.kind) === undefined && isAllowed(viewer.role, 'audit.read');
  if (!maySee(proposals, row, viewer) && !isUnknown) throw new Refusal('not_found');
  return row;
}

/** Throws: `not_found`; for a vendor’s people `PlainError` if it was decided: who of the staff did it is not for them. */
async function requireOpen(proposals: Proposals, id: string, viewer: Viewer): Promise<void> {
  const { decision } = await requireShown(proposals, id, viewer);
  if (viewer.vendor === undefined || decision === null) return;
  throw new PlainError(`The proposal was already ${decision}.`);
}

/** Whether the person may decide it, or has proposed it. */
function maySee(proposals: Proposals, row: ProposalRow, viewer: Viewer): boolean {
  const kind = proposals.kindOf(row.kind);
  const isTheirs = viewer.vendor === undefined || viewer.vendor.vendorId === row.vendorId;
  if (kind === undefined || !isTheirs) return false;
  return may(kind, viewer, 'decides') || row.proposerId === viewer.personId;
}

interface ViewedBy {
  readonly proposals: Proposals;
  readonly vids: ReadonlyMap<number, string>;
  readonly viewer: Viewer;
  /** A vendor’s people learn no login of staff. Undefined: everybody is named. */
  readonly named: ReadonlySet<string | null> | undefined;
}

async function viewedBy(
  { pool, proposals }: ProposalRoutesOptions,
  viewer: Viewer,
): Promise<ViewedBy> {
  const { vendor } = viewer;
  const people = vendor && (await listPeople(pool, vendor.vendorId));
  const named = people && new Set(people.map(({ personId }) => personId));
  return { proposals, vids: await readVids(pool), viewer, named };
}

function viewOf(row: ProposalRow, by: ViewedBy): ProposalView {
  const { proposerId, vendorId } = row;
  const named = (personId: string | null, name: string): string =>
    by.named === undefined || by.named.has(personId) ? name : 'staff';
  const proposedBy = named(proposerId, row.proposedBy);
  const decidedBy = row.decidedBy === null ? null : named(row.deciderId, row.decidedBy);
  const content = by.proposals.describe(row);
  return {
    ...{ id: row.proposalId, kind: row.kind, note: row.note, proposedBy },
    vid: vendorId === null ? null : (by.vids.get(vendorId) ?? null),
    content: content === undefined ? null : linesOf(content),
    shown: linesOf(row.carriedOut ?? row.shown),
    proposedAt: row.proposedAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    ...{ decision: row.decision, decidedBy, decisionNote: row.decisionNote },
    decidedAt: row.decidedAt?.toISOString() ?? null,
    isAlone: row.isAlone ?? false,
    isOwn: proposerId === by.viewer.personId || isSamePerson(row.proposedBy, by.viewer.login),
  };
}

function linesOf(lines: readonly Line[]): LineView[] {
  return lines.map(({ label, text, cents }) => ({
    // The approval names what is proposed, whatever is shown: nothing may look like something else.
    ...{ label, text: text === undefined ? null : visible(text) },
    amount: cents === undefined ? null : formatMoney(BigInt(cents)),
  }));
}
