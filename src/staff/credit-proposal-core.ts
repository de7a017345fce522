import { CREDIT_KIND_NAMES, isAboutPeople, ruleOf } from '../credit/decisions/content.ts';
import { importOf } from '../credit/decisions/imports.ts';
import { previewAccount, previewDispute, previewMerge } from '../credit/decisions/preview.ts';
import type { Content, Grounded } from '../credit/decisions/content.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { ProposalRow } from '../proposals/proposal.ts';
import { ruleView } from './credit-rules.ts';
import type { CreditContent, ListedCreditProposal } from './credit-schema.ts';
import type { StaffDeps } from './deps.ts';
import { viewOfProposal } from './proposal-core.ts';
import type { Viewer } from './viewer.ts';
import { wireOf } from './wire.ts';

/** What is proposed, and its grounds; undefined if it was altered: then nothing of it can be believed. */
function groundedOf(proposals: Proposals, row: ProposalRow): Grounded | undefined {
  return proposals.describe(row) === undefined ? undefined : (row.content as Grounded);
}

/** The reason may say something about a person, whom not everybody may see. */
export function listedCredit(
  proposals: Proposals,
  row: ProposalRow,
  { permissions }: Viewer,
): ListedCreditProposal {
  const isShown = !isAboutPeople(row.kind) || permissions.has('credit.reports');
  return {
    ...{ proposal: row.proposalId, proposed_at: row.proposedAt.toISOString() },
    what: groundedOf(proposals, row)?.what.kind ?? 'altered',
    ...{ decision: row.decision, proposed_by: row.proposedBy },
    reason: isShown ? row.note : null,
  };
}

/** Throws: `not_found` unless it is a proposal about the registry or the scorecards. */
export async function creditProposal(id: string, deps: StaffDeps, viewer: Viewer) {
  const proposals = await deps.proposals();
  const row = await proposals.find(id);
  if (!CREDIT_KIND_NAMES.includes(row.kind)) {
    throw new Refusal('not_found', { text: 'No such proposal' });
  }
  const grounded = groundedOf(proposals, row);
  const { content: lines, ...common } = await viewOfProposal(row, deps, viewer);
  return {
    ...{ ...common, lines },
    what: grounded?.what.kind ?? 'altered',
    content: grounded === undefined ? null : contentView(grounded.what),
    evidence: grounded?.evidence ?? '',
    case: grounded?.caseId ?? null,
    ...(await previewsOf(row, grounded?.what, deps)),
  };
}

const NOTHING = { merge: null, dispute: null, account: null, import: null };

/** The registry’s data about the people in an open proposal, before and after it; the import of an approved file. */
async function previewsOf(row: ProposalRow, what: Content | undefined, deps: StaffDeps) {
  if (what === undefined) return NOTHING;
  if (what.kind === 'import' && row.decision === 'approved') {
    const found = await importOf(deps, what);
    const made = found && { import: found.importId, is_finished: found.finishedAt !== null };
    return { ...NOTHING, import: made ?? null };
  }
  if (row.decision !== null || !PREVIEWED.has(what.kind)) return NOTHING;
  const desk = await deps.credit();
  switch (what.kind) {
    case 'merge':
    case 'unmerge': {
      const both = { from: BigInt(what.from), into: BigInt(what.into) };
      return { ...NOTHING, merge: wireOf((await previewMerge(desk, both)) ?? null) };
    }
    case 'dispute': {
      const about = { crn: BigInt(what.crn), accountId: BigInt(what.account) };
      const asked = { ...about, disputeId: what.dispute };
      return { ...NOTHING, dispute: wireOf((await previewDispute(desk, asked)) ?? null) };
    }
    case 'withdrawal':
    case 'sale':
      return { ...NOTHING, account: wireOf((await previewAccount(desk, what)) ?? null) };
    default:
      return NOTHING;
  }
}

const PREVIEWED: ReadonlySet<Content['kind']> = new Set([
  ...(['merge', 'unmerge', 'dispute', 'withdrawal', 'sale'] as const),
]);

function contentView(content: Content): CreditContent {
  switch (content.kind) {
    case 'suppression': {
      const { kind, rule, former } = content;
      const was = former === null ? null : ruleView(ruleOf(former));
      return { kind, rule: ruleView(ruleOf(rule)), former: was };
    }
    case 'suppression_end':
      return { kind: content.kind, former: ruleView(ruleOf(content.former)) };
    default:
      return wireOf(content);
  }
}
