import type { Role } from '../../../src/parties/people/roles.ts';
import type { Actor, Line } from '../../../src/proposals/kind.ts';
import type { Proposals } from '../../../src/proposals/proposals.ts';
import type { Books } from '../../support/money-fixture.ts';

type Person = Actor & { readonly personId: string };

export interface People {
  readonly asha: Person;
  readonly baraka: Person;
  readonly chege: Person;
}

/** A proposal by Asha, and what is right after everything that may happen to it. */
export interface Case {
  readonly id: string;
  /** What an approval would do. */
  readonly shown: readonly Line[];
  /** Everything that the proposal may change. */
  state(): Promise<unknown>;
  /** The state after an approval, and after any other end. */
  readonly approved: unknown;
  readonly ended: unknown;
  /** Makes it impossible to carry out, for this reason. */
  changeFacts(): Promise<void>;
  readonly reason: RegExp;
  /** The state after a rejection once the facts changed. Default: `ended`. */
  readonly endedAfterChange?: unknown;
  /** Spends the money that it is about; returns the state after an approval. */
  spend(): Promise<unknown>;
  /** A role without the permission. Default: `risk`. */
  readonly powerless?: Role;
  /** Every member of staff may propose it, in any role. */
  readonly isProposedByAll?: true;
}

export interface Given {
  readonly books: Books;
  readonly proposals: Proposals;
  readonly people: People;
}

/** By kind: the role of the people who propose and decide it (default: finance), and the proposal. */
export type Cases = Readonly<
  Record<string, { readonly role?: Role; make(given: Given): Promise<Case> }>
>;
