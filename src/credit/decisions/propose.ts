import type { Clock } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireText } from '../../platform/base/proposal.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { readAllCards, requireCard } from '../governance/cards.ts';
import { addCard, readAssignments } from '../governance/cards-store.ts';
import { findCase } from '../registry/cases-store.ts';
import type { CreditCase } from '../registry/cases-store.ts';
import { findOpenDispute } from '../registry/disputes-store.ts';
import type { DisputeOutcome } from '../registry/disputes-store.ts';
import { findMergeProblem, readSurvivors } from '../registry/merges-store.ts';
import type { MergeProblem } from '../registry/merges-store.ts';
import { readSuppressionRules } from '../registry/suppression-store.ts';
import type { SuppressionRule } from '../registry/suppression.ts';
import { checkSale } from '../registry/sales-store.ts';
import type { SaleProblem, SoldDebt } from '../registry/sales-store.ts';
import { findCountedAccount } from '../registry/withdrawals-store.ts';
import type { AccountRef } from '../registry/withdrawals-store.ts';
import type { ScoreKind } from '../scorecards/scorecard.ts';
import { proposalText } from './authenticity.ts';
import { aboutOf, requireUsableRule, storedRule } from './content.ts';
import type { Content } from './content.ts';
import { findProposal, insertProposal } from './proposals-store.ts';
import type { ProposalRow } from './proposals-store.ts';

export interface Deps {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Signs proposals and decisions. */
  readonly ledgerMac: Mac;
}

/** Who proposes it, and why. */
export interface Grounds {
  readonly by: string;
  readonly reason: string;
  /** Where it can be looked up. */
  readonly evidence: string;
  /** The case that led to it, which an approval closes. */
  readonly caseId?: string | undefined;
}

const MERGE_PROBLEMS: Readonly<Record<MergeProblem, string>> = {
  no_subject: 'One of the two is not on file.',
  from_is_merged: 'The first is merged into another already.',
  into_is_merged: 'The second is merged into another: merge into that one.',
  from_has_others: 'Others are merged into the first: merge the second into it instead.',
};

export function mergeProblemText(problem: MergeProblem): string {
  return MERGE_PROBLEMS[problem];
}

const SALE_PROBLEMS: Readonly<Record<SaleProblem, string>> = {
  no_account: 'The person has no such account, or it is withdrawn.',
  no_buyer: 'The person has no such account of the buyer, or it is withdrawn.',
  same_lender: 'Both accounts are of the same lender, which cannot sell a debt to itself.',
  sold_already: 'The debt was sold already: name the account of its present holder.',
  bought_already: 'The buyer’s account is the continuation of another one already.',
  order: 'Each sale of a debt must be later than the one before.',
  before_opening: 'The account was opened after this day.',
  submitted_before: 'The buyer submitted its account for a day before the sale.',
};

export function saleProblemText(problem: SaleProblem): string {
  return SALE_PROBLEMS[problem];
}

/** Two subjects are one person: what is on file about `from` is answered under `into`. */
export async function proposeMerge(
  deps: Deps,
  { from, into }: { readonly from: bigint; readonly into: bigint },
  grounds: Grounds,
): Promise<ProposalRow> {
  if (from === into) throw new PlainError('The two references are the same.', { field: 'into' });
  const problem = await findMergeProblem(deps.pool, { from, into });
  if (problem !== undefined) throw new PlainError(mergeProblemText(problem), { field: 'from' });
  return await record(deps, { kind: 'merge', from: String(from), into: String(into) }, grounds);
}

/** A merge was wrong: each subject is answered under its own reference again. */
export async function proposeUnmerge(
  deps: Deps,
  from: bigint,
  grounds: Grounds,
): Promise<ProposalRow> {
  const into = (await readSurvivors(deps.pool, [from])).get(from);
  if (into === undefined) {
    throw new PlainError('This subject is not merged into another.', { field: 'from' });
  }
  return await record(deps, { kind: 'unmerge', from: String(from), into: String(into) }, grounds);
}

/** How a dispute ended. */
export async function proposeOutcome(
  deps: Deps,
  { dispute, outcome }: { readonly dispute: string; readonly outcome: DisputeOutcome },
  grounds: Grounds,
): Promise<ProposalRow> {
  const found = await findOpenDispute(deps.pool, dispute);
  if (found === undefined) throw new PlainError('No open dispute has this id.');
  const about = { crn: String(found.crn), account: String(found.accountId) };
  return await record(deps, { kind: 'dispute', dispute, ...about, outcome }, grounds);
}

/**
 * An account was listed wrongly: it leaves every answer and score, also when it is submitted again.
 * Closing it would leave a default in its history.
 */
export async function proposeWithdrawal(
  deps: Deps,
  { crn, accountId }: AccountRef,
  grounds: Grounds,
): Promise<ProposalRow> {
  const lender = await findCountedAccount(deps.pool, { crn, accountId });
  if (lender === undefined) {
    throw new PlainError(
      'The person has no such account, or it was sold, or is withdrawn already.',
      {
        field: 'account',
      },
    );
  }
  const about = { crn: String(crn), account: String(accountId), lender };
  return await record(deps, { kind: 'withdrawal', ...about }, grounds);
}

/**
 * A debt was sold, and both lenders submit it: from the sale on it counts once, under the buyer's
 * account, with the history of both.
 */
export async function proposeSale(
  deps: Deps,
  sale: SoldDebt,
  grounds: Grounds,
): Promise<ProposalRow> {
  if (sale.soldOn > isoDay(deps.clock.now())) {
    throw new PlainError('The day of the sale must not be in the future.', { field: 'soldOn' });
  }
  const checked = await checkSale(deps.pool, sale);
  if (typeof checked === 'string') {
    const field = checked === 'before_opening' || checked === 'order' ? 'soldOn' : 'account';
    throw new PlainError(saleProblemText(checked), { field });
  }
  const about = { crn: String(sale.crn), account: String(sale.from), into: String(sale.into) };
  const content = { kind: 'sale', ...about, ...checked, soldOn: sale.soldOn } as const;
  return await record(deps, content, grounds);
}

/** A case is closed with a finding: people had to decide nothing, or a lender corrects it. */
export async function proposeClosing(
  deps: Deps,
  caseId: string,
  grounds: Omit<Grounds, 'caseId'>,
): Promise<ProposalRow> {
  await requireOpenCase(deps.pool, caseId);
  return await record(deps, { kind: 'case', case: caseId }, { ...grounds, caseId });
}

/** A suppression rule, or another one in the place of one with the same name. */
export async function proposeRule(
  deps: Deps,
  rule: SuppressionRule,
  grounds: Grounds,
): Promise<ProposalRow> {
  requireUsableRule(rule);
  const former = await findRule(deps.pool, rule.rule);
  const content = {
    rule: storedRule(rule),
    former: former === undefined ? null : storedRule(former),
  };
  return await record(deps, { kind: 'suppression', ...content }, grounds);
}

export async function proposeRuleEnd(
  deps: Deps,
  rule: string,
  grounds: Grounds,
): Promise<ProposalRow> {
  const former = await findRule(deps.pool, rule);
  if (former === undefined) {
    throw new PlainError(`Rule ${rule} does not exist.`, { field: 'rule' });
  }
  return await record(deps, { kind: 'suppression_end', former: storedRule(former) }, grounds);
}

async function findRule(db: Queryable, name: string): Promise<SuppressionRule | undefined> {
  return (await readSuppressionRules(db)).find(({ rule }) => rule === name);
}

/** Which card answers, or is scored alongside. Throws: `PlainError` if it does not exist. */
export async function proposeCard(
  deps: Deps,
  asked: {
    readonly score: ScoreKind;
    readonly role: 'champion' | 'challenger';
    readonly card: string | null;
  },
  grounds: Grounds,
): Promise<ProposalRow> {
  const { score, role, card } = asked;
  const chosen = card === null ? null : requireCard(await readAllCards(deps.pool), card, score);
  const assignments = await readAssignments(deps.pool);
  const former = assignments.find(({ kind }) => kind === score)?.[role] ?? null;
  if (former === card)
    throw new PlainError('This is already the current choice.', { field: 'card' });
  // A file may change until the approval; a card of the database never does.
  if (chosen !== null) await addCard(deps.pool, chosen, deps.clock.now());
  return await record(deps, { kind: 'scorecard', score, role, card, former }, grounds);
}

/** Records what was checked. */
export async function record(deps: Deps, content: Content, grounds: Grounds): Promise<ProposalRow> {
  if (grounds.caseId !== undefined) await requireSettles(deps.pool, content, grounds.caseId);
  const proposalId = newId();
  const about = aboutOf(content);
  const proposal = {
    proposalId,
    about,
    content,
    caseId: grounds.caseId ?? null,
    reason: requireText(grounds.reason, 'reason'),
    evidence: requireText(grounds.evidence, 'evidence'),
    proposedBy: requirePerson(grounds.by),
    proposedAt: deps.clock.now(),
  };
  const open = { ...proposal, decision: null, decidedBy: null, decidedAt: null };
  const mac = deps.ledgerMac.sign(proposalText(open));
  if (!(await insertProposal(deps.pool, { ...proposal, mac }))) {
    throw new PlainError(`Another proposal about ${about} waits for a decision.`);
  }
  const made = await findProposal(deps.pool, proposalId);
  if (made === undefined) throw new Error('The proposal was not recorded');
  return made;
}

/** Throws: `PlainError` unless the case is open, and is closed or about the two people of a merge. */
async function requireSettles(db: Queryable, content: Content, caseId: string): Promise<void> {
  const found = await requireOpenCase(db, caseId);
  if (content.kind === 'case') return;
  const survivors = await readSurvivors(db, found.crns);
  const people = new Set([...found.crns, ...survivors.values()].map(String));
  const isMerge = content.kind === 'merge' || content.kind === 'unmerge';
  if (isMerge && people.has(content.from) && people.has(content.into)) return;
  throw new PlainError('The case is not about these people.', { field: 'caseId' });
}

/** Throws: `PlainError`. */
async function requireOpenCase(db: Queryable, caseId: string): Promise<CreditCase> {
  const found = await findCase(db, caseId);
  if (found?.closedAt === null) return found;
  throw new PlainError('No open case has this id.', { field: 'caseId' });
}
