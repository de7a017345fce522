import type { CreditAccount } from '../../src/credit/facts.ts';
import type { Profile } from '../../src/credit/registry/profile.ts';
import { createCalendar, lastMonthEnd } from '../../sandbox/population/calendar.ts';
import { MOBILE_HEADER, mobileLines } from '../../sandbox/population/mobile-template.ts';
import { makePerson } from '../../sandbox/population/person.ts';
import { createRandom } from '../../sandbox/population/random.ts';

const SEED = 20_261_121;
export const IMPORT_LENDER = 'BENCH_MOBILE';
const CALENDAR = createCalendar(lastMonthEnd(new Date()));
/** The as-of date of the benchmark's data. */
export const AS_OF = CALENDAR.asOf;

/** The synthetic person with this number; always the same one. */
export function personOf(index: number): Profile {
  return makePerson(index, CALENDAR, createRandom(SEED, index));
}

/** A file of the mobile template: one mobile loan a line, every sixth person with a second one. */
export function* importFileLines(rows: number): Generator<string> {
  yield MOBILE_HEADER;
  for (let row = 0; row < rows; row += 1) {
    const person = row % 7 === 6 ? row - 1 : row;
    const subject = {
      profile: personOf(person),
      file: { asOf: AS_OF, accounts: [mobileLoan(row)], enquiries: [] },
    };
    yield* mobileLines([subject], { lender: IMPORT_LENDER, asOf: AS_OF });
  }
}

function mobileLoan(row: number): CreditAccount {
  const random = createRandom(SEED + 1, row);
  const originalCents = BigInt(random.whole(10, 400)) * 5_000n;
  const openedMonthsAgo = random.whole(1, 5);
  const late = random.chance(0.15);
  const balanceCents = (originalCents * BigInt(random.whole(1, 9))) / 10n;
  return {
    key: `${IMPORT_LENDER}/I${String(row).padStart(9, '0')}`,
    lender: IMPORT_LENDER,
    sector: 'mobile_lender',
    product: 'I',
    openedOn: CALENDAR.day(openedMonthsAgo, random.whole(1, 28)),
    originalCents,
    instalmentCents: originalCents / 6n,
    repaymentMonths: 6,
    lastPaymentOn: CALENDAR.day(0, random.whole(1, 28)),
    lastPaymentCents: originalCents / 6n,
    current: {
      asOf: AS_OF,
      balanceCents,
      overdueCents: late ? balanceCents : 0n,
      daysInArrears: late ? 20 : 0,
      instalmentsInArrears: late ? 1 : 0,
      riskClass: 'A',
      status: 'F',
      statusOn: CALENDAR.day(0, 1),
    },
    history: [],
    disputed: false,
  };
}
