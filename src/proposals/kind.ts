import type { Permission } from '../parties/people/permissions.ts';
import type { Compiled } from '../platform/base/compiled.ts';
import type { Queryable } from '../platform/db/pool.ts';

/** The person who acts. */
export interface Actor {
  /** Null: a name on the command line, which counts only until staff sign in with one-time codes. */
  readonly personId: string | null;
  /** The login, or that name. */
  readonly name: string;
  /** The name of the program that acts with the person's token. It never acts alone, and never decides. */
  readonly program?: string;
}

/** A row of what is shown to people: a label with a text, an amount, or both. */
export interface Line {
  readonly label: string;
  readonly text?: string;
  /** Whole cents, as text. */
  readonly cents?: string;
}

/** A proposal, as its kind sees it. */
export interface Proposed<Content> {
  readonly proposalId: string;
  readonly content: Content;
  readonly note: string;
  readonly proposedBy: string;
  readonly proposedAt: Date;
}

/**
 * The parts in which kinds of proposals differ. Who may act, two people, authentication codes, the life
 * cycle and the order of locks are the same for all of them, and are in `proposals.ts`.
 * @template Facts what `read` returns; @template Plan what `apply` carries out and the preview shows.
 */
export interface Kind<Content extends object, Facts, Plan> {
  /** Such as `payout`. */
  readonly name: string;
  /** The proposal's title for people. Like the labels of lines, in Swahili in `console/src/locales`. */
  readonly title: string;
  /** A strict schema. Cents are text. No personal data of customers: the row is kept for good. */
  readonly content: Compiled<Content>;
  readonly proposedBy: Permission;
  readonly decidedBy: Permission;
  /** Lets people of the vendor that it concerns propose or decide, with the same permission. Otherwise only staff may. */
  readonly ownVendor?: { readonly proposes?: true; readonly decides?: true };
  /** Absent: it waits until somebody decides. */
  readonly expiresAfterDays?: number;
  /** A new proposal about the same thing withdraws the old one. Absent: the new one is refused. */
  readonly replaces?: true;
  /** Settings, income by hand and people: whether it takes effect at once, because there is no second person. */
  actsAlone?(db: Queryable, by: Actor, content: Content): Promise<boolean>;
  /** Names the thing that the proposal is about. Only one proposal of the kind waits for each such thing. */
  about(content: Content): string;
  vendorId?(content: Content): number | null;
  /** The content for people. Pure. */
  describe(content: Content): readonly Line[];
  /**
   * Everything that the decision depends on. With `lock`, locked until the database transaction ends: first what is
   * unique across vendors, then floats by bucket and id, then our own accounts.
   * @param proposalId null at the proposal. Afterwards the money that it holds counts as its own.
   */
  read(
    db: Queryable,
    content: Content,
    how: { readonly lock: boolean; readonly proposalId: string | null },
  ): Promise<Facts>;
  /**
   * Throws: `PlainError` if it cannot be carried out. Pure. Runs at the proposal, in the preview and at the decision.
   * @param proposal null at the proposal.
   */
  check(facts: Facts, content: Content, proposal: Proposed<Content> | null): void;
  /** Exactly what `apply` will write. Pure. */
  plan(facts: Facts, proposal: Proposed<Content>): Plan;
  /** The plan for people, for the decision and for the audit log, without personal data. Pure. */
  show(plan: Plan): readonly Line[];
  /**
   * Further lines of the preview. They may change at any time, so an approval does not depend on them.
   * Pure.
   */
  remarks?(facts: Facts): readonly Line[];
  /** Other proposals that are pointless once this one is carried out. They are withdrawn in its commit. Pure. */
  ends?(plan: Plan): readonly { readonly kind: string; readonly about: string }[];
  /**
   * True once `check` refuses it for good, because what it would do was done in another way. Then the service
   * withdraws it. Pure.
   */
  isOver?(facts: Facts, content: Content): boolean;
  /** In the commit of the decision. Calls no network and reads no file. */
  apply(db: Queryable, plan: Plan, approval: Approved<Content>): Promise<void>;
  /** After the commit of an approval; it may be lost, so a job has to be able to do it as well. */
  afterwards?(proposal: Proposed<Content>): Promise<void>;
  /** Money that waits with the proposal. */
  readonly hold?: Hold<Content>;
}

export interface Approved<Content> {
  readonly proposal: Proposed<Content>;
  readonly by: string;
  readonly at: Date;
}

interface Hold<Content> {
  /** In the commit of the proposal. */
  take(db: Queryable, proposal: Proposed<Content>): Promise<void>;
  /** Gives back what the ledger says is held, if anything: the proposal may have been altered. */
  release(db: Queryable, proposalId: string, at: Date): Promise<void>;
}

export type AnyKind = Kind<object, unknown, unknown>;

/** Keeps the types of one kind, and forgets them in lists. */
export function kind<Content extends object, Facts, Plan>(
  declared: Kind<Content, Facts, Plan>,
): AnyKind {
  return declared;
}
