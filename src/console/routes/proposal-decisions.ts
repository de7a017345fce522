import { Type } from 'typebox';
import { isAboutPeople } from '../../credit/decisions/content.ts';
import { isAllowed } from '../../parties/people/permissions.ts';
import { readVids } from '../../parties/store.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { formatMoney } from '../../platform/base/money.ts';
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
export function proposalRoutes({ pool, proposals }: ProposalRoutesOptions): AnyRoute[] {
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
        const vids = await readVids(pool);
        return { proposals: rows.map((row) => viewOf(row, { proposals, vids, viewer })) };
      },
    }),
    route({
      ...{ method: 'GET', path: '/proposals/:id', permission, params },
      handle: async ({ params: { id } }, { viewer }): Promise<ProposalAnswer> => {
        const row = await requireShown(proposals, id, viewer);
        const view = viewOf(row, { proposals, vids: await readVids(pool), viewer });
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
        await requireShown(proposals, id, viewer);
        const request = { proposalId: id, by: actorOf(viewer), note: body.reason, seen: body.seen };
        return auditedOf(await proposals.approve(request));
      },
    }),
    ...(['reject', 'withdraw'] as const).map((step) =>
      route({
        ...{ ...one, path: `/proposals/:id/${step}`, action: `proposal.${step}` },
        body: onlyReason,
        handle: async ({ params: { id }, body }, { viewer }) => {
          await requireShown(proposals, id, viewer);
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
  { pool, proposals }: ProposalRoutesOptions,
  viewer: Viewer,
): Promise<Approval[]> {
  const kinds = kindsFor(proposals, viewer).map(({ name }) => name);
  const rows = await proposals.list({ open: true, kinds, limit: MAX_LISTED });
  const vids = await readVids(pool);
  const decided = rows.filter(({ kind: name, proposerId }) => {
    const kind = proposals.kindOf(name);
    const isTheirs = proposerId === viewer.personId;
    return isTheirs || (kind !== undefined && may(kind, viewer, 'decides'));
  });
  return decided.toReversed().map((row) => {
    const { id, kind, shown, vid, content, note, proposedBy, proposedAt, isOwn } = viewOf(row, {
      ...{ proposals, vids, viewer },
    });
    const amount = shown.find((line) => line.amount !== null)?.amount ?? null;
    const common = { note, amount, proposedBy, proposedAt, isOwn };
    const about = vid ?? content?.[0]?.text ?? row.about;
    return { kind: 'proposal', id, proposed: kind, about, ...common };
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
  const isTheirs = viewer.vendor === undefined || viewer.vendor.vendorId === row.vendorId;
  const isShown = kindsFor(proposals, viewer).some(({ name }) => name === row.kind);
  // One whose kind was altered: those who see the audit log may end it.
  const isUnknown =
    proposals.kindOf(row.kind) === undefined && isAllowed(viewer.role, 'audit.read');
  if (isTheirs && (isShown || isUnknown)) return row;
  throw new Refusal('not_found');
}

function viewOf(
  row: ProposalRow,
  by: {
    readonly proposals: Proposals;
    readonly vids: ReadonlyMap<number, string>;
    readonly viewer: Viewer;
  },
): ProposalView {
  const { proposedBy, proposerId, vendorId } = row;
  const content = by.proposals.describe(row);
  return {
    ...{ id: row.proposalId, kind: row.kind, note: row.note, proposedBy },
    vid: vendorId === null ? null : (by.vids.get(vendorId) ?? null),
    content: content === undefined ? null : linesOf(content),
    shown: linesOf(row.carriedOut ?? row.shown),
    proposedAt: row.proposedAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    ...{ decision: row.decision, decidedBy: row.decidedBy, decisionNote: row.decisionNote },
    decidedAt: row.decidedAt?.toISOString() ?? null,
    isAlone: row.isAlone ?? false,
    isOwn: proposerId === by.viewer.personId || isSamePerson(proposedBy, by.viewer.login),
  };
}

function linesOf(lines: readonly Line[]): LineView[] {
  return lines.map(({ label, text, cents }) => ({
    // The approval names what is proposed, whatever is shown: nothing may look like something else.
    ...{ label, text: text === undefined ? null : visible(text) },
    amount: cents === undefined ? null : formatMoney(BigInt(cents)),
  }));
}
