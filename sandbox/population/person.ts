import { isoDay } from '../../src/platform/base/days.ts';
import type { IdentityDocument } from '../../src/credit/registry/documents.ts';
import type { Address, Phone, Profile } from '../../src/credit/registry/profile.ts';
import type { Calendar } from './calendar.ts';
import { FORENAMES, ROADS, SURNAMES, TOWNS } from './names.ts';
import type { Random } from './random.ts';

/** The five examples have 900000001 to 900000005; the others begin here. */
const FIRST_NATIONAL_ID = 900_001_000;
/** Phones have seven digits of their own; and 999999999 stays nobody's. */
export const MAX_SUBJECTS = 9_000_000;

/** Foreign residents have an alien card and a passport instead of a national ID: one in 33. */
const FOREIGNER_EVERY = 33;
const SOLDIER_EVERY = 50;
const FOREIGN_NATIONALITIES = ['UG', 'TZ', 'RW', 'ET', 'SS', 'CD'] as const;

/**
 * A made-up person. Numbers follow from the index, so that no two subjects share one.
 * Independent of how the person borrows and repays.
 */
export function makePerson(index: number, calendar: Calendar, random: Random): Profile {
  const gender = random.chance(0.5) ? 'F' : 'M';
  const forenames = [random.pick(FORENAMES[gender])];
  if (random.chance(0.75)) {
    const second = random.pick(random.chance(0.6) ? FORENAMES[gender] : SURNAMES);
    if (!forenames.includes(second)) forenames.push(second);
  }
  const surname = random.pick(SURNAMES.filter((name) => !forenames.includes(name)));
  const foreign = index % FOREIGNER_EVERY === 5;
  const monthsKnown = random.whole(1, 90);
  const since = isoDay(calendar.monthEnd(monthsKnown));
  return {
    name: { surname, forenames },
    salutation: random.pick(gender === 'F' ? ['Ms', 'Mrs', ''] : ['Mr', '']),
    alsoKnownAs: [],
    dateOfBirth: isoDay(calendar.day(random.whole(27 * 12, 75 * 12), random.whole(1, 28))),
    gender,
    nationality: foreign ? random.pick(FOREIGN_NATIONALITIES) : 'KE',
    documents: documentsOf(index, foreign, random),
    phones: phonesOf(index, since, calendar, random),
    addresses: addressesOf(since, random),
    asOf: isoDay(calendar.asOf),
  };
}

/** The first is the one lenders submit as the primary document. */
function documentsOf(index: number, foreign: boolean, random: Random): IdentityDocument[] {
  const documents: IdentityDocument[] = foreign
    ? [{ type: 'alienID', number: String(1 + Math.floor(index / FOREIGNER_EVERY)) }]
    : [{ type: 'nationalID', number: String(FIRST_NATIONAL_ID + index) }];
  if (foreign || random.chance(0.15)) {
    documents.push({ type: 'passportNo', number: `SYN${padded(index, 8)}` });
  }
  if (!foreign && index % SOLDIER_EVERY === 7) {
    documents.push({ type: 'serviceID', number: String(1 + Math.floor(index / SOLDIER_EVERY)) });
  }
  if (random.chance(0.4)) documents.push({ type: 'taxID', number: `Z${padded(index, 9)}Z` });
  return documents;
}

function phonesOf(index: number, since: string, calendar: Calendar, random: Random): Phone[] {
  const phones: Phone[] = [{ number: `25419${padded(index, 7)}`, type: 'MOBILE', since }];
  if (random.chance(0.2)) {
    phones.push({
      number: `25418${padded(index, 7)}`,
      type: random.chance(0.5) ? 'HOME' : 'WORK',
      since: isoDay(calendar.monthEnd(random.whole(0, 40))),
    });
  }
  return phones;
}

function addressesOf(since: string, random: Random): Address[] {
  const town = random.pick(TOWNS);
  const addresses: Address[] = [
    {
      kind: 'postal',
      line: `P.O. Box ${random.whole(1, 99_999)}`,
      town,
      country: 'KE',
      since,
    },
  ];
  if (random.chance(0.7)) {
    addresses.push({
      kind: 'physical',
      line: `${random.whole(1, 400)} ${random.pick(ROADS)}`,
      town: random.chance(0.8) ? town : random.pick(TOWNS),
      country: 'KE',
      since,
    });
  }
  return addresses;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
