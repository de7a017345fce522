import { expect, test } from 'vitest';
import type { BureauFinding } from '../../../../src/credit/bureaus/bureau.ts';
import type { AccountState, CreditAccount } from '../../../../src/credit/facts.ts';
import {
  accountDetailsOf,
  dayOnWire,
  profileOf,
  summaryDetailsOf,
} from '../../../../src/credit/operations/answers.ts';
import type { AnswerContext } from '../../../../src/credit/operations/answers.ts';
import { listAccounts } from '../../../../src/credit/summary/summary.ts';
import { createWireTime } from '../../../../src/platform/base/clock.ts';

const AS_OF = new Date('2026-10-31T00:00:00Z');

function day(text: string): Date {
  return new Date(`${text}T00:00:00Z`);
}

function state(changes: Partial<AccountState> = {}): AccountState {
  return {
    asOf: day('2026-09-30'),
    balanceCents: 840_000n,
    overdueCents: 0n,
    daysInArrears: 0,
    instalmentsInArrears: 0,
    riskClass: 'A',
    status: 'F',
    statusOn: day('2026-09-30'),
    ...changes,
  };
}

function account(current: AccountState, changes: Partial<CreditAccount> = {}): CreditAccount {
  return {
    key: 'L1 1',
    lender: 'L1',
    sector: 'bank',
    product: 'I',
    openedOn: day('2026-03-31'),
    originalCents: 2_500_000n,
    instalmentCents: null,
    repaymentMonths: null,
    lastPaymentOn: null,
    lastPaymentCents: null,
    current,
    history: [],
    disputed: false,
    ...changes,
  };
}

function finding(accounts: readonly CreditAccount[]): BureauFinding {
  return {
    crn: '1',
    nameDiffers: false,
    profile: {
      name: { surname: 'Wanjiru', forenames: ['Amani'] },
      salutation: '',
      alsoKnownAs: [{ surname: 'Otieno', forenames: ['Amani'] }],
      dateOfBirth: '1984-03-12',
      gender: 'F',
      nationality: 'KE',
      documents: [],
      phones: [],
      addresses: [],
      asOf: '2026-10-31',
    },
    file: {
      asOf: AS_OF,
      accounts,
      enquiries: [
        { at: day('2026-10-20'), reason: 2, sector: 'sacco', by: '7' },
        { at: day('2026-10-21'), reason: 2, sector: 'sacco', by: '7' },
        { at: day('2026-08-20'), reason: 2, sector: 'bank', by: '8' },
        { at: day('2026-10-22'), reason: 3, sector: 'sacco', by: '9' },
      ],
    },
    score: null,
    computedHere: [],
  };
}

const context: AnswerContext = {
  requestReference: 'R1',
  scope: { mySector: 'bank', reportSector: 2 },
  timeZone: 'Africa/Nairobi',
  source: 'registry',
  policy: 'open',
};

test('other names are shown to vendors with open enquiries only', () => {
  const found = finding([]);
  expect(profileOf(found, context).alsoKnownAs).toEqual(['Amani Otieno']);
  expect(profileOf(found, { ...context, policy: 'strict' }).alsoKnownAs).toEqual([]);
});

test('enquiries are counted as applications, by the sector that asked', () => {
  expect(summaryDetailsOf(finding([]), context)).toMatchObject({
    enquiries30Days: { mySector: '0', otherSectors: '1' },
    enquiries90Days: { mySector: '1', otherSectors: '1' },
    enquiries365Days: { mySector: '1', otherSectors: '1' },
  });
});

test('the numbers of others’ enquiries and of guarantees are empty if an upstream bureau does not report them', () => {
  const upstream = { ...context, source: 'metropol' };
  const { enquiries30Days, arrearsNone, guaranteedAccounts } = summaryDetailsOf(
    finding([]),
    upstream,
  );
  expect(guaranteedAccounts).toEqual({ mySector: '', otherSectors: '' });
  expect(enquiries30Days).toEqual({ mySector: '', otherSectors: '' });
  expect(arrearsNone).toEqual({ mySector: '0', otherSectors: '0' });
});

test('highest arrears look back; a disputed account has none', () => {
  const late = state({ daysInArrears: 75, overdueCents: 600_000n, riskClass: 'B' });
  const accounts = [
    account(state(), { history: [late] }),
    account(late, { key: 'L1 2', disputed: true, sector: 'sacco' }),
  ];
  expect(summaryDetailsOf(finding(accounts), context)).toMatchObject({
    maxArrearDays: { mySector: '75', otherSectors: '0' },
    maxArrears: { mySector: '6000.00', otherSectors: '0.00' },
    arrears90Days: { mySector: '0', otherSectors: '0' },
    arrearsNone: { mySector: '1', otherSectors: '1' },
    totalArrears: { mySector: '0.00', otherSectors: '0.00' },
    totalBalance: { mySector: '8400.00', otherSectors: '8400.00' },
  });
});

test.each([
  ['2026-08-30', 'F', 'false'],
  ['2026-08-29', 'F', 'true'],
  ['2026-01-31', 'A', 'false'],
] as const)('a state of %s with status %s is stale: %s', (asOf, status, stale) => {
  const one = account(state({ asOf: day(asOf), status, balanceCents: 0n }), { jointHolders: 2 });
  const [listed] = listAccounts(finding([one]).file, context.scope);
  expect(listed && accountDetailsOf(listed, AS_OF, context)).toEqual({
    accountType: 'MOBILE_LOAN',
    openedDate: '2026-03-31T00:00:00+03:00',
    accountAge: '7',
    originalAmount: '25000.00',
    currentBalance: '0.00',
    arrearDays: '0',
    jointHolders: '2',
    stale,
  });
});

test.each([
  ['Africa/Nairobi', '1984-03-12', '+03:00'],
  ['Africa/Nairobi', '1940-01-01', '+02:45'],
  // Summer time begins at midnight, in the night that follows, or in the evening before in UTC.
  ['Africa/Cairo', '2026-04-24', '+02:00'],
  ['Africa/Cairo', '1982-07-25', '+02:00'],
  ['Australia/Sydney', '2026-10-04', '+10:00'],
  ['America/New_York', '2026-03-08', '-05:00'],
  ['America/New_York', '2026-11-01', '-04:00'],
])('in %s, the answer writes the beginning of %s with the offset %s', (timeZone, text, offset) => {
  const onWire = dayOnWire(text, { timeZone } as AnswerContext);
  expect(onWire).toBe(`${text}T00:00:00${offset}`);
  const wireTime = createWireTime(timeZone);
  const begins = new Date(onWire);
  expect(wireTime.format(begins).slice(0, 10)).toBe(text);
  expect(wireTime.format(new Date(begins.getTime() - 1)).slice(0, 10)).not.toBe(text);
});
