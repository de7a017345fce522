import { isoDay } from '../../src/platform/base/days.ts';
import type { AccountStatus, CreditAccount, PastEnquiry } from '../../src/credit/facts.ts';
import type { Profile } from '../../src/credit/registry/profile.ts';
import { createCalendar } from './calendar.ts';
import type { Calendar } from './calendar.ts';
import { MOBILE_OFFERS, OTHER_OFFERS, REASON_OF_PRODUCT } from './lenders.ts';
import { liveLoan } from './loan.ts';
import type { Subject } from './population.ts';

/** A loan in the life of an example: whom from, how much, when, and the months it was not paid. */
interface ScriptedLoan {
  readonly lender: string;
  readonly product: 'A' | 'B' | 'C' | 'F' | 'H' | 'I' | 'K';
  readonly shillings: number;
  readonly termMonths: number;
  readonly openedMonthsAgo: number;
  /** Months ago, both ends included, in which nothing was paid; all arrears are paid right after. */
  readonly unpaid?: readonly [from: number, to: number];
  /** From this many months ago on the lender gives it another status. */
  readonly status?: readonly [monthsAgo: number, status: AccountStatus];
}

interface Script {
  readonly nationalId: string;
  readonly thirdName: string;
  readonly gender: 'F' | 'M';
  readonly dateOfBirth: string;
  readonly town: string;
  readonly loans: readonly ScriptedLoan[];
  /** Days before the as-of date and report reason of enquiries in addition to those for the loans. */
  readonly enquiries: readonly (readonly [daysAgo: number, reason: number])[];
}

/** The documented examples; they do not depend on a seed. All dates follow the as-of date. */
const SCRIPTS: readonly Script[] = [
  {
    nationalId: '900000001',
    thirdName: 'Wanjiru',
    gender: 'F',
    dateOfBirth: '1984-03-12',
    town: 'Nyeri',
    enquiries: [[200, 3]],
    loans: [
      loan('DEMO_BANK_1', 'H', 250_000, 36, 32),
      loan('DEMO_BANK_1', 'H', 120_000, 24, 98),
      loan('DEMO_BANK_1', 'B', 80_000, 12, 30),
      loan('DEMO_BANK_2', 'F', 900_000, 48, 44),
      loan('DEMO_SACCO_1', 'H', 150_000, 24, 45),
      loan('DEMO_SACCO_1', 'H', 200_000, 24, 18),
      loan('DEMO_SHOP_1', 'F', 30_000, 12, 33),
      loan('DEMO_BANK_1', 'I', 5_000, 1, 28),
      loan('DEMO_BANK_1', 'I', 8_000, 1, 22),
      loan('DEMO_BANK_2', 'I', 15_000, 3, 17),
      loan('DEMO_MOBILE_1', 'I', 3_000, 1, 15),
      loan('DEMO_MOBILE_1', 'I', 6_150, 1, 11),
      loan('DEMO_MOBILE_2', 'I', 12_000, 2, 8),
      loan('DEMO_BANK_1', 'I', 20_000, 3, 7),
      loan('DEMO_BANK_1', 'I', 25_000, 6, 4),
    ],
  },
  {
    nationalId: '900000002',
    thirdName: 'Otieno',
    gender: 'M',
    dateOfBirth: '2001-07-30',
    town: 'Kisumu',
    enquiries: [[20, 4]],
    loans: [],
  },
  {
    nationalId: '900000003',
    thirdName: 'Mutua',
    gender: 'M',
    dateOfBirth: '1990-11-05',
    town: 'Machakos',
    enquiries: [
      [12, 12],
      [35, 12],
      [50, 2],
      [70, 12],
    ],
    loans: [
      loan('DEMO_BANK_1', 'H', 180_000, 24, 18, { unpaid: [6, 0] }),
      loan('DEMO_BANK_2', 'I', 9_000, 1, 9, { unpaid: [8, 0], status: [2, 'C'] }),
      loan('DEMO_MFI_1', 'C', 60_000, 12, 14, { unpaid: [7, 0], status: [1, 'E'] }),
      loan('DEMO_MOBILE_1', 'I', 2_500, 1, 16),
      loan('DEMO_MOBILE_1', 'I', 4_000, 1, 7, { unpaid: [6, 0] }),
      loan('DEMO_MOBILE_2', 'I', 3_500, 1, 13, { unpaid: [12, 0], status: [3, 'H'] }),
      loan('DEMO_BANK_2', 'I', 2_000, 1, 15, { unpaid: [14, 0], status: [5, 'H'] }),
      loan('DEMO_BANK_1', 'B', 40_000, 12, 40),
    ],
  },
  {
    nationalId: '900000004',
    thirdName: 'Achieng',
    gender: 'F',
    dateOfBirth: '1996-01-22',
    town: 'Homa Bay',
    enquiries: [[40, 3]],
    loans: [
      loan('DEMO_MOBILE_1', 'I', 1_000, 1, 16),
      loan('DEMO_MOBILE_1', 'I', 1_500, 1, 14),
      loan('DEMO_MOBILE_2', 'I', 2_500, 2, 12),
      loan('DEMO_BANK_1', 'I', 4_000, 1, 9),
      loan('DEMO_BANK_1', 'I', 5_500, 1, 7),
      loan('DEMO_MOBILE_3', 'I', 6_000, 3, 5),
      loan('DEMO_MOBILE_1', 'I', 7_500, 3, 1),
    ],
  },
  {
    nationalId: '900000005',
    thirdName: 'Kiprop',
    gender: 'M',
    dateOfBirth: '1987-09-18',
    town: 'Eldoret',
    enquiries: [[150, 2]],
    loans: [
      loan('DEMO_BANK_1', 'H', 300_000, 36, 26, { unpaid: [19, 14] }),
      loan('DEMO_BANK_2', 'A', 60_000, 12, 34, { unpaid: [29, 25] }),
      loan('DEMO_SACCO_2', 'K', 90_000, 18, 25),
      loan('DEMO_MFI_2', 'K', 40_000, 12, 30, { unpaid: [24, 21] }),
      loan('DEMO_MOBILE_2', 'I', 6_000, 1, 18, { unpaid: [17, 15] }),
      loan('DEMO_BANK_1', 'I', 5_000, 1, 13, { unpaid: [12, 10] }),
      loan('DEMO_MOBILE_3', 'I', 8_000, 6, 5, { unpaid: [4, 3] }),
      loan('DEMO_BANK_2', 'I', 10_000, 3, 2),
    ],
  },
];

type LoanCode = ScriptedLoan['product'];

function loan(
  lender: string,
  product: LoanCode,
  ...[shillings, termMonths, openedMonthsAgo, trouble]: [
    number,
    number,
    number,
    Pick<ScriptedLoan, 'unpaid' | 'status'>?,
  ]
): ScriptedLoan {
  return { lender, product, shillings, termMonths, openedMonthsAgo, ...trouble };
}

/**
 * The five examples as of a date: 900000001 good, 900000002 without an account, 900000003 in
 * default, 900000004 with mobile loans only, 900000005 performing with default history.
 * Throws: RangeError unless `asOf` is the last day of a month.
 */
export function exampleSubjects(asOf: Date): readonly Subject[] {
  const calendar = createCalendar(asOf);
  return SCRIPTS.map((script) => ({
    profile: profileOf(script, calendar),
    file: {
      asOf,
      accounts: script.loans.map((one, index) => accountOf(script, one, { index, calendar })),
      enquiries: enquiriesOf(script, calendar),
    },
  }));
}

function profileOf(script: Script, calendar: Calendar): Profile {
  const digits = script.nationalId.slice(-7);
  const since = isoDay(calendar.monthEnd(60));
  return {
    name: { surname: script.thirdName, forenames: ['Amani', 'Baraka'] },
    salutation: script.gender === 'F' ? 'Ms' : 'Mr',
    alsoKnownAs: [],
    dateOfBirth: script.dateOfBirth,
    gender: script.gender,
    nationality: 'KE',
    documents: [
      { type: 'nationalID', number: script.nationalId },
      { type: 'passportNo', number: `SYNA${digits}` },
      { type: 'taxID', number: `Z${script.nationalId}A` },
    ],
    // Of someone without an account nobody has reported a phone: all lists are empty.
    phones:
      script.loans.length === 0
        ? []
        : [
            { number: `254197${digits.slice(-6)}`, type: 'MOBILE', since },
            { number: `254187${digits.slice(-6)}`, type: 'HOME', since },
          ],
    addresses: [
      { kind: 'postal', line: 'P.O. Box 100', town: script.town, country: 'KE', since },
      { kind: 'physical', line: '1 Acacia Lane', town: script.town, country: 'KE', since },
    ],
    asOf: isoDay(calendar.asOf),
  };
}

function accountOf(
  script: Script,
  one: ScriptedLoan,
  { index, calendar }: { readonly index: number; readonly calendar: Calendar },
): CreditAccount {
  const offer = [...MOBILE_OFFERS, ...OTHER_OFFERS].find(({ lender }) => lender === one.lender)!;
  return liveLoan(
    {
      lender: one.lender,
      sector: offer.sector,
      product: one.product,
      accountNumber: `EX${script.nationalId.slice(-1)}${String(index + 1).padStart(3, '0')}`,
      openedMonthsAgo: one.openedMonthsAgo,
      openedDay: 10,
      principalCents: BigInt(one.shillings) * 100n,
      termMonths: one.termMonths,
      chargePercent: 10,
    },
    calendar,
    ({ monthsAgo, unpaid }) => {
      const [from, to] = one.unpaid ?? [-1, 0];
      const status = one.status !== undefined && monthsAgo <= one.status[0];
      return {
        paid: monthsAgo <= from && monthsAgo >= to ? 0 : unpaid,
        ...(status ? { status: one.status[1] } : {}),
      };
    },
  );
}

function enquiriesOf(script: Script, calendar: Calendar): readonly PastEnquiry[] {
  const forLoans = script.loans.map(({ product, openedMonthsAgo }) => ({
    at: calendar.day(openedMonthsAgo, 9),
    reason: REASON_OF_PRODUCT[product],
    sector: 'bank' as const,
  }));
  const others = script.enquiries.map(([daysAgo, reason]) => ({
    at: new Date(calendar.asOf.getTime() - daysAgo * 86_400_000),
    reason,
    sector: 'bank' as const,
  }));
  return [...forLoans, ...others].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}
