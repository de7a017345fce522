import { ruleOf } from '../../credit/decisions/content.ts';
import type { Content, StoredRule } from '../../credit/decisions/content.ts';
import type { ProposalRow } from '../../credit/decisions/proposals-store.ts';
import { isSamePerson } from '../../platform/base/person.ts';
import type { CreditProposal, ProposedContent, ShownRule } from '../credit-answers.ts';
import { onWire } from '../on-wire.ts';

/** A proposal as the console shows it to this person. */
export function proposalView(row: ProposalRow, login: string): CreditProposal {
  const { proposalId, caseId, reason, evidence, proposedBy, decision, decidedBy } = row;
  return {
    ...{ proposalId, caseId, reason, evidence, proposedBy, decision, decidedBy },
    content: contentView(row.content),
    proposedAt: row.proposedAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    isOwn: isSamePerson(proposedBy, login),
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
