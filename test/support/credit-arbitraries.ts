import * as fc from 'fast-check';
import type {
  AccountState,
  CreditAccount,
  CreditFile,
  PastEnquiry,
} from '../../src/credit/facts.ts';
import { SECTORS } from '../../src/parties/vendor.ts';

export const AS_OF = new Date('2026-10-31T00:00:00Z');

/** A day up to ten years before the as-of date, often a recent one. */
const day = fc
  .oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 3650 }))
  .map((daysAgo) => new Date(AS_OF.getTime() - daysAgo * 86_400_000));
const cents = fc.oneof(fc.constant(0n), fc.bigInt(0n, 300_000n), fc.bigInt(0n, 500_000_000n));
const days = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 120 }),
  fc.integer({ min: 0, max: 999 }),
);

/** Any state, consistent or not, because lenders may submit anything. */
const state: fc.Arbitrary<AccountState> = fc.record({
  asOf: day,
  balanceCents: cents,
  overdueCents: cents,
  daysInArrears: days,
  instalmentsInArrears: fc.integer({ min: 0, max: 12 }),
  riskClass: fc.constantFrom('A', 'A', 'B', 'C', 'D', 'E'),
  status: fc.constantFrom(
    ...([
      'F',
      'F',
      'F',
      'A',
      'A',
      'B',
      'C',
      'D',
      'E',
      'G',
      'H',
      'J',
      'K',
      'L',
      'M',
      'N',
      'P',
    ] as const),
  ),
  statusOn: day,
});

export const account: fc.Arbitrary<CreditAccount> = fc
  .record({
    key: fc.uuid(),
    lender: fc.constantFrom('L1', 'L2', 'L3', 'L4'),
    sector: fc.constantFrom(...SECTORS),
    product: fc.constantFrom('A', 'C', 'H', 'I', 'I', 'I', 'K'),
    openedOn: day,
    originalCents: cents,
    instalmentCents: fc.constant(null),
    repaymentMonths: fc.constant(null),
    lastPaymentOn: fc.constant(null),
    lastPaymentCents: fc.constant(null),
    states: fc.array(state, { minLength: 1, maxLength: 4 }),
    disputed: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(({ states, ...terms }) => {
    const sorted = states.toSorted((a, b) => a.asOf.getTime() - b.asOf.getTime());
    return { ...terms, current: sorted.at(-1)!, history: sorted.slice(0, -1) };
  });

/** An account in default now, with any past. */
export const accountInDefault: fc.Arbitrary<CreditAccount> = fc
  .tuple(
    account,
    fc.record({
      balanceCents: fc.bigInt(100_000n, 500_000_000n),
      daysInArrears: fc.integer({ min: 91, max: 900 }),
      overduePercent: fc.integer({ min: 0, max: 100 }),
      riskClass: fc.constantFrom('A', 'C', 'D', 'E'),
      status: fc.constantFrom('A', 'C', 'D', 'E', 'F', 'J'),
    }),
  )
  .map(([base, { overduePercent, ...change }]) => {
    const share = (change.balanceCents * BigInt(overduePercent)) / 100n;
    const overdueCents = share < 100_000n ? 100_000n : share;
    return { ...base, disputed: false, current: { ...base.current, ...change, overdueCents } };
  });

/** Half of the enquiries are by known lenders, often by the same one. */
export const enquiry: fc.Arbitrary<PastEnquiry> = fc
  .record({
    at: day,
    reason: fc.integer({ min: 1, max: 12 }),
    sector: fc.constantFrom(...SECTORS),
    by: fc.constantFrom('', '', '', '1', '2', '3'),
  })
  .map(({ by, ...one }) => (by === '' ? one : { ...one, by }));

/** Mostly of people who are recorded as alive, whatever lenders report. */
export const creditFile: fc.Arbitrary<CreditFile> = fc
  .record({
    asOf: fc.constant(AS_OF),
    accounts: fc.array(account, { maxLength: 6 }),
    enquiries: fc.array(enquiry, { maxLength: 6 }),
    living: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  })
  .map(({ living, ...file }) =>
    living ? { ...file, life: { status: 'living', recordedOn: AS_OF } } : file,
  );
