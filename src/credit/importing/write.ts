import { setImmediate } from 'node:timers/promises';
import type { Queryable } from '../../platform/db/pool.ts';
import { accountLocation } from '../registry/account.ts';
import type { AmountUnit } from '../registry/account.ts';
import {
  putAccounts,
  putStates,
  readKnownAccounts,
  recordCorrections,
} from '../registry/accounts-store.ts';
import type { AccountWrite, StateWrite } from '../registry/accounts-store.ts';
import { openCases } from '../registry/cases-store.ts';
import { lockRegistry, moveCounters } from '../registry/counters-store.ts';
import { readMerged, readSurvivors } from '../registry/read-merges.ts';
import { subjectLocation } from '../registry/profile.ts';
import type { Profile } from '../registry/profile.ts';
import {
  addDocuments,
  putSubjects,
  readOwners,
  readSealedProfiles,
} from '../registry/subjects-store.ts';
import type { SubjectWrite } from '../registry/subjects-store.ts';
import type { Vault } from '../registry/vault.ts';
import { ImportError } from './error.ts';
import { unitContradiction } from './unit.ts';
import { planBatch, subjectsToRead } from './plan.ts';
import type { Known, Plan, PlannedAccount } from './planned.ts';
import { isGuaranteed, isJoint } from './record.ts';
import type { IndexedAccount, SubmittedAccount } from './record.ts';
import type { SeenAccounts } from './seen-accounts.ts';

export interface BatchContext {
  readonly vault: Vault;
  readonly lender: string;
  readonly importId: string;
  /** Replace earlier submissions for the same as-of date. */
  readonly corrects: boolean;
  readonly at: Date;
  /** The unit of the amounts, if it was declared. Undefined: they show it. */
  readonly declared?: AmountUnit;
}

/**
 * Writes a batch of one lender's accounts into the registry, inside the caller's database
 * transaction, which must commit or roll back as a whole. Returns what was changed, and what could
 * not be imported. Throws: `ImportError` if the accounts on file contradict the unit of the amounts.
 * @param indexed the accounts as returned by `indexAccount`.
 */
export async function writeBatch(
  db: Queryable,
  indexed: readonly IndexedAccount[],
  context: BatchContext,
): Promise<Plan> {
  const counters = await lockRegistry(db);
  const known = await readKnown(db, indexed, context, counters);
  const { declared } = context;
  const contradiction = declared === undefined ? undefined : unitContradiction(indexed, known);
  if (contradiction !== undefined) {
    throw new ImportError(
      `The amounts are declared as ${declared}, and the file contradicts it. ${contradiction}. Ask the lender. If it is the earlier file that is wrong, correct that one first.`,
      { field: 'amounts' },
    );
  }
  const plan = planBatch(indexed, known, context);
  await carryOut(db, plan, context);
  return plan;
}

/**
 * Adds people that are not on file yet, with or without accounts, inside the caller's database
 * transaction. Returns their references, in order.
 */
export async function registerSubjects(
  db: Queryable,
  profiles: readonly Profile[],
  { vault, at }: Pick<BatchContext, 'vault' | 'at'>,
): Promise<bigint[]> {
  const { nextCrn, nextAccountId } = await lockRegistry(db);
  const subjects = profiles.map((profile, index) => [nextCrn + BigInt(index), profile] as const);
  const writes = subjects.map(([crn, profile]) => subjectWrite(crn, profile, vault));
  await putSubjects(db, 'new', writes, at);
  await addDocuments(
    db,
    'known',
    subjects.flatMap(([crn, profile]) =>
      profile.documents.map(({ type, number }) => ({
        crn,
        index: vault.index('document', `${type}|${number}`),
      })),
    ),
  );
  await moveCounters(db, { nextCrn: nextCrn + BigInt(subjects.length), nextAccountId });
  return subjects.map(([crn]) => crn);
}

/** Blind indexes of an account, the one under the current key first. */
function accountKeysOf(
  accountNumber: string,
  { vault, lender }: Pick<BatchContext, 'vault' | 'lender'>,
): string[] {
  return vault.indexKeys('account', `${lender}|${accountNumber}`);
}

/**
 * A lender's account with its blind indexes, computed outside the database.
 * @param seen the accounts of the file up to here.
 */
export function indexAccount(
  submitted: SubmittedAccount,
  { vault, lender }: Pick<BatchContext, 'vault' | 'lender'>,
  seen: SeenAccounts,
): IndexedAccount {
  const accountKeys = accountKeysOf(submitted.accountNumber, { vault, lender });
  const identityHash = vault.indexKeys('identity', identityText(submitted.profile))[0] ?? '';
  // A joint or guaranteed account has a line for each person, and each of them once.
  const [seenKey] =
    isJoint(submitted) || isGuaranteed(submitted)
      ? accountKeysOf(`${submitted.accountNumber}|${identityHash}`, { vault, lender })
      : accountKeys;
  return {
    submitted,
    documentKeys: submitted.profile.documents.map(({ type, number }) =>
      vault.indexKeys('document', `${type}|${number}`),
    ),
    accountKeys,
    identityHash,
    isRepeated: !seen.add(seenKey ?? ''),
  };
}

/** A lender's data about a person, without the dates, which change every month. */
function identityText(profile: Profile): string {
  const { name, salutation, alsoKnownAs, dateOfBirth, gender, nationality, documents } = profile;
  return JSON.stringify([
    { name, salutation, alsoKnownAs, dateOfBirth, gender, nationality, documents },
    profile.phones.map((phone) => [phone.number, phone.type]),
    profile.addresses.map(({ kind, line, town, country }) => [kind, line, town, country]),
  ]);
}

async function readKnown(
  db: Queryable,
  indexed: readonly IndexedAccount[],
  context: BatchContext,
  counters: Pick<Known, 'nextCrn' | 'nextAccountId'>,
): Promise<Known> {
  const documentKeys = new Set<string>();
  const accountKeys = new Set<string>();
  const days = new Set<string>();
  for (const one of indexed) {
    for (const keys of one.documentKeys) for (const key of keys) documentKeys.add(key);
    for (const key of one.accountKeys) accountKeys.add(key);
    for (const state of one.submitted.states) days.add(state.asOf);
  }
  const owners = await readOwners(db, [...documentKeys]);
  const accounts = await readKnownAccounts(db, context.lender, [...accountKeys], [...days]);
  const found = new Set([...owners.values()].flat());
  for (const { crn } of [...accounts.values()].flat()) found.add(crn);
  const survivors = await readSurvivors(db, [...found]);
  const merged = await readMerged(db, [...found, ...survivors.values()]);
  const toRead = subjectsToRead(indexed, { owners, accounts, survivors, merged });
  const sealed = await readSealedProfiles(db, [...new Set(toRead)]);
  const profiles = new Map<bigint, Profile>();
  for (const [crn, bytes] of sealed) {
    profiles.set(crn, JSON.parse(context.vault.unseal(bytes, subjectLocation(crn))) as Profile);
  }
  return { owners, accounts, profiles, survivors, merged, ...counters };
}

/** The database writes finished rows while the next ones are sealed. */
async function carryOut(db: Queryable, plan: Plan, context: BatchContext): Promise<void> {
  const { at, importId } = context;
  const subjects = meanwhile(sealSubjects(plan, context.vault));
  await putStates(db, 'new', plan.states, importId);
  await putStates(db, 'known', lastOfEachState(plan.correctedStates), importId);
  const documents = plan.documents.map(({ crn, key }) => ({ crn, index: key }));
  await addDocuments(db, 'new', documents);
  const { newSubjects, changedSubjects } = await subjects;
  const accounts = meanwhile(sealAccounts(plan, context));
  await putSubjects(db, 'new', newSubjects, at);
  await putSubjects(db, 'known', changedSubjects, at);
  const { newAccounts, changedAccounts } = await accounts;
  await putAccounts(db, 'new', newAccounts);
  await putAccounts(db, 'known', changedAccounts);
  await recordCorrections(db, [...plan.correctedStates, ...plan.correctedTerms], context);
  await openCases(db, 'document_shared', plan.sharedDocuments, at);
  await openCases(db, 'account_holder', plan.otherHolders, at);
  await moveCounters(db, plan);
}

interface SealedSubjects {
  readonly newSubjects: readonly SubjectWrite[];
  readonly changedSubjects: readonly SubjectWrite[];
}

async function sealSubjects(plan: Plan, vault: Vault): Promise<SealedSubjects> {
  const seal = ([crn, profile]: readonly [bigint, Profile]): SubjectWrite =>
    subjectWrite(crn, profile, vault);
  return {
    newSubjects: await bitByBit([...plan.newSubjects], seal),
    changedSubjects: await bitByBit([...plan.changedSubjects], seal),
  };
}

/**
 * An account may occur twice in a batch, but one statement may write it only once: with its last
 * values.
 */
async function sealAccounts(plan: Plan, context: BatchContext) {
  const changed = new Map(plan.changedAccounts.map((planned) => [planned.accountId, planned]));
  const added = plan.newAccounts.map((planned) => changed.get(planned.accountId) ?? planned);
  for (const { accountId } of added) changed.delete(accountId);
  const seal = (planned: PlannedAccount): AccountWrite => accountWrite(planned, context);
  return {
    newAccounts: await bitByBit(added, seal),
    changedAccounts: await bitByBit([...changed.values()], seal),
  };
}

/** Takes about a millisecond, at once. */
const BIT_ITEMS = 100;

/** A promise that is awaited later; until then its failure must not count as unhandled. */
function meanwhile<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined);
  return work;
}

/**
 * Lets database responses be handled in between, so that the database does not wait for its next
 * statement.
 */
async function bitByBit<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    if (made.length % BIT_ITEMS === 0) await setImmediate();
    made.push(make(item));
  }
  return made;
}

function subjectWrite(crn: bigint, profile: Profile, vault: Vault): SubjectWrite {
  return { crn, sealed: vault.seal(JSON.stringify(profile), subjectLocation(crn)) };
}

function lastOfEachState(writes: readonly StateWrite[]): StateWrite[] {
  return [...new Map(writes.map((one) => [`${one.accountId} ${one.state.asOf}`, one])).values()];
}

function accountWrite(planned: PlannedAccount, { vault, lender }: BatchContext): AccountWrite {
  const { crn, accountId, indexed, terms, termsAsOf } = planned;
  const { accountNumber, clientNumber } = indexed.submitted;
  return {
    crn,
    accountId,
    accountIndex: indexed.accountKeys[0] ?? '',
    lender,
    sealed: vault.seal(JSON.stringify({ accountNumber, clientNumber }), accountLocation(crn)),
    identityHash: indexed.identityHash,
    terms,
    termsAsOf,
  };
}
