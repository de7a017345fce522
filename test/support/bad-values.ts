import type { OperationName } from './vendor-client.ts';

const CODES = ['GOTV', 'go-tv', 'x'.repeat(41), 'no_such', '__proto__', 'constructor', 'go tv'];
const SIGNER_NAMES = ['nobody', 'x'.repeat(65), 'demo demo', 'DEMO', '__proto__', 'toString'];

/** Invalid values of each parameter, by its own grammar. */
export const BAD_VALUES: Readonly<Record<string, readonly string[]>> = {
  amount: [
    '-1',
    '-0',
    '+5',
    '1e2',
    '1E400',
    '60.000',
    '60.',
    '.5',
    '60,00',
    '1 000',
    ' 60',
    '60 ',
    'NaN',
    'Infinity',
    '0x64',
    '٦٠',
    'sixty',
    '0',
    '0.00',
    '9007199254740993',
    '1000000000000',
    '9'.repeat(400),
    '1.00.00',
    '--1',
    '1_000',
  ],
  account: [' 123', '-1', '<b>', 'x'.repeat(65), 'a"b', 'a;b', 'a&b', 'a=b', 'a\\b', '.', '*'],
  phone: [
    'abc',
    '12345678',
    '1'.repeat(16),
    '++254722000000',
    '254 7x2',
    '0722-0000-00x',
    '0202009901',
    '254412345678',
  ],
  merchant_reference: [' x', 'x ', 'x'.repeat(65), 'é', ' '],
  biller_name: CODES,
  biller_code: CODES,
  // A name is also accepted, in upper or lower case.
  account_type: CODES.filter((code) => code !== 'GOTV'),
  reference: ['x'.repeat(65), 'O'.repeat(32), '0'.repeat(31), ' ', '%'],
  time: [
    'now',
    '123',
    '2026-13-01 00:00:00',
    '2026-02-30 00:00:00',
    '-1795236000',
    '1e9',
    '99999999999',
    '9999999999999',
    '2026-11-21T00:00:00',
    '0000-00-00 00:00:00',
    '0000-01-01 00:00:00',
    '9999-12-31 23:59:59',
  ],
  currency: ['kes', 'KES ', 'USD', 'KE', 'K€S', 'KESH'],
  prefix: ['72', '7222', '0722', 'abc', '７２２', '-72', '7.2', '000', ' 72'],
  collector: SIGNER_NAMES,
  vid: SIGNER_NAMES,
  nationalID: ['é', '1'.repeat(41), '<1>', '1+1', '..', '-', 'ID'],
  requestReference: ['a-b', 'a b', 'x'.repeat(65), 'é', '_'],
  reportReason: ['0', '13', '-1', '1.0', '02', 'loan', '1e0'],
  reportSector: ['0', '3', '-1', '1.0', '01', 'all'],
  name1: ['1', 'Amani2', 'x'.repeat(101), '<b>', 'a=b'],
  name2: ['1', 'Baraka2', 'x'.repeat(101), '<b>', 'a&b'],
  telephoneMobile: ['x'.repeat(201)],
  paid_at: [
    '2026-02-30T10:00:00Z',
    '0000-01-01 00:00:00',
    'yesterday',
    '2026-01-05T25:00:00Z',
    '2026-01-05',
    '1',
    '9'.repeat(41),
    '2026-01-05T09:00:00+99:00',
  ],
};
/** Characters that are invalid everywhere. */
export const BAD_CHARACTERS = [
  'tab\there',
  'line\nbreak',
  'nothing\u0000',
  'delete\u007f',
  'c1\u0085',
  'right\u202eto left',
  'mark\ufeff',
  'replaced\ufffd',
];
/** Longer than any value may be. */
export const LONG = 'x'.repeat(1025);
export const BAD_HASHES = ['', 'x', '0'.repeat(63), '0'.repeat(65), 'g'.repeat(64), '0'.repeat(64)];

/** The reference of a collection has the same grammar as a merchant reference. */
export function badValuesOf(operation: OperationName, name: string): readonly string[] {
  const own = operation === 'collect' && name === 'reference' ? 'merchant_reference' : name;
  return [
    ...(BAD_VALUES[own] ?? []),
    ...BAD_CHARACTERS,
    LONG,
    // Names and addresses may be in any script.
    ...(/^(name|telephone)/.test(name) ? [] : ['🙂']),
  ];
}
