import type { State, Terms } from '../registry/account.ts';
import type { Profile } from '../registry/profile.ts';

/** One account of one person as a lender submits it. */
export interface SubmittedAccount {
  /** Line of the file it begins on; 0 when it is from no file. */
  readonly line: number;
  readonly profile: Profile;
  readonly accountNumber: string;
  readonly clientNumber: string;
  readonly terms: Terms;
  /** One for a monthly file; several when an account comes with its history, the oldest first. */
  readonly states: readonly State[];
}

/** A submitted account with its blind indexes, as map keys (`platform/db/arrays.ts`). */
export interface IndexedAccount {
  readonly submitted: SubmittedAccount;
  /** Of each document of the profile: the key under the current index key and under a former one. */
  readonly documentKeys: readonly (readonly string[])[];
  readonly accountKeys: readonly string[];
  readonly identityHash: string;
  /** An earlier line of the file is about the same account. */
  readonly isRepeated: boolean;
}

/** Something wrong with a line, for the lender to fix; never repeats what the line holds. */
export interface Finding {
  readonly line: number;
  /** Column at fault, or empty when it is the line as a whole. */
  readonly field: string;
  /** Permanent name of the rule, listed in the import guide. */
  readonly rule: string;
  /** For people: what is expected. */
  readonly text: string;
}
