import { Type } from 'typebox';
import { headerStatus } from '../../platform/http/schemas.ts';
import { PRODUCT_NAMES } from '../facts.ts';
import { SUCCESS_TEXT } from './answers.ts';

/** Parts of the scoring operations' answer schemas. */

export const plainText = (description: string) => Type.String({ description });
export const isoTime = (description: string) =>
  Type.String({ description, examples: ['2026-10-31T00:00:00+03:00'] });

export const headSchema = {
  header_status: headerStatus,
  text: Type.String({ examples: [SUCCESS_TEXT] }),
  requestReference: plainText('The reference of the enquiry, as you sent it.'),
};
const trueOrFalse = (description: string) =>
  Type.String({ description, examples: ['false'], pattern: '^(true|false)$' });
export const tailSchema = {
  remarks: Type.Array(
    Type.String({
      description: 'Further remarks, such as disputes, a death or another name on file.',
    }),
  ),
  source: plainText('The bureau that the information comes from; `registry` is the built-in one.'),
  computed_here: Type.Array(
    Type.String({
      description: 'Fields that the upstream bureau did not provide and that were computed here.',
    }),
  ),
};
export const profileFields = {
  crn: plainText('Customer reference number.'),
  alsoKnownAs: Type.Array(Type.String(), {
    description:
      'Other names on file, the newest first. Always empty for vendors with strict enquiries.',
    examples: [[]],
  }),
  dateOfBirth: isoTime('Date of birth.'),
  fullName: plainText('Full name.'),
  nationalID: plainText('National ID number; empty when not known.'),
  otherNames: plainText('All names except the surname.'),
  salutation: plainText('Salutation; empty when not known.'),
  surname: plainText('Surname.'),
  deceased: trueOrFalse(
    '`true` when the customer is recorded as deceased; then there is no score.',
  ),
  nameDiffers: trueOrFalse(
    '`true` when a name on file is another than in the request, as after a marriage; `remarks` says so too. Check the document.',
  ),
};
const sectorPair = Type.Object(
  { mySector: Type.String(), otherSectors: Type.String() },
  { description: 'Numbers as text. The page on credit fields defines each of them.' },
);
export const pairs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sectorPair]));
const reasons = Object.fromEntries(
  [1, 2, 3, 4].map((number) => [
    `reasonCodeAARC${number}`,
    plainText('A reason, in plain English.'),
  ]),
);
export const scoreSchema = (name: string) =>
  Type.Object({
    grade: plainText('AA (best) to JJ; empty without history.'),
    [name]: plainText('1 to 1000; empty without history.'),
    probability: plainText('Probability of default in percent; empty without history.'),
    ...reasons,
  });
export const accountStatus = Type.String({ description: '`ACTIVE`, `CLOSED` or `DEFAULT`.' });
export const accountFlags = {
  disputed: trueOrFalse(
    '`true` while the customer disputes the account: it is neither counted against the customer nor scored.',
  ),
  deceased: trueOrFalse('`true` when the lender reports the customer’s death with this account.'),
  asOf: isoTime('The day for which the lender last submitted the account.'),
};
export const accountDetails = {
  accountType: Type.String({
    description: `Product: ${Object.values(PRODUCT_NAMES)
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
    examples: ['MOBILE_LOAN'],
  }),
  openedDate: isoTime('The day on which the account was opened.'),
  accountAge: plainText('Whole months since the account was opened.'),
  originalAmount: plainText('Principal or limit in KES; empty when not known.'),
  currentBalance: plainText('Balance in KES.'),
  arrearDays: plainText('Days in arrears; `0` for a disputed account.'),
  jointHolders: plainText(
    'Number of other holders of the account; empty when not known. They are never named.',
  ),
  stale: trueOrFalse('`true` when the account is open and its lender has missed a submission.'),
};
export const noticeSchema = plainText('Must be shown to the person who decides.');
