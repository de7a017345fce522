import type { Queryable } from '../../db/pool.ts';
import { openCases } from '../registry/cases-store.ts';
import { readMerged, readSurvivors } from '../registry/merges-store.ts';
import { subjectPlace } from '../registry/profile.ts';
import type { Profile } from '../registry/profile.ts';
import type { Vault } from '../registry/vault.ts';
import { planBatch, subjectsToRead } from './plan.ts';
import type { IndexedAccount, Known, Plan, PlannedAccount } from './plan.ts';
import type { SubmittedAccount } from './record.ts';
import type { SeenAccounts } from './seen-accounts.ts';
import {
  addIndexes,
  keyOf,
  lockRegistry,
  moveCounters,
  putAccounts,
  putStates,
  putSubjects,
  readKnownAccounts,
  readOwners,
  readSealedProfiles,
  recordCorrections,
} from './store.ts';
import type { AccountWrite, StateWrite } from './store.ts';

export interface BatchContext {
  readonly vault: Vault;
  readonly lender: string;
  readonly importId: string;
  /** Replace what was submitted before for the same as-of date. */
  readonly corrects: boolean;
  readonly at: Date;
}

/**
 * Writes a batch of one lender's accounts into the registry, inside the caller's transaction, which
 * must commit or roll back as a whole. Returns what was changed and what could not be taken.
 * @param indexed the accounts as `indexBatch` gives them.
 */
export async function writeBatch(
  db: Queryable,
  indexed: readonly IndexedAccount[],
  context: BatchContext,
): Promise<Plan> {
  const counters = await lockRegistry(db);
  const known = await readKnown(db, indexed, context, counters);
  const plan = planBatch(indexed, known, context);
  await carryOut(db, plan, context);
  return plan;
}

/**
 * Adds people that are not on file yet, whether or not they have accounts; the caller's transaction
 * commits. Returns their references, in order.
 */
export async function registerSubjects(
  db: Queryable,
  profiles: readonly Profile[],
  { vault, at }: Pick<BatchContext, 'vault' | 'at'>,
): Promise<bigint[]> {
  const { nextCrn, nextAccountId } = await lockRegistry(db);
  const subjects = profiles.map((profile, index) => [nextCrn + BigInt(index), profile] as const);
  await putProfiles(db, subjects, { vault, at });
  await addIndexes(
    db,
    'document',
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

export function accountPlace(crn: bigint): string {
  return `credit_accounts|${crn}`;
}

/** Blind indexes of an account, the one under the current key first. */
export function accountKeysOf(
  accountNumber: string,
  { vault, lender }: Pick<BatchContext, 'vault' | 'lender'>,
): string[] {
  return vault.indexes('account', `${lender}|${accountNumber}`).map(keyOf);
}

/**
 * A lender's accounts with their blind indexes: half of the work, and none of the database's.
 * @param seen the accounts of the file up to here.
 */
export function indexBatch(
  batch: readonly SubmittedAccount[],
  { vault, lender }: Pick<BatchContext, 'vault' | 'lender'>,
  seen: SeenAccounts,
): IndexedAccount[] {
  return batch.map((submitted) => {
    const accountKeys = accountKeysOf(submitted.accountNumber, { vault, lender });
    const { asOf: _asOf, phones, addresses, ...identity } = submitted.profile;
    const identityText = JSON.stringify([
      identity,
      phones.map((phone) => [phone.number, phone.type]),
      addresses.map((address) => [address.kind, address.line, address.town, address.country]),
    ]);
    return {
      submitted,
      documentKeys: submitted.profile.documents.map(({ type, number }) =>
        vault.indexes('document', `${type}|${number}`).map(keyOf),
      ),
      accountKeys,
      identityHash: keyOf(vault.index('identity', identityText)),
      isRepeated: !seen.add(accountKeys[0] ?? ''),
    };
  });
}

async function readKnown(
  db: Queryable,
  indexed: readonly IndexedAccount[],
  context: BatchContext,
  counters: Pick<Known, 'nextCrn' | 'nextAccountId'>,
): Promise<Known> {
  const documentKeys = new Set(indexed.flatMap((one) => one.documentKeys.flat()));
  const accountKeys = new Set(indexed.flatMap((one) => one.accountKeys));
  const days = new Set(indexed.flatMap((one) => one.submitted.states.map((state) => state.asOf)));
  const owners = await readOwners(db, bytesOf(documentKeys));
  const accounts = await readKnownAccounts(db, context.lender, bytesOf(accountKeys), [...days]);
  const found = new Set([...owners.values()].flat());
  for (const { crn } of accounts.values()) found.add(crn);
  const survivors = await readSurvivors(db, [...found]);
  const merged = await readMerged(db, [...found, ...survivors.values()]);
  const toRead = subjectsToRead(indexed, { owners, accounts, survivors, merged });
  const sealed = await readSealedProfiles(db, [...new Set(toRead)]);
  const profiles = new Map<bigint, Profile>();
  for (const [crn, bytes] of sealed) {
    profiles.set(crn, JSON.parse(context.vault.unseal(bytes, subjectPlace(crn))) as Profile);
  }
  return { owners, accounts, profiles, survivors, merged, ...counters };
}

async function carryOut(db: Queryable, plan: Plan, context: BatchContext): Promise<void> {
  await putProfiles(db, [...plan.newSubjects, ...plan.changedSubjects], context);
  await addIndexes(
    db,
    'document',
    plan.documents.map(({ crn, key }) => ({ crn, index: Buffer.from(key, 'latin1') })),
  );
  const accounts = [...plan.newAccounts, ...plan.changedAccounts];
  await putAccounts(
    db,
    lastOfEach(accounts).map((planned) => accountWrite(planned, context)),
  );
  await putStates(db, plan.states, context.importId);
  await putStates(db, lastOfEachState(plan.correctedStates), context.importId);
  await recordCorrections(db, [...plan.correctedStates, ...plan.correctedTerms], context);
  await openCases(db, 'document_shared', plan.sharedDocuments, context.at);
  await moveCounters(db, plan);
}

/** Sealed profiles, and the blind indexes of their phones. */
async function putProfiles(
  db: Queryable,
  subjects: readonly (readonly [bigint, Profile])[],
  { vault, at }: Pick<BatchContext, 'vault' | 'at'>,
): Promise<void> {
  await putSubjects(
    db,
    subjects.map(([crn, profile]) => ({
      crn,
      sealed: vault.seal(JSON.stringify(profile), subjectPlace(crn)),
    })),
    at,
  );
  await addIndexes(
    db,
    'phone',
    subjects.flatMap(([crn, profile]) =>
      profile.phones.map((phone) => ({ crn, index: vault.index('phone', phone.number) })),
    ),
  );
}

/** An account may come twice in a batch; one statement may write it once. */
function lastOfEach(accounts: readonly PlannedAccount[]): PlannedAccount[] {
  return [...new Map(accounts.map((planned) => [planned.accountId, planned])).values()];
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
    accountIndex: Buffer.from(indexed.accountKeys[0] ?? '', 'latin1'),
    lender,
    sealed: vault.seal(JSON.stringify({ accountNumber, clientNumber }), accountPlace(crn)),
    identityHash: Buffer.from(indexed.identityHash, 'latin1'),
    terms,
    termsAsOf,
  };
}

function bytesOf(keys: ReadonlySet<string>): Buffer[] {
  return [...keys].map((key) => Buffer.from(key, 'latin1'));
}
