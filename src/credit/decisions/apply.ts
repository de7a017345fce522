import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { markChanged } from '../../platform/db/settings-watch.ts';
import { assignCards, readAssignments } from '../governance/cards-store.ts';
import { closeCase } from '../registry/cases-store.ts';
import { closeDispute } from '../registry/disputes-store.ts';
import { mergeSubjects, undoMerge } from '../registry/merges-store.ts';
import {
  putSuppressionRule,
  readSuppressionRules,
  removeSuppressionRule,
} from '../registry/suppression-store.ts';
import { recordSale } from '../registry/sales-store.ts';
import { withdrawAccount } from '../registry/withdrawals-store.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import { ruleOf, storedRule, textOf } from './content.ts';
import type { Content, StoredRule } from './content.ts';
import { mergeProblemText, saleProblemText } from './propose.ts';
import type { ProposalRow } from './proposals-store.ts';

interface Approval {
  readonly by: string;
  readonly at: Date;
}

type Of<Kind extends Content['kind']> = Extract<Content, { kind: Kind }>;

/**
 * Carries out what was proposed, within the caller's database transaction.
 * Throws: `PlainError` if it cannot be carried out any more.
 */
export async function applyContent(
  client: Queryable,
  row: ProposalRow,
  { by, at }: Approval,
): Promise<void> {
  const { content } = row;
  const reason = `${row.reason} (proposed by ${row.proposedBy}, approved by ${by})`;
  switch (content.kind) {
    case 'merge': {
      const merge = { from: BigInt(content.from), into: BigInt(content.into), reason, at };
      const problem = await mergeSubjects(client, merge);
      if (problem !== undefined) throw new PlainError(mergeProblemText(problem));
      break;
    }
    case 'unmerge': {
      const undone = { from: BigInt(content.from), into: BigInt(content.into), reason, at };
      if (!(await undoMerge(client, undone))) {
        throw new PlainError('The two subjects are no longer merged.');
      }
      break;
    }
    case 'dispute':
      if (!(await closeDispute(client, content.dispute, content.outcome, at))) {
        throw new PlainError('The dispute is closed already.');
      }
      break;
    case 'withdrawal': {
      const ref = { crn: BigInt(content.crn), accountId: BigInt(content.account) };
      if (!(await withdrawAccount(client, ref, { reason, at }))) {
        throw new PlainError('The person has no such account, or it is withdrawn already.');
      }
      break;
    }
    case 'sale': {
      const { crn, account, into, soldOn } = content;
      const sale = { crn: BigInt(crn), from: BigInt(account), into: BigInt(into), soldOn };
      const problem = await recordSale(client, sale, { reason, at });
      if (problem !== undefined) throw new PlainError(saleProblemText(problem));
      break;
    }
    case 'case':
      if (!(await closeCase(client, content.case, reason, at))) {
        throw new PlainError('The case is closed already.');
      }
      return;
    case 'import':
      throw new PlainError('Approve it in the console, where you choose the file again.');
    case 'suppression':
    case 'suppression_end':
      await applyRule(client, content, { reason, at });
      break;
    case 'scorecard':
      await applyCard(client, content, { reason, at });
      break;
  }
  if (row.caseId !== null) await closeCase(client, row.caseId, `${textOf(content)}: ${reason}`, at);
}

interface Change {
  readonly reason: string;
  readonly at: Date;
}

async function applyRule(
  client: Queryable,
  content: Of<'suppression' | 'suppression_end'>,
  { reason, at }: Change,
): Promise<void> {
  const name = content.kind === 'suppression' ? content.rule.rule : content.former.rule;
  const now = (await readSuppressionRules(client)).find(({ rule }) => rule === name);
  requireUnchanged(now === undefined ? null : storedRule(now), content.former);
  if (content.kind === 'suppression') {
    await putSuppressionRule(client, ruleOf(content.rule), { reason, at });
  } else {
    await removeSuppressionRule(client, { rule: name, reason, at });
  }
}

async function applyCard(
  client: Queryable,
  content: Of<'scorecard'>,
  { reason, at }: Change,
): Promise<void> {
  const { score: kind, role, card, former } = content;
  // First, so that changes of champion and challenger wait for each other.
  await markChanged(client, 'scorecards');
  const now = (await readAssignments(client)).find((one) => one.kind === kind)?.[role] ?? null;
  requireUnchanged(now, former);
  await assignCards(client, { kind, [role]: card, reason }, at);
}

/** Throws: `PlainError`. */
function requireUnchanged(now: StoredRule | string | null, proposed: typeof now): void {
  if (jsonText(now) === jsonText(proposed)) return;
  throw new PlainError(
    'What it would replace has changed since it was proposed. Reject it, and propose again.',
  );
}
