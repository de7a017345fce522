import type { DocumentType, IdentityDocument } from './documents.ts';

export type PhoneType = 'MOBILE' | 'HOME' | 'WORK';

export interface Phone {
  /** Normalised: digits with the country code. */
  readonly number: string;
  readonly type: PhoneType;
  /** `YYYY-MM-DD`: the as-of date that it was first submitted for. */
  readonly since: string;
}

export interface Address {
  readonly kind: 'postal' | 'physical';
  readonly line: string;
  readonly town: string;
  /** ISO 3166-1 alpha-2, or empty. */
  readonly country: string;
  readonly since: string;
}

export interface PersonName {
  readonly surname: string;
  /** First names, in order. */
  readonly forenames: readonly string[];
}

/** The identity of a subject. Stored sealed, as JSON. Dates are `YYYY-MM-DD`. */
export interface Profile {
  readonly name: PersonName;
  readonly salutation: string;
  /** Names that other lenders submitted, newest first. */
  readonly alsoKnownAs: readonly PersonName[];
  readonly dateOfBirth: string;
  /** `M`, `F` or empty. */
  readonly gender: string;
  /** ISO 3166-1 alpha-2, or empty. */
  readonly nationality: string;
  readonly documents: readonly IdentityDocument[];
  readonly phones: readonly Phone[];
  readonly addresses: readonly Address[];
  /** The as-of date of the submission that the name and the single fields come from. */
  readonly asOf: string;
}

/** The location that the sealed bytes of a subject are bound to. */
export function subjectLocation(crn: bigint): string {
  return `subjects|${crn}`;
}

/** Maximum number of former names; the oldest are dropped. */
const MAX_NAMES = 8;
/** Maximum number of phones, and of addresses; the oldest are dropped. */
const MAX_CONTACTS = 20;

/**
 * A subject's profile after another submission about the same person. The later submission provides
 * the name and the single fields; the earlier ones fill what it leaves empty. Documents, phones,
 * addresses and names accumulate. The result does not depend on the order of submissions with
 * different dates.
 */
export function mergeProfiles(known: Profile, submitted: Profile): Profile {
  const [older, newer] = submitted.asOf >= known.asOf ? [known, submitted] : [submitted, known];
  return {
    name: newer.name,
    salutation: newer.salutation || older.salutation,
    alsoKnownAs: mergeNames(newer, older),
    // They can differ only if people merged two subjects; each subject keeps its own.
    dateOfBirth: known.dateOfBirth || submitted.dateOfBirth,
    gender: newer.gender || older.gender,
    nationality: newer.nationality || older.nationality,
    documents: mergeBy([...older.documents, ...newer.documents], documentKey),
    phones: mergeContacts([...known.phones, ...submitted.phones], (phone) => phone.number),
    addresses: mergeContacts([...known.addresses, ...submitted.addresses], addressKey),
    asOf: newer.asOf,
  };
}

/** True when storing `merged` in place of `known` would change nothing. */
export function isSameProfile(known: Profile, merged: Profile): boolean {
  return JSON.stringify(known) === JSON.stringify(merged);
}

/** True if everything that the submission contains about the person is already on file. */
export function holdsIdentity(known: Profile, submitted: Profile): boolean {
  const names = [known.name, ...known.alsoKnownAs].map(fullName);
  return (
    names.includes(fullName(submitted.name)) &&
    (['dateOfBirth', 'gender', 'nationality', 'salutation'] as const).every(
      (field) => submitted[field] === '' || submitted[field] === known[field],
    ) &&
    holdsAll(known.documents, submitted.documents, documentKey) &&
    holdsAll(known.phones, submitted.phones, ({ number }) => number) &&
    holdsAll(known.addresses, submitted.addresses, addressKey)
  );
}

function holdsAll<Item>(
  items: readonly Item[],
  wanted: readonly Item[],
  keyOf: (item: Item) => string,
): boolean {
  const keys = new Set(items.map(keyOf));
  return wanted.every((one) => keys.has(keyOf(one)));
}

export function fullName(name: PersonName): string {
  return [...name.forenames, name.surname].filter((part) => part !== '').join(' ');
}

/** The subject's document number of a type, or empty text. */
export function documentNumber(profile: Profile, type: DocumentType): string {
  return profile.documents.findLast((document) => document.type === type)?.number ?? '';
}

function mergeNames(newer: Profile, older: Profile): PersonName[] {
  const names = mergeBy(
    [newer.name, ...newer.alsoKnownAs, older.name, ...older.alsoKnownAs],
    (name) => fullName(name).toUpperCase(),
  );
  return names.slice(1, MAX_NAMES + 1);
}

function mergeContacts<Contact extends { readonly since: string }>(
  contacts: readonly Contact[],
  keyOf: (contact: Contact) => string,
): Contact[] {
  const merged = new Map<string, Contact>();
  for (const contact of contacts) {
    const key = keyOf(contact);
    const earlier = merged.get(key);
    if (earlier === undefined || contact.since < earlier.since) merged.set(key, contact);
  }
  const sorted = [...merged].toSorted(
    ([keyA, a], [keyB, b]) => compare(a.since, b.since) || compare(keyA, keyB),
  );
  return sorted.slice(-MAX_CONTACTS).map(([, contact]) => contact);
}

function mergeBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const merged = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!merged.has(key)) merged.set(key, item);
  }
  return [...merged.values()];
}

function documentKey(document: IdentityDocument): string {
  return `${document.type} ${document.number}`;
}

function addressKey(address: Address): string {
  return [address.kind, address.line, address.town, address.country].join('|').toUpperCase();
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
