import { describe, expect, test } from 'vitest';
import type { Finding, SubmittedAccount } from '../../../../src/credit/importing/record.ts';
import {
  matchTitles,
  MOBILE_COLUMNS,
  TEMPLATES,
} from '../../../../src/credit/importing/template.ts';
import { createValidator } from '../../../../src/credit/importing/validate.ts';
import { DOCUMENT_TYPES, normaliseDocument } from '../../../../src/credit/registry/documents.ts';
import { rightLine, valuesOf, placesOf } from '../../../support/credit-files.ts';
import type { Line } from '../../../support/credit-files.ts';

const validator = createValidator(placesOf('mobile'), '2026-10-31');

function findingsOf(change: Line): string[] {
  const { findings } = validator.validate(7, valuesOf(rightLine(1, change)));
  return (findings ?? []).map(({ line, field, rule }) => `${line} ${field} ${rule}`);
}

/** In arrears, consistently. */
const LATE: Line = {
  OverdueBalance: '4000',
  OverdueDate: '20260715',
  DisbursementDate: '20260101',
  DaysInArrears: '100',
  InstalmentsInArrears: '3',
  PrudentialRiskClassification: 'C',
};

test('zeros in front of a number, and decimals of a spreadsheet, do not make it another one', () => {
  const validate = (change: Line) => {
    const validated = validator.validate(2, valuesOf(rightLine(1, change)));
    return validated as { account?: SubmittedAccount };
  };
  for (const number of ['31234567', '0031234567', '31234567.0', '31234567.00']) {
    const { account } = validate({
      ...{ PrimaryIDType: '1', PrimaryIDNumber: number, MobilePhone: '254712345678.0' },
    });
    expect(account?.profile.documents, number).toEqual([
      { type: 'nationalID', number: '31234567' },
    ]);
    expect(account?.profile.phones).toMatchObject([{ number: '254712345678' }]);
    expect(normaliseDocument('nationalID', number)).toBe('31234567');
  }
  expect(normaliseDocument('alienID', '1234.0')).toBe('1234');
  expect(normaliseDocument('passportNo', 'AK 12.345')).toBe('AK12345');
  expect(validate({ PrimaryIDNumber: '31234567.5' }).account).toBeUndefined();
});

describe('a value that there is not', () => {
  const MISSING = [
    'N/A',
    'n/a',
    '#N/A',
    'NA',
    'NIL',
    'NONE',
    'null',
    '-',
    '--',
    '0',
    '000',
    'unknown',
    'XXXXX',
  ];
  const full = createValidator(placesOf('individual'), '2026-10-31');
  const validate = (change: Line) =>
    full.validate(
      7,
      TEMPLATES.individual.map((column) => rightLine(1, change)[column] ?? ''),
    );

  test.each(MISSING)(
    'written as %s, is read as empty, with a remark that names the field',
    (missing) => {
      const { account, remarks } = validate({
        ...{ MobilePhone: missing, HomePhone: missing, ClientNumber: missing },
        ...{ PassportNumber: missing, ServiceID: missing, AlienID: missing, TaxPIN: missing },
        ...{ InstalmentDueDate: missing, PostalAddress: missing },
      }) as { account?: SubmittedAccount; remarks?: readonly Finding[] };
      expect(account?.profile).toMatchObject({
        documents: [{ type: 'nationalID', number: '910000001' }],
        phones: [],
        addresses: [],
      });
      expect(account?.clientNumber).toBe('');
      expect(remarks?.map(({ field, rule }) => `${field} ${rule}`)).toEqual(
        expect.arrayContaining([
          'MobilePhone missing',
          'ServiceID missing',
          'ClientNumber missing',
        ]),
      );
    },
  );

  test('leaves the person the other documents of the line', () => {
    for (const missing of ['', ...MISSING]) {
      const { account } = validate({
        PrimaryIDNumber: missing,
        PrimaryIDType: '',
        AlienID: 'AB12',
      });
      expect(account?.profile.documents).toEqual([{ type: 'alienID', number: 'AB12' }]);
    }
  });

  test.each(MISSING)('%s does not count as a document number', (missing) => {
    for (const type of DOCUMENT_TYPES) expect(normaliseDocument(type, missing)).toBeUndefined();
  });

  test('a missing value is not an amount, but 0 is, and NA is a name and Namibia', () => {
    const { account } = validate({
      ...{ Forename1: 'Na', Nationality: 'NA', InstalmentAmount: 'N/A', RepaymentPeriod: '-' },
      LastPaymentAmount: '0',
    });
    expect(account?.profile).toMatchObject({
      nationality: 'NA',
      name: { forenames: ['Na', 'Wanjiru'] },
    });
    expect(account?.terms).toMatchObject({ instalmentCents: null, repaymentMonths: null });
    expect(account?.states[0]?.lastPaymentCents).toBe(0n);
  });
});

describe('a line of the mobile template', () => {
  test('a valid line becomes an account', () => {
    const { account } = validator.validate(7, valuesOf(rightLine(1)));
    expect(account).toMatchObject({
      line: 7,
      accountNumber: 'A1',
      profile: {
        name: { surname: 'Baraka', forenames: ['Amani', 'Wanjiru'] },
        dateOfBirth: '1985-03-14',
        documents: [{ type: 'nationalID', number: '910000001' }],
        phones: [{ number: '254700000001', type: 'MOBILE', since: '2026-10-31' }],
      },
      terms: { product: 'I', openedOn: '2026-09-01', originalCents: 1_200_000n },
      states: [{ asOf: '2026-10-31', balanceCents: 800_000n, riskClass: 'A', status: 'F' }],
    });
    expect(findingsOf(LATE)).toEqual([]);
    expect(findingsOf({ ...LATE, AccountStatus: 'C', PrudentialRiskClassification: 'E' })).toEqual(
      [],
    );
    expect(findingsOf({ ...LATE, DaysInArrears: '180', AccountStatus: 'F' })).toEqual([]);
    const nothing = { CurrentBalanceKES: '0', CurrentBalance: '0' };
    for (const status of ['A', 'C', 'F', 'H', 'L']) {
      expect(findingsOf({ ...nothing, AccountStatus: status })).toEqual([]);
    }
    // Settled for less; arrears paid while a collector has the account.
    expect(findingsOf({ AccountStatus: 'H' })).toEqual([]);
    expect(findingsOf({ AccountStatus: 'E' })).toEqual([]);
    expect(findingsOf({ OriginalAmount: '800', CurrentBalance: '8000' })).toEqual([]);
  });

  test.each([
    [{ Forename1: 'K' }, { surname: 'Baraka', forenames: ['K', 'Wanjiru'] }],
    [
      { Forename1: 'K.', Forename2: '' },
      { surname: 'Baraka', forenames: ['K.'] },
    ],
    [{ Surname: 'K.' }, { surname: 'K.', forenames: ['Amani', 'Wanjiru'] }],
    [
      { Forename1: '', Forename2: '' },
      { surname: 'Baraka', forenames: [] },
    ],
    [
      { Surname: '', Forename2: '' },
      { surname: 'Amani', forenames: [] },
    ],
  ])('a line with the names %o is imported', (change, name) => {
    const { account } = validator.validate(7, valuesOf(rightLine(1, change)));
    expect(account?.profile.name).toEqual(name);
  });

  test.each<[Line, bigint, bigint, string[]]>([
    [{ OriginalAmount: '0' }, 0n, 800_000n, []],
    [{ OriginalAmount: '1,234,567.50' }, 123_456_750n, 800_000n, []],
    [{ CurrentBalance: '-1,000.00', CurrentBalanceKES: '-1 000.0' }, 1_200_000n, -100_000n, []],
    [{ OriginalAmount: '799.99' }, 79_999n, 800_000n, ['CurrentBalance balance_and_original']],
    [{ CurrentBalance: '-500', CurrentBalanceKES: '-500' }, 1_200_000n, -50_000n, []],
    [
      { CurrentBalance: '-0.50', CurrentBalanceKES: '-0.50', AccountStatus: 'A' },
      1_200_000n,
      -50n,
      [],
    ],
    [
      { Currency: 'USD', CurrentBalance: '-5', CurrentBalanceKES: '-645' },
      154_800_000n,
      -64_500n,
      [],
    ],
  ])(
    'a line with the unusual amounts %o is imported, with a remark at most',
    (change, original, balance, remarks) => {
      const validated = validator.validate(7, valuesOf(rightLine(1, change)));
      expect(validated.findings).toBeUndefined();
      expect(validated.account).toMatchObject({
        terms: { originalCents: original },
        states: [{ balanceCents: balance }],
      });
      const found = 'remarks' in validated ? validated.remarks : [];
      expect(found.map(({ field, rule }) => `${field} ${rule}`)).toEqual(remarks);
    },
  );

  test.each([
    [{ Forename2: '-' }, ['Amani'], ['Forename2 missing']],
    [{ Surname: 'NULL' }, ['Wanjiru'], ['Surname missing']],
    [{ Forename2: '2' }, ['Amani'], ['Forename2 name']],
    [
      { Forename2: 'W4njiru', Surname: 'Baraka 3rd' },
      ['Amani', 'Wnjiru'],
      ['Surname name', 'Forename2 name'],
    ],
    [
      { Forename1: 'n/a', Forename2: '.', Forename3: 'XXX' },
      [],
      ['Forename1 missing', 'Forename2 missing', 'Forename3 missing'],
    ],
    [{ Forename2: 'Na' }, ['Amani', 'Na'], []],
    [
      { Gender: 'f', Nationality: 'ke', AccountStatus: 'f', AccountProductType: 'i' },
      ['Amani', 'Wanjiru'],
      [],
    ],
    [
      { OverdueDate: '00000000', InstalmentDueDate: '00000000', RepaymentPeriod: '6.0' },
      ['Amani', 'Wanjiru'],
      [],
    ],
  ])(
    'a line with the unusual values %o is imported, with a remark at most',
    (change, forenames, remarks) => {
      const validated = validator.validate(7, valuesOf(rightLine(1, change)));
      expect(validated.findings).toBeUndefined();
      expect(validated.account?.profile.name.forenames).toEqual(forenames);
      const found = 'remarks' in validated ? validated.remarks : [];
      expect(found.map(({ field, rule }) => `${field} ${rule}`)).toEqual(remarks);
    },
  );

  test.each([
    ['Li', 'Na'],
    ['Na', 'Wei'],
    ['Al', 'Amin'],
    ['Ole', 'Kina'],
    ['Mohamed', 'Mohamed'],
  ])('may be of %s %s', (first, surname) => {
    expect(findingsOf({ Forename1: first, Forename2: '', Surname: surname })).toEqual([]);
  });

  test.each([
    [{ Surname: '', Forename1: '', Forename2: '' }, 'Surname required'],
    [{ Surname: '12345', Forename1: '', Forename2: '2' }, 'Surname name'],
    [{ Surname: 'NULL', Forename1: '', Forename2: '' }, 'Surname required'],
    [{ Surname: 'Bara\ufffdka' }, 'Surname text'],
    [{ DateOfBirth: '' }, 'DateOfBirth required'],
    [{ DateOfBirth: '19850230' }, 'DateOfBirth date'],
    [{ DateOfBirth: '14-03-1985' }, 'DateOfBirth date'],
    [{ DateOfBirth: '20081101' }, 'DateOfBirth age'],
    [{ DateOfBirth: '19250101' }, 'DateOfBirth age'],
    [{ AccountNumber: '' }, 'AccountNumber required'],
    [{ AccountNumber: 'N/A' }, 'AccountNumber required'],
    [{ AccountNumber: '000' }, 'AccountNumber required'],
    [{ AccountNumber: 'A'.repeat(41) }, 'AccountNumber text'],
    [{ Gender: 'X' }, 'Gender code'],
    [{ Nationality: 'KEN' }, 'Nationality country'],
    [{ PrimaryIDType: '6' }, 'PrimaryIDType code'],
    [{ PrimaryIDType: '005' }, 'PrimaryIDType code'],
    [{ PrimaryIDNumber: '12AB' }, 'PrimaryIDNumber id_number'],
    [{ PrimaryIDNumber: '' }, 'PrimaryIDNumber required'],
    ...['0000', 'N/A', 'NA', 'nil', 'NONE', '-', '0', 'unknown', 'Not available'].flatMap(
      (missing) => [
        [{ PrimaryIDNumber: missing }, 'PrimaryIDNumber required'] as const,
        [{ PrimaryIDType: '002', PrimaryIDNumber: missing }, 'PrimaryIDNumber required'] as const,
      ],
    ),
    [{ PrimaryIDType: '003', PrimaryIDNumber: '1234567' }, 'PrimaryIDNumber id_number'],
    [{ MobilePhone: '07123' }, 'MobilePhone phone'],
    [{ MobilePhone: '254412345678' }, 'MobilePhone phone'],
    [{ MobilePhone: '0202009901' }, 'MobilePhone phone'],
    [{ AccountProductType: 'Z' }, 'AccountProductType code'],
    [{ InstalmentDueDate: '20261301' }, 'InstalmentDueDate date'],
    [{ OriginalAmount: '12,000' }, 'OriginalAmount amount'],
    [{ OriginalAmount: '1.000,00' }, 'OriginalAmount amount'],
    [{ OriginalAmount: '1,00.00' }, 'OriginalAmount amount'],
    [{ OriginalAmount: '-5' }, 'OriginalAmount amount'],
    [{ OriginalAmount: '1.234' }, 'OriginalAmount amount'],
    [{ OriginalAmount: '12345678901234567' }, 'OriginalAmount amount'],
    [{ Currency: 'Ksh' }, 'Currency currency'],
    [{ Currency: 'KSH' }, 'Currency currency'],
    [{ CurrentBalanceKES: '7999.99' }, 'CurrentBalanceKES kes_equality'],
    [
      { Currency: 'USD', CurrentBalanceKES: '0', CurrentBalance: '10' },
      'CurrentBalanceKES kes_equality',
    ],
    [
      { Currency: 'USD', CurrentBalanceKES: '9999999999999', CurrentBalance: '0.01' },
      'CurrentBalanceKES rate',
    ],
    [
      { Currency: 'VND', CurrentBalanceKES: '0.07', CurrentBalance: '8000' },
      'CurrentBalanceKES rate',
    ],
    [
      { Currency: 'USD', CurrentBalanceKES: '1032000', OriginalAmount: '77519379844.97' },
      'OriginalAmount amount',
    ],
    [
      { Currency: 'USD', CurrentBalanceKES: '1032000', LastPaymentAmount: '9999999999999' },
      'LastPaymentAmount amount',
    ],
    [
      { Currency: 'USD', CurrentBalanceKES: '500', CurrentBalance: '-5' },
      'CurrentBalanceKES kes_equality',
    ],
    [
      {
        OriginalAmount: '150000',
        CurrentBalanceKES: '120000',
        CurrentBalance: '120000',
        AccountStatus: 'A',
      },
      'CurrentBalance closed_balance',
    ],
    ...(['C', 'J'] as const).map(
      (status) => [{ AccountStatus: status }, 'OverdueBalance due_needs_overdue'] as const,
    ),
    [{ ...LATE, OverdueBalance: '8000.01' }, 'OverdueBalance overdue_within_balance'],
    [{ ...LATE, OverdueDate: '' }, 'OverdueDate overdue_needs_date'],
    [{ ...LATE, OverdueBalance: '0' }, 'OverdueBalance days_need_overdue'],
    [{ ...LATE, InstalmentsInArrears: 'three' }, 'InstalmentsInArrears count'],
    [{ ...LATE, PrudentialRiskClassification: 'B' }, 'PrudentialRiskClassification class_and_days'],
    [{ ...LATE, PrudentialRiskClassification: 'F' }, 'PrudentialRiskClassification code'],
    [{ AccountStatus: 'N' }, 'AccountStatus code'],
    [{ AccountStatusDate: '20261101' }, 'AccountStatusDate future_date'],
    [{ AccountStatusDate: '20260831' }, 'AccountStatusDate before_disbursement'],
    [{ LatestPaymentDate: '20261101' }, 'LatestPaymentDate future_date'],
    [{ LatestPaymentDate: '' }, 'LatestPaymentDate payment_needs_date'],
    [{ RepaymentPeriod: '1.5' }, 'RepaymentPeriod count'],
  ] as const)('%o is refused by %s alone', (change, expected) => {
    expect(findingsOf(change)).toEqual([`7 ${expected}`]);
  });

  test('an account in arrears without days or instalments gets every finding', () => {
    const change = { ...LATE, DaysInArrears: '0', PrudentialRiskClassification: 'A' };
    expect(findingsOf(change)).toEqual([
      '7 DaysInArrears overdue_needs_days',
      '7 InstalmentsInArrears instalments_and_days',
    ]);
    expect(findingsOf({ ...LATE, InstalmentsInArrears: '0' })).toEqual([
      '7 InstalmentsInArrears overdue_needs_instalments',
      '7 InstalmentsInArrears instalments_and_days',
    ]);
    expect(findingsOf({ DisbursementDate: '20270101' })).toContain(
      '7 DisbursementDate future_date',
    );
  });

  test('a line with too few or too many values is refused as a whole', () => {
    const values = valuesOf(rightLine(1));
    expect(validator.validate(3, values.slice(1)).findings).toMatchObject([{ rule: 'columns' }]);
    expect(validator.validate(3, [...values, '']).findings).toMatchObject([{ rule: 'columns' }]);
  });

  test('an account in another currency is taken at the rate of its two balances', () => {
    const { account } = validator.validate(
      2,
      valuesOf(
        rightLine(1, {
          Currency: 'USD',
          CurrentBalance: '100',
          CurrentBalanceKES: '12950',
          OriginalAmount: '200',
        }),
      ),
    );
    expect(account?.terms.originalCents).toBe(2_590_000n);
    expect(account?.states[0]?.balanceCents).toBe(1_295_000n);
  });

  test('an account in another currency without a balance is accepted; its original amount in KES is unknown', () => {
    const { account } = validator.validate(
      2,
      valuesOf(
        rightLine(1, {
          Currency: 'USD',
          CurrentBalance: '0',
          CurrentBalanceKES: '0',
          AccountStatus: 'A',
        }),
      ),
    );
    expect(account?.terms).toMatchObject({ originalCents: 0n, instalmentCents: null });
    expect(account?.states).toMatchObject([
      { balanceCents: 0n, overdueCents: 0n, lastPaymentOn: '2026-10-05', lastPaymentCents: null },
    ]);
  });

  test('never repeats a value in a finding', () => {
    const secret = 'Wanjiku99';
    const validated = validator.validate(
      2,
      valuesOf(rightLine(1, { Surname: secret, Gender: secret })),
    );
    expect(validated.findings).toHaveLength(1);
    expect(JSON.stringify(validated)).not.toContain(secret);
    const named = validator.validate(2, valuesOf(rightLine(1, { Surname: secret })));
    expect('remarks' in named && named.remarks.map(({ text }) => text)).toEqual([
      'Surname was read without its digits',
    ]);
  });
});

test('a file has the template’s titles in any order, as ours, the regulator’s, or as programs wrap and spell them', () => {
  const official = MOBILE_COLUMNS.map((column) =>
    column.replaceAll(/(?<=[a-z])(?=[A-Z\d])/g, ' ').replace('Mobile Phone', 'Mobile phone number'),
  );
  for (const titles of [MOBILE_COLUMNS, official, official.toReversed()]) {
    const { missing, problem } = matchTitles(titles, 'mobile');
    expect({ missing, problem }).toEqual({ missing: [], problem: undefined });
  }
  const wrapped = official.map((title) =>
    title.replace(' ', '\n').replace('Instalment', 'INSTALLMENT'),
  );
  expect(matchTitles(['#', ...wrapped, ''], 'mobile').places.get('LastPaymentAmount')).toBe(31);
  expect(matchTitles(official.toReversed(), 'mobile').places.get('Surname')).toBe(30);
});

test('titles that are missing, unknown or there twice are named', () => {
  expect(matchTitles(MOBILE_COLUMNS.slice(1), 'mobile').missing).toEqual(['Surname']);
  expect(matchTitles([...MOBILE_COLUMNS, 'More'], 'mobile').problem).toContain('“More”');
  expect(matchTitles([...MOBILE_COLUMNS, 'FORENAME 2'], 'mobile').problem).toBe(
    'there are two columns Forename2',
  );
  const { missing } = matchTitles(MOBILE_COLUMNS, 'individual');
  expect(missing).toContain('Salutation');
  expect(missing).not.toContain('Role');
});
