import type { TSchema } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import type { Compiled } from '../../platform/base/compiled.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { lockTopic, markChanged } from '../../platform/db/settings-watch.ts';
import { kind } from '../../proposals/kind.ts';
import type { AnyKind, Line } from '../../proposals/kind.ts';
import { digestOf, readAllCards } from '../governance/cards.ts';
import { assignCards } from '../governance/cards-store.ts';
import { readAssignments } from '../governance/read-cards.ts';
import { findImportOf } from '../importing/read-imports.ts';
import { closeCase } from '../registry/cases-store.ts';
import { findCase } from '../registry/read-cases.ts';
import type { CreditCase } from '../registry/read-cases.ts';
import { holdRegistry } from '../registry/counters-store.ts';
import { closeDispute } from '../registry/disputes-store.ts';
import { findOpenDispute, isSettled } from '../registry/read-disputes.ts';
import { addLifeRecord, findNewestLife } from '../registry/life-store.ts';
import { findMergeProblem, mergeSubjects, undoMerge } from '../registry/merges-store.ts';
import { readSurvivors } from '../registry/read-merges.ts';
import { checkSale, findSale, recordSale, undoSale } from '../registry/sales-store.ts';
import { putSuppressionRule, removeSuppressionRule } from '../registry/suppression-store.ts';
import { readSuppressionRules } from '../registry/read-suppression.ts';
import { withdrawAccount } from '../registry/withdrawals-store.ts';
import {
  findCountedAccount,
  listBought,
  listRecipients,
  readShownSpans,
} from '../registry/read-withdrawals.ts';
import { separateWatches } from '../watches/store.ts';
import * as content from './content.ts';
import type { Content, Grounded } from './content.ts';
import { MERGE_PROBLEMS, NO_SALE, SALE_PROBLEMS } from './problems.ts';

type Of<Name extends Content['kind']> = Extract<Content, { kind: Name }>;

/** The parts in which the kinds differ. */
interface Declared<What extends Content, Facts> {
  /** Schema of the content. */
  readonly schema: TSchema;
  /** One of the things that it is for. */
  readonly of: What['kind'];
  /** See `Kind`. */
  readonly title: string;
  /** With `lock`, locked until the database transaction ends. */
  read(db: Queryable, what: What, lock: boolean): Promise<Facts>;
  /** Throws: `PlainError` if it cannot be carried out. Pure. */
  check(facts: Facts, what: What): void;
  /** See `Kind`. */
  isOver?(facts: Facts): boolean;
  remarks?(facts: Facts): readonly Line[];
  apply(db: Queryable, what: What, made: Approved): Promise<unknown>;
}

interface Approved {
  readonly reason: string;
  readonly at: Date;
  readonly evidence: string;
  readonly proposedAt: Date;
}

interface Read<Facts> {
  readonly facts: Facts;
  /** The case that led to the proposal, and the people whom it is about now. */
  readonly found: { readonly of: CreditCase; readonly people: ReadonlySet<string> } | null;
}

/** Needs two people in the sandbox as well: it changes what lenders learn about people. */
function creditKind<What extends Content, Facts>(declared: Declared<What, Facts>): AnyKind {
  return kind<Grounded<What>, Read<Facts>, What>({
    name: content.kindNameOf(declared.of),
    title: declared.title,
    content: compiled(content.grounded(declared.schema)) as Compiled<unknown> as Compiled<
      Grounded<What>
    >,
    proposedBy: 'credit.act',
    decidedBy: 'credit.act',
    about: ({ what }) => content.aboutOf(what),
    describe: ({ what, evidence }) => [
      ...content.linesOf(what),
      { label: 'Evidence', text: evidence },
    ],
    read: async (db, { what, caseId }, { lock }) => ({
      facts: await declared.read(db, what, lock),
      found: caseId === null ? null : await readCase(db, caseId),
    }),
    check: ({ facts, found }, { what, caseId }, proposal) => {
      // Afterwards, the proposal stands on its own.
      if (proposal === null && caseId !== null) requireSettles(found, what);
      declared.check(facts, what);
    },
    plan: (_read, { content: { what } }) => what,
    show: (what) => content.linesOf(what),
    remarks: ({ facts }) => declared.remarks?.(facts) ?? [],
    ...(declared.isOver && { isOver: ({ facts }) => declared.isOver?.(facts) === true }),
    apply: async (db, what, { proposal, by, at }) => {
      const reason = `${proposal.note} (proposed by ${proposal.proposedBy}, approved by ${by})`;
      const { evidence, caseId } = proposal.content;
      await declared.apply(db, what, { reason, at, evidence, proposedAt: proposal.proposedAt });
      if (caseId === null || what.kind === 'case') return;
      await closeCase(db, caseId, `${content.textOf(what)}: ${reason}`, at);
    },
  });
}

async function readCase(db: Queryable, caseId: string): Promise<Read<unknown>['found']> {
  const of = await findCase(db, caseId);
  if (of === undefined) return null;
  const survivors = await readSurvivors(db, of.crns);
  return { of, people: new Set([...of.crns, ...survivors.values()].map(String)) };
}

/** Throws: `PlainError` unless the case is open, and is closed or about the two people of a merge. */
function requireSettles(found: Read<unknown>['found'], what: Content): void {
  if (found?.of.closedAt !== null) throw new PlainError(NO_CASE, { field: 'case' });
  if (what.kind === 'case') return;
  const isMerge = what.kind === 'merge' || what.kind === 'unmerge';
  if (isMerge && found.people.has(what.from) && found.people.has(what.into)) return;
  throw new PlainError('The case is not about these people.', { field: 'case' });
}

const NO_CASE = 'No open case has this id.';

/** Throws: `PlainError` if something else was decided at the same time. */
function requireDone(isDone: boolean): void {
  if (!isDone) throw new PlainError('It was decided in the meantime.');
}

const mergeKind = creditKind<Of<'merge' | 'unmerge'>, string | undefined>({
  schema: content.MERGE,
  of: 'merge',
  title: 'References of one person',
  read: async (db, what, lock) => {
    if (lock) await holdRegistry(db);
    const { from, into } = { from: BigInt(what.from), into: BigInt(what.into) };
    if (what.kind === 'unmerge') {
      const isMerged = (await readSurvivors(db, [from])).get(from) === into;
      return isMerged ? undefined : 'This subject is not merged into another.';
    }
    const problem = await findMergeProblem(db, { from, into });
    return problem && MERGE_PROBLEMS[problem];
  },
  check: (problem) => {
    if (problem !== undefined) throw new PlainError(problem, { field: 'from' });
  },
  apply: async (db, { kind: step, from, into }, made) => {
    const change = { from: BigInt(from), into: BigInt(into), ...made };
    if (step === 'merge') {
      requireDone((await mergeSubjects(db, change)) === undefined);
      return;
    }
    requireDone(await undoMerge(db, change));
    await separateWatches(db, change.into, made.at);
  },
});

const disputeKind = creditKind<Of<'dispute'>, { isOpen: boolean; isSettled: boolean }>({
  schema: content.DISPUTE,
  of: 'dispute',
  title: 'Close a dispute',
  read: async (db, { dispute }) => {
    const open = await findOpenDispute(db, dispute);
    return {
      isOpen: open !== undefined,
      isSettled: open !== undefined && (await isSettled(db, open)),
    };
  },
  check: (found, { outcome }) => {
    if (!found.isOpen) throw new PlainError('No open dispute has this id.');
    if (outcome !== 'upheld' || found.isSettled) return;
    throw new PlainError(NOT_SETTLED, { field: 'outcome' });
  },
  isOver: ({ isOpen }) => !isOpen,
  apply: async (db, { dispute, outcome }, { at }) =>
    requireDone(await closeDispute(db, dispute, outcome, at)),
});

const NOT_SETTLED =
  'The account is as it was: what the customer is right about would count again. Wait for the lender’s correction, or withdraw the account first.';

interface AccountFacts {
  readonly problem: PlainError | undefined;
  /** Answers that contained it. */
  readonly answers: number;
}

const accountKind = creditKind<Of<'withdrawal' | 'sale' | 'sale_end'>, AccountFacts>({
  schema: content.ACCOUNT,
  of: 'withdrawal',
  title: 'Account of a customer',
  read: async (db, what, lock) => {
    // No import, sale or withdrawal changes what is checked.
    if (lock) await holdRegistry(db);
    if (what.kind === 'withdrawal') return await readWithdrawal(db, what);
    return what.kind === 'sale' ? await readSale(db, what) : await readSaleEnd(db, what);
  },
  check: ({ problem }) => {
    if (problem !== undefined) throw problem;
  },
  remarks: ({ answers }) =>
    answers === 0 ? [] : [{ label: 'Answers that contained it', text: String(answers) }],
  apply: async (db, what, made) => {
    const [crn, accountId] = [BigInt(what.crn), BigInt(what.account)];
    if (what.kind === 'withdrawal') {
      requireDone(await withdrawAccount(db, { crn, accountId }, made));
      return;
    }
    const sale = { crn, from: accountId, into: BigInt(what.into), soldOn: what.soldOn };
    const isDone =
      what.kind === 'sale'
        ? (await recordSale(db, sale, made)) === undefined
        : await undoSale(db, sale, made);
    requireDone(isDone);
  },
});

async function readWithdrawal(db: Queryable, what: Of<'withdrawal'>): Promise<AccountFacts> {
  const ref = { crn: BigInt(what.crn), accountId: BigInt(what.account) };
  const isCounted = (await findCountedAccount(db, ref)) === what.lender;
  const isSameDebt = jsonText(await listBought(db, ref)) === jsonText(what.bought);
  const recipients = await listRecipients(db, await readShownSpans(db, ref));
  const text = isCounted
    ? 'What was sold into the account has changed since. Reject it, and propose again.'
    : 'The person has no such account, or it was sold, or is withdrawn already.';
  return {
    problem: isCounted && isSameDebt ? undefined : new PlainError(text, { field: 'account' }),
    answers: recipients.reduce((sum, { answers }) => sum + answers, 0),
  };
}

async function readSale(db: Queryable, what: Of<'sale' | 'sale_end'>): Promise<AccountFacts> {
  const { crn, account, into, soldOn } = what;
  const sale = { crn: BigInt(crn), from: BigInt(account), into: BigInt(into), soldOn };
  const checked = await checkSale(db, sale);
  if (typeof checked !== 'string') return { problem: undefined, answers: 0 };
  const field = checked === 'before_opening' || checked === 'order' ? 'sold_on' : 'account';
  return { problem: new PlainError(SALE_PROBLEMS[checked], { field }), answers: 0 };
}

/** Answers since the sale was recorded did not contain the account by itself. */
async function readSaleEnd(
  db: Queryable,
  { crn, account, into, soldOn }: Of<'sale' | 'sale_end'>,
): Promise<AccountFacts> {
  const ref = { crn: BigInt(crn), accountId: BigInt(account) };
  const sale = await findSale(db, ref);
  if (sale?.into !== BigInt(into) || sale.soldOn !== soldOn) {
    return { problem: new PlainError(NO_SALE, { field: 'account' }), answers: 0 };
  }
  const spans = (await readShownSpans(db, ref)).map((span) => {
    return { ...span, from: span.from > sale.recordedAt ? span.from : sale.recordedAt };
  });
  const recipients = await listRecipients(db, spans);
  return {
    problem: undefined,
    answers: recipients.reduce((sum, { answers }) => sum + answers, 0),
  };
}

const lifeKind = creditKind<Of<'deceased' | 'living'>, { former: string | null } | undefined>({
  schema: content.LIFE,
  of: 'deceased',
  title: 'Death of a customer',
  read: async (db, { crn }) => {
    const newest = await findNewestLife(db, BigInt(crn));
    return newest === undefined ? undefined : { former: content.lifeText(newest) };
  },
  check: (found, { former }) => {
    if (found === undefined) {
      throw new PlainError('There is no subject with this reference.', { field: 'crn' });
    }
    requireUnchanged(found.former, former);
  },
  apply: async (db, { kind: status, crn, diedOn }, { evidence, proposedAt }) => {
    // What lenders report after the evidence was seen is not refuted by it.
    const made = { status, recordedAt: proposedAt, diedOn, evidence };
    requireDone(await addLifeRecord(db, BigInt(crn), made));
  },
});

const caseKind = creditKind<Of<'case'>, CreditCase | undefined>({
  schema: content.CASE,
  of: 'case',
  title: 'Close the case',
  read: async (db, what) => await findCase(db, what.case),
  check: (found) => {
    if (found?.closedAt !== null) throw new PlainError(NO_CASE, { field: 'case' });
  },
  isOver: (found) => found?.closedAt !== null,
  apply: async (db, what, { reason, at }) =>
    requireDone(await closeCase(db, what.case, reason, at)),
});

/** The approval permits the import of exactly this file (`imports.ts`). */
const importKind = creditKind<Of<'import'>, boolean>({
  schema: content.IMPORT,
  of: 'import',
  title: 'Import a lender’s file',
  read: async (db, { lender, asOf, corrects, sha256 }) => {
    const fileHash = Buffer.from(sha256, 'hex');
    const made = await findImportOf(db, { lender, asOf, corrects, fileHash });
    return made !== undefined && made.finishedAt !== null;
  },
  check: (isImported) => {
    if (!isImported) return;
    throw new PlainError('This file was imported already.', { field: 'file' });
  },
  isOver: (isImported) => isImported,
  apply: async () => {},
});

const ruleKind = creditKind<Of<'suppression' | 'suppression_end'>, unknown>({
  schema: content.RULE,
  of: 'suppression',
  title: 'Suppression rule',
  read: async (db, what) => {
    const { rule: name } = what.kind === 'suppression' ? what.rule : what.former;
    const now = (await readSuppressionRules(db)).find(({ rule }) => rule === name);
    return now === undefined ? null : content.storedRule(now);
  },
  check: (now, { former }) => requireUnchanged(now, former),
  apply: async (db, what, made) => {
    if (what.kind === 'suppression') {
      await putSuppressionRule(db, content.ruleOf(what.rule), made);
      return;
    }
    await removeSuppressionRule(db, { rule: what.former.rule, ...made });
  },
});

const scorecardKind = creditKind<Of<'scorecard'>, Pick<Of<'scorecard'>, 'former' | 'sha256'>>({
  schema: content.SCORECARD,
  of: 'scorecard',
  title: 'Change of scorecard',
  read: async (db, { score, role, card }, lock) => {
    // Changes of champion and challenger wait for each other.
    if (lock) await lockTopic(db, 'scorecards');
    const assigned = (await readAssignments(db)).find((one) => one.kind === score);
    const sha256 = digestOf((await readAllCards(db)).get(card ?? ''));
    return { former: assigned?.[role] ?? null, sha256 };
  },
  check: (now, { former, sha256 }) => {
    requireUnchanged(now.former, former);
    if (now.sha256 === sha256) return;
    throw new PlainError('The card has changed since it was proposed.', { field: 'card' });
  },
  apply: async (db, { score, role, card }, { reason, at }) => {
    await markChanged(db, 'scorecards');
    await assignCards(db, { kind: score, [role]: card, reason }, at);
  },
});

/** Throws: `PlainError`. */
function requireUnchanged(now: unknown, proposed: unknown): void {
  if (jsonText(now) === jsonText(proposed)) return;
  throw new PlainError(
    'What it would replace has changed since it was proposed. Reject it, and propose again.',
  );
}

export const CREDIT_KINDS: readonly AnyKind[] = [
  mergeKind,
  disputeKind,
  accountKind,
  lifeKind,
  caseKind,
  importKind,
  ruleKind,
  scorecardKind,
];
