import { nameAgreement } from '../matching/compare.ts';
import { birthDatesContradict, documentsContradict } from '../matching/contradiction.ts';
import { fullName, isSameProfile, mergeProfiles } from '../registry/profile.ts';
import type { Profile } from '../registry/profile.ts';
import type { Working } from './planned.ts';
import type { IndexedAccount } from './record.ts';

/**
 * The subject that a new account belongs to: found by document, then by names, unless the birth
 * date or another lifelong document contradicts; otherwise a new subject.
 */
export function resolveSubject(working: Working, indexed: IndexedAccount): bigint {
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

/** Checks that a changed identity can be that of the account's subject. */
export function isHolder(working: Working, indexed: IndexedAccount, crn: bigint): boolean {
  const owners = ownersOf(working.owners, working.known.survivors, indexed);
  const holder = survivorOf(working, crn);
  if (isContradicted(working, indexed, holder)) return false;
  if (owners.includes(holder)) return true;
  return owners.length === 0 && namesAgree(working, indexed, holder);
}

/** A different birth date, national ID or tax PIN shows that the line is not about the subject. */
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

export function mergeInto(working: Working, indexed: IndexedAccount, crn: bigint): void {
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

export function survivorOf({ known }: Working, crn: bigint): bigint {
  return known.survivors.get(crn) ?? crn;
}

/** Lists the profiles of the subject, and of the subjects merged into it. */
function profilesOf(working: Working, crn: bigint): Profile[] {
  const members = [crn, ...(working.known.merged.get(crn) ?? [])];
  return members.map((member) => profileOf(working, member));
}

export function profileOf(working: Working, crn: bigint): Profile {
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
export function ownersOf(
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
