import { holdsIdentity } from '../registry/profile.ts';
import type { Day, KnownAccount, State, Terms } from '../registry/account.ts';
import {
  isHolder,
  mergeInto,
  ownersOf,
  profileOf,
  resolveSubject,
  survivorOf,
} from './plan-people.ts';
import type { Known, Plan, Working } from './planned.ts';
import { isGuaranteed, isJoint } from './record.ts';
import type { IndexedAccount } from './record.ts';

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
  const account = findOwn(working, indexed, accounts);
  const held = accounts.filter(({ terms }) => terms.isGuarantee !== true);
  const { submitted } = indexed;
  if (account !== undefined) {
    planKnownAccount(working, indexed, account);
  } else if (held.length === 0 || isJoint(submitted) || isGuaranteed(submitted)) {
    planNewAccount(working, indexed);
  } else {
    const owners = ownersOf(working.owners, working.known.survivors, indexed);
    const holders = held.map(({ crn }) => survivorOf(working, crn));
    working.plan.otherHolders.push([...new Set([...holders, ...owners])]);
    fault(working, indexed, 'account_holder');
  }
}

/** Finds the line's person among the people who hold or guarantee an account. */
function findOwn(
  working: Working,
  indexed: IndexedAccount,
  accounts: readonly KnownAccount[],
): KnownAccount | undefined {
  const isGuarantor = indexed.submitted.terms.isGuarantee;
  const same = accounts.find(({ identityHash }) => identityHash === indexed.identityHash);
  if (same !== undefined) return same;
  const those = accounts.filter(({ crn }) => isHolder(working, indexed, crn));
  const inRole = those.find(({ terms }) => (terms.isGuarantee === true) === (isGuarantor === true));
  if (inRole !== undefined) return inRole;
  // Names alone do not make the guarantor the holder, or the other way round.
  const owners = ownersOf(working.owners, working.known.survivors, indexed);
  return those.find(({ crn }) => owners.includes(survivorOf(working, crn)));
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
 * rate, joint holders, and the person's role.
 */
function withKnownTerms(line: Terms, known: Terms): Terms {
  const submitted = {
    ...line,
    jointHolders: line.jointHolders ?? known.jointHolders,
    isGuarantee: line.isGuarantee ?? known.isGuarantee,
  };
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
