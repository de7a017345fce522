import { choosesItself } from './behaviour.ts';
import type { OutcomeName } from './behaviour.ts';

/** An outcome that a vendor has chosen for its next instructions. */
export interface Choice {
  readonly id: string;
  /** The beginning that the references of the vendor's payments share. */
  readonly references: string;
  /** Limits the choice to instructions about this account; null: about any. */
  readonly account: string | null;
  readonly outcome: OutcomeName;
  readonly times: number;
}

/** More than this many of a vendor are refused. */
const MAX_CHOICES_OF_VENDOR = 100;

/** Choices that are still to be used, in the order in which they were made. */
export class Choices {
  readonly #left = new Map<string, { readonly choice: Choice; left: number }>();

  add(choice: Choice): void {
    this.#left.set(choice.id, { choice, left: choice.times });
  }

  /** Uses the choice once. */
  use(id: string | undefined): void {
    const known = id === undefined ? undefined : this.#left.get(id);
    if (known === undefined) return;
    known.left -= 1;
    if (known.left === 0) this.#left.delete(known.choice.id);
  }

  drop(references: string): void {
    for (const { id } of this.of(references)) this.#left.delete(id);
  }

  /** The choice for an instruction. An account that chooses its behaviour itself needs none. */
  find({ reference, account }: { readonly reference: string; readonly account: string }) {
    if (choosesItself(account)) return undefined;
    for (const { choice } of this.#left.values()) {
      if (!reference.startsWith(choice.references)) continue;
      if (choice.account === null || choice.account === account) return choice;
    }
    return undefined;
  }

  /** Lists a vendor's choices; `times` is how often they are still to be used. */
  of(references: string): Choice[] {
    return [...this.#left.values()]
      .filter(({ choice }) => choice.references === references)
      .map(({ choice, left }) => ({ ...choice, times: left }));
  }

  isFull(references: string): boolean {
    return this.of(references).length >= MAX_CHOICES_OF_VENDOR;
  }
}
