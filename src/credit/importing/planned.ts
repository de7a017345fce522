import type { Profile } from '../registry/profile.ts';
import type { Day, KnownAccount, State, Terms } from '../registry/account.ts';
import type { Finding, IndexedAccount } from './record.ts';

/** The registry's data about the people and accounts of a batch. */
export interface Known {
  /** Subjects by document key. */
  readonly owners: ReadonlyMap<string, readonly bigint[]>;
  /** By account key; several if it has joint holders or guarantors. */
  readonly accounts: ReadonlyMap<string, readonly KnownAccount[]>;
  readonly profiles: ReadonlyMap<bigint, Profile>;
  /**
   * Merged subjects, with the subject that each is merged into, as far as the batch concerns them.
   */
  readonly survivors: ReadonlyMap<bigint, bigint>;
  /** The reverse mapping. */
  readonly merged: ReadonlyMap<bigint, readonly bigint[]>;
  readonly nextCrn: bigint;
  readonly nextAccountId: bigint;
}

export interface PlannedAccount {
  readonly crn: bigint;
  readonly accountId: bigint;
  readonly indexed: IndexedAccount;
  readonly terms: Terms;
  readonly termsAsOf: Day;
}

/** Everything a batch changes, in one commit. */
export interface Plan {
  readonly newSubjects: ReadonlyMap<bigint, Profile>;
  readonly changedSubjects: ReadonlyMap<bigint, Profile>;
  readonly documents: { crn: bigint; key: string }[];
  readonly newAccounts: PlannedAccount[];
  readonly changedAccounts: PlannedAccount[];
  readonly states: { crn: bigint; accountId: bigint; state: State }[];
  readonly correctedStates: { crn: bigint; accountId: bigint; state: State; former: State }[];
  readonly correctedTerms: { crn: bigint; accountId: bigint; former: Terms }[];
  /** The subjects of each case that a person has to decide. */
  readonly sharedDocuments: bigint[][];
  readonly otherHolders: bigint[][];
  readonly findings: Finding[];
  /** States, and records where only the terms or the person were new. */
  corrected: number;
  unchanged: number;
  nextCrn: bigint;
  nextAccountId: bigint;
}

/** A plan while it is made. */
export interface Working {
  readonly known: Known;
  readonly plan: Plan & {
    readonly newSubjects: Map<bigint, Profile>;
    readonly changedSubjects: Map<bigint, Profile>;
  };
  readonly owners: Map<string, readonly bigint[]>;
  readonly accounts: Map<string, readonly KnownAccount[]>;
  readonly corrects: boolean;
}
