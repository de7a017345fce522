import { ruleOf } from '../../credit/decisions/content.ts';
import type { Content, StoredRule } from '../../credit/decisions/content.ts';
import type { ProposalRow } from '../../credit/decisions/proposals-store.ts';
import type {
  CreditProposal,
  ListedProposal,
  ProposedContent,
  ShownRule,
} from '../credit-answers.ts';
import { onWire } from '../on-wire.ts';
import { isAllowed } from '../../parties/people/permissions.ts';
import type { Viewer } from '../route.ts';
import { decisionView } from './proposals.ts';

/** Proposals that are not about people on file. */
const IMPERSONAL: ReadonlySet<Content['kind']> = new Set([
  'import',
  'suppression',
  'suppression_end',
  'scorecard',
]);

/** A proposal in a list: the reason may say something about a person, whom not everybody may see. */
export function listedProposal(row: ProposalRow, { role }: Pick<Viewer, 'role'>): ListedProposal {
  const { proposalId, content, proposedBy, decision } = row;
  const { kind } = content;
  const isShown = IMPERSONAL.has(kind) || isAllowed(role, 'credit.reports');
  const reason = isShown ? row.reason : null;
  const proposedAt = row.proposedAt.toISOString();
  return { proposalId, kind, reason, proposedBy, proposedAt, decision };
}

/** What the audit log keeps of a proposal: the references of people are in the proposal only. */
export function contentInLog(content: Content): object {
  return IMPERSONAL.has(content.kind) ? content : { kind: content.kind };
}

/** A proposal as the console shows it to this person. */
export function proposalView(row: ProposalRow, login: string): CreditProposal {
  const { proposalId, caseId, reason, evidence } = row;
  return {
    ...{ proposalId, caseId, reason, evidence },
    kind: row.content.kind,
    content: contentView(row.content),
    ...decisionView(row, login),
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
