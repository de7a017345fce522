import type { Mac } from '../platform/base/mac.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { ALTERED, requireFound, requireText } from '../platform/base/proposal.ts';
import { repeatableTransaction } from '../platform/db/pool.ts';
import type { Pool, Queryable } from '../platform/db/pool.ts';
import { COMMAND_LINE, isSameActor, requireMay, requirePersonally, SERVICE } from './actors.ts';
import { aboutOf, draftOf, nameOf, needOf, stillWaits, unfit, vendorOf } from './draft.ts';
import { actorOf, ALTERED_DECISION, problemOf, UNDECIDED } from './decided.ts';
import type { Made } from './decided.ts';
import { decisionText, isDecisionAuthentic, proposalText, seenOf } from './authenticity.ts';
import type { Actor, AnyKind, Line } from './kind.ts';
import * as store from './store.ts';
import { postingTime } from '../platform/db/posting-time.ts';
import type { ProposalFilter } from './store.ts';
import type { ProposalRow } from './proposal.ts';

export interface ProposalRequest {
  readonly kind: string;
  readonly content: object;
  readonly by: Actor;
  /** Why. */
  readonly note: string;
}

export interface DecisionRequest {
  readonly proposalId: string;
  readonly by: Actor;
  /** Empty: no reason given. */
  readonly note?: string | undefined;
}

export interface Preview {
  /** The changes that an approval would make now. */
  readonly lines: readonly Line[];
  /** Facts for whoever decides. They may change before the decision, so `seen` does not cover them. */
  readonly remarks: readonly Line[];
  /** Why it cannot be approved; null: it can. */
  readonly problem: string | null;
  /** Names what was seen, for the approval. */
  readonly seen: string;
}

const MAX_EXPIRED = 100;
/** More do not wait, unless nobody looks at them at all. */
const MAX_LOOKED_AT = 1_000;

/**
 * The mechanism by which one person proposes something and another one decides. Every step takes its
 * locks in the same order: the people, what the proposal is about (`Kind.read`), the decision.
 */
export class Proposals {
  readonly #pool: Pool;
  readonly #mac: Mac;
  readonly #kinds: ReadonlyMap<string, AnyKind>;

  constructor(pool: Pool, mac: Mac, kinds: readonly AnyKind[]) {
    this.#pool = pool;
    this.#mac = mac;
    this.#kinds = new Map(kinds.map((each) => [each.name, each]));
  }

  /** Undefined: no kind of this version has this name. */
  kindOf(name: string): AnyKind | undefined {
    return this.#kinds.get(name);
  }

  get kinds(): readonly AnyKind[] {
    return [...this.#kinds.values()];
  }

  /**
   * Records a proposal and takes what it holds, in one commit. A setting is carried out in the same commit if
   * there is no second person: then the row has a decision.
   * Throws: `PlainError` with the problem.
   */
  async propose(request: ProposalRequest): Promise<ProposalRow> {
    const row = await repeatableTransaction(
      this.#pool,
      async (db) => await this.proposeIn(db, request),
    );
    if (row.decision === 'approved') await this.#requireKind(row.kind).afterwards?.(row);
    return row;
  }

  /** Proposes in the caller's database transaction, for kinds that do nothing afterwards. */
  async proposeIn(
    db: Queryable,
    { kind: name, content, by, note }: ProposalRequest,
  ): Promise<ProposalRow> {
    const kind = this.#requireKind(name);
    const reason = requireText(note, 'note');
    if (!kind.content.fits(content)) throw unfit(kind, content);
    const isAlone = by.program === undefined && (await kind.actsAlone?.(db, by, content)) === true;
    const need = needOf(kind, vendorOf(kind, content), 'proposes');
    if (!isAlone || by !== COMMAND_LINE) await requireMay(db, by, need, this.#mac);
    const facts = await kind.read(db, content, { lock: true, proposalId: null });
    kind.check(facts, content, null);
    if (kind.replaces) {
      await this.#withdrawOpen(db, aboutOf(kind, content), {
        ...{ by, note: 'Replaced by a new proposal.' },
      });
    }
    const draft = draftOf(kind, { content, by, note: reason, at: await postingTime(db) });
    const plan = kind.plan(facts, draft);
    const made = { ...draft, shown: kind.show(plan) };
    const signed = { ...made, mac: this.#mac.sign(proposalText(made)) };
    if (!(await store.insertProposal(db, signed))) {
      throw stillWaits();
    }
    await kind.hold?.take(db, signed);
    if (!isAlone) return { ...signed, ...UNDECIDED };
    return await this.#carryOut(db, { ...signed, ...UNDECIDED }, kind, {
      ...{ plan, by, note: reason, at: made.proposedAt, isAlone: true },
    });
  }

  /**
   * Shows the changes that an approval would make now. Throws: `PlainError` if it was decided, or was
   * altered.
   */
  async preview(proposalId: string): Promise<Preview> {
    const row = await this.#requireOpen(this.#pool, proposalId);
    const kind = this.#requireUnaltered(row);
    const facts = await kind.read(this.#pool, row.content, { lock: false, proposalId });
    const problem = problemOf(() => kind.check(facts, row.content, row));
    const lines = problem === null ? kind.show(kind.plan(facts, row)) : [];
    const seen = seenOf(proposalId, lines);
    return { lines, remarks: kind.remarks?.(facts) ?? [], problem, seen };
  }

  /**
   * Carries out another person's proposal, in the commit of the decision.
   * @param request.seen of the preview that the person looked at.
   * Throws: `PlainError` with the problem.
   */
  async approve(request: DecisionRequest & { readonly seen: string }): Promise<ProposalRow> {
    const { proposalId, by, note = '', seen } = request;
    const [row, kind] = await repeatableTransaction(this.#pool, async (db) => {
      const open = await this.#requireOpen(db, proposalId);
      // Before anything is read by its content.
      const ofKind = this.#requireUnaltered(open);
      requirePersonally(by);
      await this.#requireAnother(db, open, by, ofKind);
      const facts = await ofKind.read(db, open.content, { lock: true, proposalId });
      const at = await postingTime(db);
      if (open.expiresAt !== null && open.expiresAt <= at) {
        throw new PlainError('The proposal has expired. Propose it again.');
      }
      ofKind.check(facts, open.content, open);
      const plan = ofKind.plan(facts, open);
      if (seen !== seenOf(proposalId, ofKind.show(plan))) {
        const text = 'What it would do has changed since you looked at it. Look at it again.';
        throw new PlainError(text, { field: 'seen' });
      }
      const made = { plan, by, note, at, isAlone: false };
      return [await this.#carryOut(db, open, ofKind, made), ofKind] as const;
    });
    await kind.afterwards?.(row);
    return row;
  }

  /**
   * Ends a proposal, also an altered one, and gives back what it holds. By its proposer, it is withdrawn.
   * Throws: `PlainError` with the problem.
   */
  async reject(request: DecisionRequest): Promise<ProposalRow> {
    return await this.#endBy(request, false);
  }

  /** Ends a proposal like `reject`, but only for the person who proposed it. */
  async withdraw(request: DecisionRequest): Promise<ProposalRow> {
    return await this.#endBy(request, true);
  }

  async #endBy(
    { proposalId, by, note = '' }: DecisionRequest,
    onlyOwn: boolean,
  ): Promise<ProposalRow> {
    requirePersonally(by);
    return await repeatableTransaction(this.#pool, async (db) => {
      const row = await this.#requireEndable(db, proposalId);
      const isOwn = isSameActor(actorOf(row), { personId: by.personId, names: [by.name] });
      if (onlyOwn && !isOwn) {
        throw new PlainError('Somebody else proposed it. Reject it instead.', { field: 'by' });
      }
      const kind = this.#kinds.get(row.kind);
      // Of an altered one, nobody knows which vendor it concerns.
      const vendorId = this.#isUnaltered(row) ? row.vendorId : null;
      const need = kind && needOf(kind, vendorId, isOwn ? 'proposes' : 'decides');
      // The kind itself was altered: those who see the audit log may end it.
      const may = need ?? { permission: 'audit.read' as const, vendorId: null };
      await requireMay(db, by, may, this.#mac);
      const ending = { decision: isOwn ? 'withdrawn' : 'rejected', by, note } as const;
      if (row.decision === null) return await this.#end(db, row, ending);
      return await this.#giveBack(db, row, ending);
    });
  }

  /** Ends the proposals whose time is over, each in a commit of its own. Returns how many. */
  async expire(): Promise<number> {
    const due = await store.listExpired(this.#pool, MAX_EXPIRED);
    for (const proposalId of due) await this.#endInTime(proposalId, 'expired', '');
    return due.length;
  }

  /**
   * Withdraws the proposals that nobody can approve any more because what they would do was done in another way: a
   * receipt that waited was credited since, by a report of its provider. Returns how many.
   */
  async withdrawOver(): Promise<number> {
    const kinds = this.kinds.filter((kind) => kind.isOver !== undefined).map(({ name }) => name);
    let ended = 0;
    for (const row of await this.list({ open: true, kinds, limit: MAX_LOOKED_AT })) {
      const { proposalId, content } = row;
      if (!this.#isUnaltered(row)) continue;
      const kind = this.#requireKind(row.kind);
      const facts = await kind.read(this.#pool, content, { lock: false, proposalId });
      if (kind.isOver?.(facts, content) !== true) continue;
      const note = problemOf(() => kind.check(facts, content, row)) ?? '';
      if (await this.#endInTime(proposalId, 'withdrawn', note)) ended += 1;
    }
    return ended;
  }

  /** Returns false if somebody decided it at this moment. */
  async #endInTime(
    proposalId: string,
    decision: 'expired' | 'withdrawn',
    note: string,
  ): Promise<boolean> {
    try {
      return await repeatableTransaction(this.#pool, async (db) => {
        const row = await store.findProposal(db, proposalId);
        if (row === undefined || row.decision !== null) return false;
        await this.#end(db, row, { decision, by: SERVICE, note });
        return true;
      });
    } catch (error) {
      if (error instanceof PlainError) return false;
      throw error;
    }
  }

  /** Throws: `PlainError` unless two people, through the service, approved this proposal of the kind. */
  async requireApproved(db: Queryable, proposalId: string, kind: string): Promise<ProposalRow> {
    const row = requireFound(await store.findProposal(db, proposalId), 'proposal');
    if (row.kind !== kind) throw new PlainError(`The proposal is not a ${kind}.`);
    if (row.decision === null) throw new PlainError('The proposal waits for another person.');
    this.#requireUnaltered(row);
    if (!isDecisionAuthentic(row, this.#mac)) throw new PlainError(ALTERED_DECISION);
    if (row.decision === 'approved') return row;
    throw new PlainError(`The proposal was ${row.decision}.`);
  }

  /** Throws: `PlainError` (field `by`) unless this person may propose this kind now. For steps after the approval. */
  async requireMayPropose(db: Queryable, by: Actor, row: ProposalRow): Promise<void> {
    const kind = this.#requireKind(row.kind);
    await requireMay(db, by, needOf(kind, row.vendorId, 'proposes'), this.#mac);
  }

  async find(proposalId: string): Promise<ProposalRow> {
    return this.#believed(
      requireFound(await store.findProposal(this.#pool, proposalId), 'proposal'),
    );
  }

  /** In the caller's database transaction. Undefined: there is none with this id. */
  async findIn(db: Queryable, proposalId: string): Promise<ProposalRow | undefined> {
    const row = await store.findProposal(db, proposalId);
    return row && this.#believed(row);
  }

  /** Newest first. */
  async list(filter: ProposalFilter): Promise<ProposalRow[]> {
    return (await store.listProposals(this.#pool, filter)).map((row) => this.#believed(row));
  }

  /** Nobody sees a forged decision as one, and acts on it: the proposal counts as altered. */
  #believed(row: ProposalRow): ProposalRow {
    const isForged = row.decision !== null && !isDecisionAuthentic(row, this.#mac);
    return isForged ? { ...row, ...UNDECIDED, isOpen: false } : row;
  }

  /** The content for people; undefined if the proposal was altered: then nothing of it can be believed. */
  describe(row: ProposalRow): readonly Line[] | undefined {
    return this.#isUnaltered(row) ? this.#kinds.get(row.kind)?.describe(row.content) : undefined;
  }

  async #withdrawOpen(
    db: Queryable,
    about: string,
    ending: Pick<Made, 'by' | 'note'>,
  ): Promise<void> {
    const open = await store.findOpenAbout(db, about);
    if (open === undefined) return;
    const { by } = ending;
    if (by.program !== undefined && open.proposerId !== by.personId) throw stillWaits();
    await this.#end(db, open, { ...ending, decision: 'withdrawn' });
  }

  async #carryOut(
    db: Queryable,
    row: ProposalRow,
    kind: AnyKind,
    made: Omit<Made, 'decision' | 'carriedOut'> & { readonly plan: unknown },
  ): Promise<ProposalRow> {
    const { plan, by, at } = made;
    const carriedOut = kind.show(plan);
    const decided = await this.#decide(db, row, { ...made, decision: 'approved', carriedOut });
    await kind.apply(db, plan, { proposal: row, by: by.name, at });
    for (const other of kind.ends?.(plan) ?? []) {
      await this.#withdrawOpen(db, `${other.kind} ${other.about}`, {
        ...{ by, note: 'Another decision has made it pointless.' },
      });
    }
    return decided;
  }

  async #end(
    db: Queryable,
    row: ProposalRow,
    ending: Pick<Made, 'decision' | 'by' | 'note'>,
  ): Promise<ProposalRow> {
    const at = await this.#release(db, row);
    return await this.#decide(db, row, { ...ending, at, isAlone: false, carriedOut: null });
  }

  /**
   * Ends a proposal whose place for a decision is taken by a forged one. That stays, and counts for nothing; the audit
   * log says who ended it.
   */
  async #giveBack(
    db: Queryable,
    row: ProposalRow,
    { decision, by, note }: Pick<Made, 'decision' | 'by' | 'note'>,
  ): Promise<ProposalRow> {
    const decidedAt = await this.#release(db, row);
    await store.setNotOpen(db, row.proposalId);
    const decided = { decision, decidedBy: by.name, deciderId: by.personId, decidedAt };
    const rest = { isOpen: false, decisionNote: note, isAlone: false, carriedOut: null };
    return { ...row, ...decided, ...rest };
  }

  /** Returns what it holds, and the time. */
  async #release(db: Queryable, row: ProposalRow): Promise<Date> {
    const at = await postingTime(db);
    // Of every kind, because the kind may have been altered as well.
    for (const { hold } of this.#kinds.values()) await hold?.release(db, row.proposalId, at);
    return at;
  }

  /** The only place where a proposal is decided. */
  async #decide(db: Queryable, row: ProposalRow, made: Made): Promise<ProposalRow> {
    const { proposalId } = row;
    const { decision, by, at: decidedAt, note, isAlone, carriedOut } = made;
    const about = {
      proposalId,
      decision,
      decidedBy: nameOf(by),
      deciderId: by.personId,
      decidedAt,
    };
    const decided = { ...about, note, isAlone, carriedOut };
    const mac = this.#mac.sign(decisionText(decided, row.mac));
    if (!(await store.insertDecision(db, { ...decided, mac }))) {
      // It was decided in the meantime: throws, which undoes the rest of this database transaction.
      await this.#requireOpen(db, proposalId);
      throw new Error(`proposal ${proposalId} is neither open nor decided`);
    }
    const { decidedBy, deciderId } = about;
    const rest = { decision, decidedBy, deciderId, decidedAt, isAlone, carriedOut };
    return { ...row, ...rest, isOpen: false, decisionNote: note, decisionMac: mac };
  }

  #requireKind(name: string): AnyKind {
    const kind = this.#kinds.get(name);
    if (kind !== undefined) return kind;
    throw new PlainError(`There is no kind of proposal ${name}.`, { field: 'kind' });
  }

  async #requireOpen(db: Queryable, proposalId: string): Promise<ProposalRow> {
    const row = await this.#requireEndable(db, proposalId);
    if (row.decision === null) return row;
    throw new PlainError(ALTERED_DECISION, { field: 'proposal' });
  }

  /** One that waits, or whose decision is forged. */
  async #requireEndable(db: Queryable, proposalId: string): Promise<ProposalRow> {
    const row = requireFound(await store.findProposal(db, proposalId), 'proposal');
    if (row.decision === null || !isDecisionAuthentic(row, this.#mac)) return row;
    throw new PlainError(`The proposal was already ${row.decision} by ${row.decidedBy}.`);
  }

  #isUnaltered(row: ProposalRow): boolean {
    // Listed as decided, without a decision: somebody has removed that.
    if (row.decision === null && !row.isOpen) return false;
    const kind = this.#kinds.get(row.kind);
    if (kind === undefined || !this.#mac.verify(proposalText(row), row.mac)) return false;
    return kind.content.fits(row.content) && row.about === aboutOf(kind, row.content);
  }

  #requireUnaltered(row: ProposalRow): AnyKind {
    if (!this.#isUnaltered(row)) throw new PlainError(ALTERED, { field: 'proposal' });
    return this.#requireKind(row.kind);
  }

  /** Nobody decides alone, by any name or account. Who proposed it must still be somebody who may. */
  async #requireAnother(db: Queryable, row: ProposalRow, by: Actor, kind: AnyKind): Promise<void> {
    const names = await requireMay(db, by, needOf(kind, row.vendorId, 'decides'), this.#mac);
    const proposer = actorOf(row);
    const its = await this.#namesOfProposer(db, row, kind);
    const isSame = isSameActor({ ...proposer, names: its }, { personId: by.personId, names });
    if (!isSame) return;
    const text = `${by.name} proposed it; another person has to approve it.`;
    throw new PlainError(text, { field: 'by' });
  }

  async #namesOfProposer(
    db: Queryable,
    row: ProposalRow,
    kind: AnyKind,
  ): Promise<readonly string[]> {
    const proposer = { personId: row.proposerId, name: row.proposedBy };
    try {
      return await requireMay(db, proposer, needOf(kind, row.vendorId, 'proposes'), this.#mac);
    } catch (error) {
      if (!(error instanceof PlainError)) throw error;
      const text =
        'Whoever proposed it may not propose it any more. Reject it, and propose it again.';
      throw new PlainError(text, { field: 'proposal' });
    }
  }
}
