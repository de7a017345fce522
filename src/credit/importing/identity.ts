import { MOBILE_NUMBER } from '../../platform/base/mobile-number.ts';
import { normaliseDocument, normalisePhone } from '../registry/documents.ts';
import type { DocumentType, IdentityDocument } from '../registry/documents.ts';
import type { Address, Phone, PhoneType, Profile } from '../registry/profile.ts';
import { nameWords } from '../matching/names.ts';
import { SPREADSHEET_RULE } from './column-remarks.ts';
import type { LineReader } from './fields.ts';
import type { Day } from '../registry/account.ts';
import type { Column } from './template.ts';

const NAME_LENGTH = 50;
const ADDRESS_LENGTH = 100;
const YOUNGEST_YEARS = 18;
const OLDEST_YEARS = 100;

interface IdType {
  readonly type: DocumentType;
  readonly form: RegExp;
  readonly expected: string;
}

/** Codes of PrimaryIDType. National IDs have up to 8 digits; 9 are used by synthetic populations. */
/** Some systems fill a number up with zeros, and spreadsheets add decimals. */
const ID_TYPES: ReadonlyMap<string, IdType> = new Map([
  ['001', { type: 'nationalID', form: /^0*\d{1,9}(\.0+)?$/, expected: '1 to 9 digits' }],
  [
    '002',
    { type: 'passportNo', form: /^[A-Z0-9]{5,20}$/i, expected: '5 to 20 letters and digits' },
  ],
  ['003', { type: 'alienID', form: /^0*\d{1,6}(\.0+)?$/, expected: '1 to 6 digits' }],
  ['004', { type: 'serviceID', form: /^0*\d{1,6}(\.0+)?$/, expected: '1 to 6 digits' }],
]);

const CODE_DIGITS = 3;

const EXTRA_DOCUMENTS: readonly (readonly [Column, DocumentType, string])[] = [
  ['PassportNumber', 'passportNo', '5 to 20 letters and digits'],
  ['ServiceID', 'serviceID', '1 to 12 letters and digits'],
  ['AlienID', 'alienID', '1 to 12 letters and digits'],
  ['TaxPIN', 'taxID', 'a PIN such as A123456789B'],
];

const PHONES: readonly (readonly [Column, PhoneType])[] = [
  ['MobilePhone', 'MOBILE'],
  ['HomePhone', 'HOME'],
  ['WorkPhone', 'WORK'],
];

/**
 * The person that the line is about. Findings go to the reader; use the result only if there are
 * none.
 */
export function readIdentity(reader: LineReader, asOf: Day): Profile {
  const [surname, ...forenames] = readNames(reader);
  reader.freeText('TradingAs', ADDRESS_LENGTH);
  return {
    name: { surname, forenames },
    salutation: reader.freeText('Salutation', 20),
    alsoKnownAs: [],
    dateOfBirth: readBirth(reader, asOf),
    gender: reader.code('Gender', ['M', 'F']) ?? '',
    nationality: readCountry(reader, 'Nationality', true),
    documents: readDocuments(reader),
    phones: readPhones(reader, asOf),
    addresses: readAddresses(reader, asOf),
    asOf,
  };
}

const NAME_COLUMNS = ['Surname', 'Forename1', 'Forename2', 'Forename3'] as const;

/**
 * The names on the line, the surname first. Some people have a single name, and some lenders know no
 * more than an initial: the account counts, even if an enquiry can then not find its holder.
 */
function readNames(reader: LineReader): readonly [string, ...string[]] {
  const given = NAME_COLUMNS.map(
    (column) => [column, reader.freeText(column, NAME_LENGTH)] as const,
  );
  const names = given.flatMap(([column, text]) => {
    const name = readName(reader, column, text);
    return name === '' ? [] : [name];
  });
  const [first, ...others] = names;
  if (first !== undefined) return [first, ...others];
  if (NAME_COLUMNS.every((column) => reader.text(column) === '')) reader.required('Surname');
  else if (given.some(([, text]) => text !== '')) {
    reader.fault('Surname', 'name', 'Surname must be a name: letters, not digits or signs alone');
  }
  return [''];
}

/** Digits, with the ending of an ordinal number. */
const NUMBERS = /\p{Nd}+(?:(?:st|nd|rd|th)(?!\p{L}))?/giu;

/** A name without the digits that a lender has in it. */
function readName(reader: LineReader, column: Column, text: string): string {
  if (text === '') return '';
  const name = text.replaceAll(NUMBERS, '').replaceAll(/\s+/g, ' ').trim();
  if (nameWords(name).length === 0) {
    reader.remark(column, 'name', `${column} has no letters, and was read as empty`);
    return '';
  }
  if (name !== text) reader.remark(column, 'name', `${column} was read without its digits`);
  return name;
}

function readBirth(reader: LineReader, asOf: Day): Day {
  const day = reader.requiredDay('DateOfBirth');
  if (day === undefined) return '';
  const years = fullYears(day, asOf);
  if (years < YOUNGEST_YEARS || years > OLDEST_YEARS) {
    reader.fault(
      'DateOfBirth',
      'age',
      `DateOfBirth must make the person ${YOUNGEST_YEARS} to ${OLDEST_YEARS} years old at the as-of date`,
    );
  }
  return day;
}

function fullYears(from: Day, to: Day): number {
  const years = Number(to.slice(0, 4)) - Number(from.slice(0, 4));
  return to.slice(5) < from.slice(5) ? years - 1 : years;
}

function readCountry(reader: LineReader, column: Column, required: boolean): string {
  const value = (required ? reader.required(column) : reader.text(column)).toUpperCase();
  if (value !== '' && !/^[A-Z]{2}$/.test(value)) {
    reader.fault(column, 'country', `${column} must be a country code of two letters, such as KE`);
  }
  return value;
}

/** Every account needs a document, which enquiries find it by; any one will do. */
function readDocuments(reader: LineReader): IdentityDocument[] {
  const others = readExtraDocuments(reader);
  if (reader.text('PrimaryIDNumber') !== '') {
    return distinct([...readCodedDocument(reader, 'PrimaryIDType', 'PrimaryIDNumber'), ...others]);
  }
  if (others.length === 0) reader.required('PrimaryIDNumber');
  else reader.remarkMissing('PrimaryIDNumber');
  return distinct(others);
}

/** A number with a code of its type, such as PrimaryIDType and PrimaryIDNumber. */
function readCodedDocument(
  reader: LineReader,
  typeColumn: Column,
  numberColumn: Column,
): IdentityDocument[] {
  const given = reader.required(typeColumn);
  if (given === '') return [];
  const code = /^\d{1,2}$/.test(given) ? given.padStart(CODE_DIGITS, '0') : given;
  if (code !== given) {
    reader.remarkChanged(typeColumn, `was read with the zeros in front that a spreadsheet removes`);
  }
  const number = reader.text(numberColumn);
  const idType = ID_TYPES.get(code);
  if (idType === undefined) {
    const company = code === '005' ? '; 005 is a company, which this template does not take' : '';
    reader.fault(
      typeColumn,
      'code',
      `${typeColumn} must be one of ${[...ID_TYPES.keys()].join(', ')}${company}`,
    );
    return [];
  }
  const normalised = idType.form.test(number) ? normaliseDocument(idType.type, number) : undefined;
  if (normalised === undefined) {
    reader.fault(
      numberColumn,
      'id_number',
      `${numberColumn} must have ${idType.expected} for ${typeColumn} ${code}, unless it is the type that is wrong`,
    );
    return [];
  }
  if (idType.type === 'passportNo') checkPassportCell(reader, numberColumn);
  return [{ type: idType.type, number: normalised }];
}

/** Zeros in front belong to the number of a passport, unlike those of other documents. */
function checkPassportCell(reader: LineReader, column: Column): void {
  if (!reader.isNumber(column)) return;
  reader.fault(
    column,
    SPREADSHEET_RULE,
    `${column} must be text: as a number, a passport’s loses the zeros in front`,
  );
}

/** Documents beside the first, of the consumer template. */
const FURTHER_DOCUMENTS: readonly (readonly [Column, Column])[] = [
  ['SecondaryIDType', 'SecondaryIDNumber'],
  ['OtherIDType', 'OtherIDNumber'],
];

function readExtraDocuments(reader: LineReader): IdentityDocument[] {
  const documents = FURTHER_DOCUMENTS.flatMap(([type, number]) =>
    reader.text(number) === '' ? [] : readCodedDocument(reader, type, number),
  );
  for (const [column, type, expected] of EXTRA_DOCUMENTS) {
    const text = reader.text(column);
    if (text === '') continue;
    const number = normaliseDocument(type, text);
    if (number === undefined) reader.fault(column, 'id_number', `${column} must be ${expected}`);
    else {
      if (type === 'passportNo') checkPassportCell(reader, column);
      documents.push({ type, number });
    }
  }
  return documents;
}

/** Some lenders repeat a document in further columns. */
function distinct(documents: readonly IdentityDocument[]): IdentityDocument[] {
  return [...new Map(documents.map((each) => [`${each.type} ${each.number}`, each])).values()];
}

function readPhones(reader: LineReader, since: Day): Phone[] {
  const phones: Phone[] = [];
  for (const [column, type] of PHONES) {
    const text = reader.text(column);
    if (text === '') continue;
    const number = normalisePhone(text);
    if (number === undefined || (type === 'MOBILE' && isOtherKenyan(number))) {
      reader.fault(column, 'phone', `${column} must be a phone number such as 254712345678`);
    } else if (!phones.some((phone) => phone.number === number)) {
      phones.push({ number, type, since });
    }
  }
  return phones;
}

/** A Kenyan number that no mobile phone has. */
function isOtherKenyan(number: string): boolean {
  return number.startsWith('254') && !MOBILE_NUMBER.test(number);
}

function readAddresses(reader: LineReader, since: Day): Address[] {
  const addresses: Address[] = [];
  for (const [kind, prefix] of [
    ['postal', 'Postal'],
    ['physical', 'Physical'],
  ] as const) {
    const line = reader.freeText(`${prefix}Address`, ADDRESS_LENGTH);
    const town = reader.freeText(`${prefix}Town`, ADDRESS_LENGTH);
    const country = readCountry(reader, `${prefix}Country`, false);
    if (line !== '' || town !== '') addresses.push({ kind, line, town, country, since });
  }
  return addresses;
}
