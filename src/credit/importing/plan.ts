import { nameAgreement } from '../matching/compare.ts';
import { birthDatesContradict, documentsContradict } from '../matching/contradiction.ts';
import { fullName, holdsIdentity, isSameProfile, mergeProfiles } from '../registry/profile.ts';
import type { Profile } from '../registry/profile.ts';
import type { Day, KnownAccount, State, Terms } from '../registry/account.ts';
import { isJoint } from './record.ts';
import type { Finding, IndexedAccount } from './record.ts';

/** Rules that can only be checked with the registry, and their texts for the lender. */
export const REGISTRY_RULES = {
  account_holder:
    'This account was submitted earlier for another person: the national ID, tax PIN or birth date is different, or neither document nor names agree',
  duplicate_account:
    'This account is on an earlier line of the file with different content: only one of them can be right',
  submitted_before:
    'This account was submitted with different content for this as-of date; import with --correct to replace it',
} as const;
export type RegistryRule = keyof typeof REGISTRY_RULES;

/** The registry's data about the people and accounts of a batch. */
export interface Known {
  /** Subjects by document key. */
  readonly owners: ReadonlyMap<string, readonly bigint[]>;
  /** By account key; several if it has joint holders. */
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

interface Working {
  readonly known: Known;
  readonly plan: Plan & {
    readonly newSubjects: Map<bigint, Profile>;
    readonly changedSubjects: Map<bigint, Profile>;
  };
  readonly owners: Map<string, readonly bigint[]>;
  readonly accounts: Map<string, readonly KnownAccount[]>;
  readonly corrects: boolean;
}

/** Decides what a batch changes, one record after the other. Pure. */
export function planBatch(
  batch: readonly IndexedAccount[],
  known: Known,
  options: { readonly corrects: boolean },
): Plan {
  const working: Working = {
    known,
    corrects: options.corrects,
    owners: new Map(known.owners),
    accounts: new Map(known.accounts),
    plan: {
      newSubjects: new Map(),
      changedSubjects: new Map(),
      documents: [],
      newAccounts: [],
      changedAccounts: [],
      states: [],
      correctedStates: [],
      correctedTerms: [],
      sharedDocuments: [],
      otherHolders: [],
      findings: [],
      corrected: 0,
      unchanged: 0,
      nextCrn: known.nextCrn,
      nextAccountId: known.nextAccountId,
    },
  };
  for (const indexed of batch) planOne(working, indexed);
  return working.plan;
}

/** Subjects whose profiles `planBatch` reads: those whose identity a record may change. */
export function subjectsToRead(
  batch: readonly IndexedAccount[],
  known: Pick<Known, 'owners' | 'accounts' | 'survivors' | 'merged'>,
): bigint[] {
  const crns = new Set<bigint>();
  for (const indexed of batch) {
    const accounts = findAccounts(known.accounts, indexed);
    if (accounts.some(({ identityHash }) => identityHash === indexed.identityHash)) continue;
    for (const { crn } of accounts) crns.add(crn).add(known.survivors.get(crn) ?? crn);
    for (const crn of ownersOf(known.owners, known.survivors, indexed)) crns.add(crn);
  }
  return [...crns].flatMap((crn) => [crn, ...(known.merged.get(crn) ?? [])]);
}

function planOne(working: Working, indexed: IndexedAccount): void {
  const accounts = findAccounts(working.accounts, indexed);
  const account =
    accounts.find(({ identityHash }) => identityHash === indexed.identityHash) ??
    accounts.find(({ crn }) => isHolder(working, indexed, crn));
  if (account !== undefined) {
    planKnownAccount(working, indexed, account);
  } else if (accounts.length === 0 || isJoint(indexed.submitted)) {
    planNewAccount(working, indexed);
  } else {
    const owners = ownersOf(working.owners, working.known.survivors, indexed);
    const holders = accounts.map(({ crn }) => survivorOf(working, crn));
    working.plan.otherHolders.push([...new Set([...holders, ...owners])]);
    fault(working, indexed, 'account_holder');
  }
}

function planNewAccount(working: Working, indexed: IndexedAccount): void {
  const { plan } = working;
  const { submitted } = indexed;
  const crn = resolveSubject(working, indexed);
  const accountId = plan.nextAccountId;
  plan.nextAccountId += 1n;
  const asOf = submitted.states.at(-1)?.asOf ?? submitted.profile.asOf;
  plan.newAccounts.push({ crn, accountId, indexed, terms: submitted.terms, termsAsOf: asOf });
  for (const state of submitted.states) plan.states.push({ crn, accountId, state });
  rememberAccount(working, indexed, {
    crn,
    accountId,
    identityHash: indexed.identityHash,
    terms: submitted.terms,
    termsAsOf: asOf,
    states: new Map(submitted.states.map((state) => [state.asOf, state])),
  });
}

function planKnownAccount(working: Working, indexed: IndexedAccount, account: KnownAccount): void {
  const { plan } = working;
  const { submitted } = indexed;
  const { crn, accountId } = account;
  const isNewest = submitted.profile.asOf >= account.termsAsOf;
  const sameIdentity = isSameIdentity(working, indexed, account);
  const terms = withKnownTerms(submitted.terms, account.terms);
  const sameTerms = sameValues(account.terms, terms);
  const planned = planStates(working, indexed, {
    account,
    isRepeat: !isNewest || (sameIdentity && sameTerms),
  });
  if (planned === undefined) return;
  const { states, added, corrected } = planned;
  if (added + corrected === 0) {
    plan.unchanged += 1;
    return;
  }
  if (!sameIdentity) mergeInto(working, indexed, crn);
  const isUnderCurrentKey = account.identityHash === indexed.identityHash;
  const changes = isNewest && !(sameIdentity && sameTerms && isUnderCurrentKey);
  if (changes) {
    if (!sameTerms && corrected > 0) {
      plan.correctedTerms.push({ crn, accountId, former: account.terms });
    }
    plan.changedAccounts.push({
      crn,
      accountId,
      indexed,
      terms,
      termsAsOf: submitted.profile.asOf,
    });
  }
  rememberAccount(working, indexed, {
    ...account,
    states,
    termsAsOf: isNewest ? submitted.profile.asOf : account.termsAsOf,
    ...(changes ? { identityHash: indexed.identityHash, terms } : {}),
  });
}

/**
 * Plans the submitted states of an account on file. Returns undefined if the line cannot be
 * imported.
 * @param of.isRepeat nothing else in the line is new, so an equal state changes nothing.
 */
function planStates(
  working: Working,
  indexed: IndexedAccount,
  of: { readonly account: KnownAccount; readonly isRepeat: boolean },
):
  | { readonly states: ReadonlyMap<Day, State>; readonly added: number; readonly corrected: number }
  | undefined {
  const { plan } = working;
  const { crn, accountId } = of.account;
  const states = new Map(of.account.states);
  let added = 0;
  let corrected = 0;
  let correctedStates = 0;
  for (const state of indexed.submitted.states) {
    const former = states.get(state.asOf);
    const isSame = former !== undefined && sameValues(former, state);
    if (isSame && of.isRepeat) continue;
    if (former === undefined) {
      plan.states.push({ crn, accountId, state });
      added += 1;
    } else if (indexed.isRepeated) {
      fault(working, indexed, 'duplicate_account');
      return undefined;
    } else if (working.corrects) {
      if (!isSame) {
        plan.correctedStates.push({ crn, accountId, state, former });
        correctedStates += 1;
      }
      corrected += 1;
    } else {
      fault(working, indexed, 'submitted_before');
      return undefined;
    }
    states.set(state.asOf, state);
  }
  if (corrected > 0) plan.corrected += Math.max(correctedStates, 1);
  return { states, added, corrected };
}

/**
 * Values that a line does not give stay as they are on file: amounts in another currency without a
 * rate, and joint holders.
 */
function withKnownTerms(line: Terms, known: Terms): Terms {
  const submitted = { ...line, jointHolders: line.jointHolders ?? known.jointHolders };
  if (submitted.originalCents > 0n) return submitted;
  const { originalCents, instalmentCents } = known;
  return { ...submitted, originalCents, instalmentCents };
}

/** A blind index begins with four bytes that identify its key. */
function keyIdOf(index: string): string {
  return index.slice(0, 4);
}

/** Compares the hash; if it was made under a former key, compares the data on file. */
function isSameIdentity(working: Working, indexed: IndexedAccount, account: KnownAccount): boolean {
  if (account.identityHash === indexed.identityHash) return true;
  if (keyIdOf(account.identityHash) === keyIdOf(indexed.identityHash)) return false;
  return holdsIdentity(profileOf(working, account.crn), indexed.submitted.profile);
}

/**
 * The subject that a new account belongs to: found by document, then by names, unless the birth
 * date or another lifelong document contradicts; otherwise a new subject.
 */
function resolveSubject(working: Working, indexed: IndexedAccount): bigint {
  const owners = ownersOf(working.owners, working.known.survivors, indexed);
  const agreeing = owners.filter(
    (crn) => !isContradicted(working, indexed, crn) && namesAgree(working, indexed, crn),
  );
  const [crn] = agreeing.toSorted((a, b) => (a < b ? -1 : 1));
  if (crn !== undefined) {
    if (agreeing.length > 1) working.plan.sharedDocuments.push(agreeing);
    mergeInto(working, indexed, crn);
    return crn;
  }
  const created = working.plan.nextCrn;
  working.plan.nextCrn += 1n;
  working.plan.newSubjects.set(created, indexed.submitted.profile);
  addDocuments(working, indexed, created);
  // The same document with another name or birth date is two people, or a mistake; a person
  // decides.
  if (owners.length > 0) working.plan.sharedDocuments.push([...owners, created]);
  return created;
}

/** Whether a changed identity can be that of the account's subject. */
function isHolder(working: Working, indexed: IndexedAccount, crn: bigint): boolean {
  const owners = ownersOf(working.owners, working.known.survivors, indexed);
  const holder = survivorOf(working, crn);
  if (isContradicted(working, indexed, holder)) return false;
  if (owners.includes(holder)) return true;
  return owners.length === 0 && namesAgree(working, indexed, holder);
}

/** Whether the line cannot be about the subject: different birth date, national ID or tax PIN. */
function isContradicted(working: Working, indexed: IndexedAccount, crn: bigint): boolean {
  const profiles = profilesOf(working, crn);
  const { documents, dateOfBirth } = indexed.submitted.profile;
  return (
    documentsContradict(
      profiles.flatMap((profile) => profile.documents),
      documents,
    ) ||
    birthDatesContradict(
      profiles.map((profile) => profile.dateOfBirth),
      dateOfBirth,
    )
  );
}

function namesAgree(working: Working, indexed: IndexedAccount, crn: bigint): boolean {
  const submitted = fullName(indexed.submitted.profile.name);
  const profiles = profilesOf(working, crn);
  const names = profiles.flatMap(({ name, alsoKnownAs }) => [name, ...alsoKnownAs]).map(fullName);
  if (names.includes(submitted)) return true;
  const { dateOfBirth } = indexed.submitted.profile;
  const isBirthDateKnown =
    dateOfBirth !== '' && profiles.some((known) => known.dateOfBirth === dateOfBirth);
  return nameAgreement([submitted], names, { isBirthDateKnown }) !== null;
}

function mergeInto(working: Working, indexed: IndexedAccount, crn: bigint): void {
  const before = profileOf(working, crn);
  const merged = mergeProfiles(before, indexed.submitted.profile);
  addDocuments(working, indexed, crn);
  if (isSameProfile(before, merged)) return;
  const { newSubjects, changedSubjects } = working.plan;
  (newSubjects.has(crn) ? newSubjects : changedSubjects).set(crn, merged);
}

function addDocuments(working: Working, indexed: IndexedAccount, crn: bigint): void {
  for (const keys of indexed.documentKeys) {
    const [current] = keys;
    if (current === undefined) continue;
    const owners = working.owners.get(current) ?? [];
    if (owners.includes(crn)) continue;
    working.owners.set(current, [...owners, crn]);
    working.plan.documents.push({ crn, key: current });
  }
}

function survivorOf({ known }: Working, crn: bigint): bigint {
  return known.survivors.get(crn) ?? crn;
}

/** Those of the subject, and of the subjects merged into it. */
function profilesOf(working: Working, crn: bigint): Profile[] {
  const members = [crn, ...(working.known.merged.get(crn) ?? [])];
  return members.map((member) => profileOf(working, member));
}

function profileOf(working: Working, crn: bigint): Profile {
  const profile =
    working.plan.newSubjects.get(crn) ??
    working.plan.changedSubjects.get(crn) ??
    working.known.profiles.get(crn);
  if (profile === undefined) throw new Error(`The profile of subject ${crn} was not read`);
  return profile;
}

/**
 * The subjects that the documents belong to, each merged one replaced by the one that it is merged
 * into.
 */
function ownersOf(
  owners: ReadonlyMap<string, readonly bigint[]>,
  survivors: ReadonlyMap<bigint, bigint>,
  indexed: IndexedAccount,
): bigint[] {
  const crns = new Set<bigint>();
  for (const keys of indexed.documentKeys) {
    for (const key of keys) {
      for (const crn of owners.get(key) ?? []) crns.add(survivors.get(crn) ?? crn);
    }
  }
  return [...crns];
}

/** The account that a line is about, once for each of its holders. */
function findAccounts(
  accounts: ReadonlyMap<string, readonly KnownAccount[]>,
  { accountKeys }: IndexedAccount,
): KnownAccount[] {
  const found = accountKeys.flatMap((key) => accounts.get(key) ?? []);
  return [...new Map(found.map((account) => [account.accountId, account])).values()];
}

function rememberAccount(working: Working, indexed: IndexedAccount, account: KnownAccount): void {
  const others = findAccounts(working.accounts, indexed).filter(
    ({ accountId }) => accountId !== account.accountId,
  );
  for (const key of indexed.accountKeys) working.accounts.set(key, [...others, account]);
}

function fault(working: Working, indexed: IndexedAccount, rule: RegistryRule): void {
  const { line } = indexed.submitted;
  working.plan.findings.push({ line, field: 'AccountNumber', rule, text: REGISTRY_RULES[rule] });
}

function sameValues<Values extends object>(a: Values, b: Values): boolean {
  return (Object.keys(a) as (keyof Values)[]).every((name) => a[name] === b[name]);
}
