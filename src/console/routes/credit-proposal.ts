import { CREDIT_KIND_NAMES, isAboutPeople, ruleOf } from '../../credit/decisions/content.ts';
import type { Content, Grounded, StoredRule } from '../../credit/decisions/content.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { isSamePerson } from '../../platform/base/person.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/store.ts';
import type {
  CreditProposal,
  ListedProposal,
  ProposedContent,
  ShownRule,
} from '../credit-answers.ts';
import { onWire } from '../on-wire.ts';
import { isAllowed } from '../../parties/people/permissions.ts';
import type { Viewer } from '../route.ts';

/** What is proposed, and its grounds; undefined if it was altered: then nothing of it can be believed. */
export function groundedOf(proposals: Proposals, row: ProposalRow): Grounded | undefined {
  return proposals.describe(row) === undefined ? undefined : (row.content as Grounded);
}

/** Throws: `not_found` unless it is a proposal about the registry or the scorecards. */
export async function requireCreditProposal(
  proposals: Proposals,
  proposalId: string,
): Promise<ProposalRow> {
  const row = await proposals.find(proposalId);
  if (CREDIT_KIND_NAMES.includes(row.kind)) return row;
  throw new Refusal('not_found', { text: 'No such proposal' });
}

/** A proposal in a list: the reason may say something about a person, whom not everybody may see. */
export function listedProposal(
  proposals: Proposals,
  row: ProposalRow,
  { role }: Pick<Viewer, 'role'>,
): ListedProposal {
  const { proposalId, proposedBy, decision } = row;
  const isShown = !isAboutPeople(row.kind) || isAllowed(role, 'credit.reports');
  return {
    ...{ proposalId, proposedBy, decision },
    kind: groundedOf(proposals, row)?.what.kind ?? 'altered',
    reason: isShown ? row.note : null,
    proposedAt: row.proposedAt.toISOString(),
  };
}

/** A proposal as the console shows it to this person. */
export function proposalView(
  proposals: Proposals,
  row: ProposalRow,
  { personId, login }: Pick<Viewer, 'personId' | 'login'>,
): CreditProposal {
  const { proposalId, proposedBy, decision, decidedBy } = row;
  const grounded = groundedOf(proposals, row);
  return {
    ...{ proposalId, proposedBy, decision, decidedBy, reason: row.note },
    kind: grounded?.what.kind ?? 'altered',
    content: grounded === undefined ? null : contentView(grounded.what),
    evidence: grounded?.evidence ?? '',
    caseId: grounded?.caseId ?? null,
    proposedAt: row.proposedAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    isOwn: row.proposerId === personId || isSamePerson(proposedBy, login),
  };
}

function contentView(content: Content): ProposedContent {
  switch (content.kind) {
    case 'suppression':
      return {
        kind: content.kind,
        rule: shown(content.rule),
        former: content.former === null ? null : shown(content.former),
      };
    case 'suppression_end':
      return { kind: content.kind, former: shown(content.former) };
    default:
      return content;
  }
}

function shown(rule: StoredRule): ShownRule {
  return onWire(ruleOf(rule));
}
