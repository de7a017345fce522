import type { Clock } from '../../platform/base/clock.ts';
import { isoDay } from '../../platform/base/days.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireText } from '../../platform/base/proposal.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import type { Actor } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { digestOf, readAllCards, requireCard } from '../governance/cards.ts';
import { addCard } from '../governance/add-card.ts';
import { readAssignments } from '../governance/read-cards.ts';
import { findOpenDispute } from '../registry/read-disputes.ts';
import type { DisputeOutcome } from '../registry/read-disputes.ts';
import { findNewestLife } from '../registry/life-store.ts';
import type { SubjectLifeRecord } from '../registry/life-store.ts';
import { readSurvivors } from '../registry/read-merges.ts';
import { readSuppressionRules } from '../registry/read-suppression.ts';
import type { SuppressionRule } from '../registry/suppression.ts';
import { checkSale, findSale } from '../registry/sales-store.ts';
import type { SoldDebt } from '../registry/sales-store.ts';
import { findCountedAccount, listBought } from '../registry/read-withdrawals.ts';
import type { AccountRef } from '../registry/read-withdrawals.ts';
import type { ScoreKind } from '../scorecards/scorecard.ts';
import { kindNameOf, lifeText, requireUsableRule, storedRule } from './content.ts';
import type { Content } from './content.ts';
import { NO_SALE } from './problems.ts';

export interface Deps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly proposals: Proposals;
}

/** Who proposes it, and why. */
export interface Grounds {
  readonly by: Actor;
  readonly reason: string;
  /** Where it can be looked up. */
  readonly evidence: string;
  /** The case that led to it, which an approval closes. */
  readonly caseId?: string | undefined;
}

/** In place of a lender that does not have the account; the check of the proposal says what is wrong. */
const NOBODY = '–';

/** Two subjects are one person: what is on file about `from` is answered under `into`. */
export async function proposeMerge(
  deps: Deps,
  { from, into }: { readonly from: bigint; readonly into: bigint },
  grounds: Grounds,
): Promise<ProposalRow> {
  if (from === into) throw new PlainError('The two references are the same.', { field: 'into' });
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

/** Proposes the outcome of a dispute. */
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
  const lender = (await findCountedAccount(deps.pool, { crn, accountId })) ?? NOBODY;
  const bought = await listBought(deps.pool, { crn, accountId });
  const about = { crn: String(crn), account: String(accountId), lender, bought };
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
    throw new PlainError('The day of the sale must not be in the future.', { field: 'sold_on' });
  }
  const checked = await checkSale(deps.pool, sale);
  const lenders = typeof checked === 'string' ? { lender: NOBODY, buyer: NOBODY } : checked;
  const about = { crn: String(sale.crn), account: String(sale.from), into: String(sale.into) };
  const content = { kind: 'sale', ...about, ...lenders, soldOn: sale.soldOn } as const;
  return await record(deps, content, grounds);
}

/** A sale was recorded wrongly: both accounts count again, each by itself. */
export async function proposeSaleEnd(
  deps: Deps,
  { crn, accountId }: AccountRef,
  grounds: Grounds,
): Promise<ProposalRow> {
  const sale = await findSale(deps.pool, { crn, accountId });
  if (sale === undefined) throw new PlainError(NO_SALE, { field: 'account' });
  const { lender, buyer, soldOn } = sale;
  const about = { crn: String(crn), account: String(accountId), into: String(sale.into) };
  return await record(deps, { kind: 'sale_end', ...about, lender, buyer, soldOn }, grounds);
}

/** A person died, or is alive although a death was recorded or reported. */
export async function proposeLife(
  deps: Deps,
  { crn, status, diedOn }: Pick<SubjectLifeRecord, 'status' | 'diedOn'> & { readonly crn: bigint },
  grounds: Grounds,
): Promise<ProposalRow> {
  const former = lifeText((await findNewestLife(deps.pool, crn)) ?? null);
  return await record(deps, { kind: status, crn: String(crn), diedOn, former }, grounds);
}

/** A case is closed with a finding: people had to decide nothing, or a lender corrects it. */
export async function proposeClosing(
  deps: Deps,
  caseId: string,
  grounds: Omit<Grounds, 'caseId'>,
): Promise<ProposalRow> {
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
  const sha256 = digestOf(chosen ?? undefined);
  return await record(deps, { kind: 'scorecard', score, role, card, sha256, former }, grounds);
}

/** Proposes it, once everything about it is right. */
export async function record(
  { proposals }: Deps,
  what: Content,
  { by, reason, evidence, caseId }: Grounds,
): Promise<ProposalRow> {
  const note = requireText(reason, 'reason');
  const grounds = { evidence: requireText(evidence, 'evidence'), caseId: caseId ?? null };
  const content = { what, ...grounds };
  return await proposals.propose({ kind: kindNameOf(what.kind), content, by, note });
}
