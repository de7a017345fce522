import { newId } from '../platform/base/ids.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import type { Need } from './actors.ts';
import type { Actor, AnyKind } from './kind.ts';
import type { NewProposal } from './proposal.ts';

const DAY_MS = 86_400_000;

/** Who may take this step. */
export function needOf(kind: AnyKind, vendorId: number | null, step: 'proposes' | 'decides'): Need {
  const permission = step === 'proposes' ? kind.proposedBy : kind.decidedBy;
  return { permission, vendorId: kind.ownVendor?.[step] === true ? vendorId : null };
}

/** The key of what a proposal is about; it includes the kind. */
export const aboutOf = (kind: AnyKind, content: object): string =>
  `${kind.name} ${kind.about(content)}`;

export const vendorOf = (kind: AnyKind, content: object): number | null =>
  kind.vendorId?.(content) ?? null;

/** As people see who proposed or decided. */
export const nameOf = ({ name, program }: Actor): string =>
  program === undefined ? name : `${name} (${program})`;

/** A proposal that is not signed yet. */
export function draftOf(
  kind: AnyKind,
  made: {
    readonly content: object;
    readonly by: Actor;
    readonly note: string;
    readonly at: Date;
  },
): Omit<NewProposal, 'mac' | 'shown'> {
  const { content, by, note, at } = made;
  const days = kind.expiresAfterDays;
  return {
    ...{ proposalId: newId(), kind: kind.name, about: aboutOf(kind, content), content, note },
    vendorId: vendorOf(kind, content),
    proposedBy: nameOf(by),
    proposerId: by.personId,
    proposedAt: at,
    expiresAt: days === undefined ? null : new Date(at.getTime() + days * DAY_MS),
  };
}

/** The refusal of content that does not fit the schema. */
export function unfit(kind: AnyKind, content: object): PlainError {
  const field = kind.content.problems(content)[0]?.instancePath.split('/')[1];
  return new PlainError('It is not valid.', { field: field ?? 'content' });
}

export function stillWaits(): PlainError {
  return new PlainError('Another proposal about this waits for a decision.');
}
