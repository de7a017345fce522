import { isMissing } from './missing.ts';

/** Identification documents by the request parameter that carries them (specification §4.9). */
export const DOCUMENT_TYPES = [
  'nationalID',
  'passportNo',
  'serviceID',
  'alienID',
  'taxID',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export interface IdentityDocument {
  readonly type: DocumentType;
  /** Normalised. */
  readonly number: string;
}

/** A person has one of these for life: two different ones are two people. A passport is renewed. */
export const LIFELONG_DOCUMENTS: ReadonlySet<DocumentType> = new Set(['nationalID', 'taxID']);

const FORMS: Readonly<Record<DocumentType, RegExp>> = {
  nationalID: /^\d{1,9}$/,
  passportNo: /^[A-Z0-9]{5,20}$/,
  serviceID: /^[A-Z0-9]{1,12}$/,
  alienID: /^[A-Z0-9]{1,12}$/,
  taxID: /^[A-Z]\d{9}[A-Z]$/,
};

/** Completes the sentence "<parameter> must be …". */
export const DOCUMENT_FORMS: Readonly<Record<DocumentType, string>> = {
  nationalID: 'a national ID number of 1 to 9 digits',
  passportNo: 'a passport number of 5 to 20 letters and digits',
  serviceID: 'a service number of 1 to 12 letters and digits',
  alienID: 'an alien registration number of 1 to 12 letters and digits',
  taxID: 'a tax PIN such as A123456789B',
};

/**
 * The normal form of a document number: no separators, upper case, and no leading zeros if it
 * consists of digits only. Numbers of different types are never equal. Returns undefined if the
 * text is not such a document; zeros and words for a missing number are nobody's.
 */
export function normaliseDocument(type: DocumentType, text: string): string | undefined {
  const compact = withoutDecimals(text)
    .replaceAll(/[\s./-]/g, '')
    .toUpperCase();
  const number = /^\d+$/.test(compact) && type !== 'passportNo' ? withoutZeros(compact) : compact;
  if (isMissing(number, { zero: true, na: true })) return undefined;
  return FORMS[type].test(number) ? number : undefined;
}

/** A number that a spreadsheet wrote as `31234567.0`. With its last zero it would be somebody else's. */
function withoutDecimals(text: string): string {
  return text.trim().replace(/^(\d+)\.0+$/, '$1');
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/**
 * The normal form of a phone number: digits with the country code, `254712345678` for `0712 345
 * 678` (a number without a country code is Kenyan). Returns undefined if the text is not a phone
 * number.
 */
export function normalisePhone(text: string): string | undefined {
  const compact = withoutDecimals(text).replaceAll(/[\s()./-]/g, '');
  const digits = compact.replace(/^(\+|00)/, '');
  if (!/^\d{9,15}$/.test(digits)) return undefined;
  if (compact.startsWith('+') || compact.startsWith('00')) return digits;
  if (digits.length === 10 && digits.startsWith('0')) return `254${digits.slice(1)}`;
  return digits.length === 9 ? `254${digits}` : digits;
}
