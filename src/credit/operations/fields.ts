import { Type } from 'typebox';
import { parameter } from '../../platform/http/parameter.ts';

const name = parameter(
  /^[^0-9&=<>]{1,100}$/,
  'a name of at most 100 characters without digits',
  'One of the customer’s names, in any order.',
  { examples: ['Amani'] },
);
export const optionalName = Type.Optional(name);

const documentText = (description: string, example: string) =>
  Type.Optional(
    parameter(/^[A-Za-z0-9 ./-]{1,40}$/, 'a document number of letters and digits', description, {
      examples: [example],
    }),
  );

export const documentFields = {
  nationalID: documentText('National ID number.', '900000001'),
  passportNo: documentText('Passport number.', 'A1234567'),
  serviceID: documentText('Military service number.', '123456'),
  alienID: documentText('Alien registration number.', '123456'),
  taxID: documentText('Tax PIN.', 'A123456789B'),
} as const;

export const requestReference = parameter(
  /^[A-Za-z0-9]{1,64}$/,
  '1 to 64 letters and digits',
  'Your own reference of the enquiry, unique for each operation. The same reference with the same content returns the same response again, byte for byte.',
  { examples: ['ENQ20261121A'] },
);

export const reportReason = parameter(
  /^([1-9]|1[0-2])$/,
  'a code from 1 to 12',
  'Why you ask: 1 account opening, 2 loan application, 3 monitoring credit, 4 verification, 5 overdraft, 6 credit cards, 7 business working capital loans, 8 business expansion loans, 9 mortgage loans, 10 asset finance loans, 11 trade finance facilities, 12 mobile banking loan.',
  { examples: ['2'] },
);

export const reportSector = parameter(/^[12]$/, '1 or 2', '1 my sector, 2 all sectors.', {
  examples: ['2'],
});

export const dateOfBirth = Type.Optional(
  parameter(
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T[0-9:.]{5,12}(Z|[+-]\d{2}:\d{2}))?$/,
    'a date such as 1984-03-12, or a date and time with its offset',
    'Birth date. If given, it must be the one on file. Only the day counts.',
    { examples: ['1984-03-12'] },
  ),
);

const contact = (description: string) =>
  Type.Optional(parameter(/^.{1,200}$/, 'at most 200 characters', description));

export const contactFields = {
  postalTown: contact('Postal town.'),
  postalCountry: contact('Postal country.'),
  telephoneWork: contact('Office phone.'),
  telephoneHome: contact('Home phone.'),
  telephoneMobile: contact('Mobile phone.'),
  physicalAddress: contact('Physical address.'),
  physicalTown: contact('Physical town.'),
  physicalCountry: contact('Physical country.'),
} as const;

export const consentFields = {
  consentReference: Type.Optional(
    parameter(
      /^[\x20-\x7E]{1,100}$/,
      'at most 100 printable ASCII characters',
      'Where the customer’s consent is recorded on your side; kept with the enquiry. Required for vendors with strict enquiries.',
    ),
  ),
  consentDate: Type.Optional(
    parameter(
      /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
      'a date such as 2026-11-21',
      'The day on which the customer consented; not in the future. Required for vendors with strict enquiries.',
    ),
  ),
} as const;
