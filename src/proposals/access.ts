import { Refusal } from '../platform/base/errors.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import type { Permission } from '../parties/people/permissions.ts';
import type { AnyKind } from './kind.ts';
import type { Proposals } from './proposals.ts';
import type { ProposalRow } from './proposal.ts';

interface Viewer {
  /** Null: whoever runs commands on the machine of the service. */
  readonly personId: string | null;
  /** The vendor whose people the person belongs to; undefined for staff. */
  readonly vendor: { readonly vendorId: number } | undefined;
  readonly permissions: ReadonlySet<Permission>;
}

/** Which proposals somebody may see and decide: each kind asks for permissions of its own. */

/** The kinds that the viewer may propose or decide. Undefined: of any kind, also one that was altered. */
export function kindsFor(proposals: Proposals, viewer: Viewer): readonly string[] | undefined {
  if (isOnMachine(viewer)) return undefined;
  return proposals.kinds
    .filter((kind) => may(kind, viewer, 'proposes') || may(kind, viewer, 'decides'))
    .map(({ name }) => name);
}

function may(kind: AnyKind, viewer: Viewer, step: 'proposes' | 'decides'): boolean {
  const { permissions, vendor } = viewer;
  const permission = step === 'proposes' ? kind.proposedBy : kind.decidedBy;
  return (
    (vendor === undefined || kind.ownVendor?.[step] === true) &&
    (isOnMachine(viewer) || permissions.has(permission))
  );
}

/** Whoever runs commands on the machine of the service sees those of vendors, too; `Proposals` says who decides. */
const isOnMachine = ({ personId }: Viewer): boolean => personId === null;

/** Whether the viewer may decide it, or has proposed it. */
export function maySee(proposals: Proposals, row: ProposalRow, viewer: Viewer): boolean {
  const kind = proposals.kindOf(row.kind);
  const isTheirs = viewer.vendor === undefined || viewer.vendor.vendorId === row.vendorId;
  if (!isTheirs) return false;
  // One whose kind was altered: those who see the audit log may end it.
  if (kind === undefined) return viewer.permissions.has('audit.read');
  const isOwn = viewer.personId !== null && row.proposerId === viewer.personId;
  return may(kind, viewer, 'decides') || isOwn;
}

/** Throws: `not_found` if the viewer may not see it. */
export async function requireShown(
  proposals: Proposals,
  id: string,
  viewer: Viewer,
): Promise<ProposalRow> {
  const row = await proposals.find(id);
  if (!maySee(proposals, row, viewer)) throw new Refusal('not_found');
  return row;
}

/** Throws: `not_found`; for a vendor’s people `PlainError` if it was decided: who of the staff did it is not for them. */
export async function requireOpen(proposals: Proposals, id: string, viewer: Viewer): Promise<void> {
  const { decision } = await requireShown(proposals, id, viewer);
  if (viewer.vendor === undefined || decision === null) return;
  throw new PlainError(`The proposal was already ${decision}.`);
}
