import type { State, Terms } from '../registry/account.ts';
import type { Profile } from '../registry/profile.ts';

/** One account of one person, as submitted by a lender. */
export interface SubmittedAccount {
  /** The line of the file that it begins on; 0 if it does not come from a file. */
  readonly line: number;
  readonly profile: Profile;
  readonly accountNumber: string;
  readonly clientNumber: string;
  readonly terms: Terms;
  /** One state for a monthly file; several if an account comes with its history, oldest first. */
  readonly states: readonly State[];
}

/** The lender says that other people hold the account, too: it has a line for each of them. */
export function isJoint({ terms }: Pick<SubmittedAccount, 'terms'>): boolean {
  return (terms.jointHolders ?? 0) > 0;
}

/** The person guarantees the account of others, which has a line for its holder. */
export function isGuaranteed({ terms }: Pick<SubmittedAccount, 'terms'>): boolean {
  return terms.isGuarantee === true;
}

/** A submitted account with its blind indexes, as map keys (`platform/db/arrays.ts`). */
export interface IndexedAccount {
  readonly submitted: SubmittedAccount;
  /** Keys of each document of the profile, under the current index key and under a former one. */
  readonly documentKeys: readonly (readonly string[])[];
  readonly accountKeys: readonly string[];
  readonly identityHash: string;
  /** An earlier line of the file is about the same account. */
  readonly isRepeated: boolean;
}

/** A problem with a line, for the lender to fix; never repeats the line's content. */
export interface Finding {
  readonly line: number;
  /** The column at fault, or empty if it is the whole line. */
  readonly field: string;
  /** Permanent name of the rule, listed in the import guide. */
  readonly rule: string;
  /** Describes for people the value that is expected. */
  readonly text: string;
  /** The line was imported all the same. Absent: it was not. */
  readonly imported?: true;
}
