import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  AccountState,
  AccountStatus,
  CreditAccount,
  CreditFile,
  ProductType,
  RiskClass,
} from '../../src/credit/facts.ts';
import { applySuppression } from '../../src/credit/registry/suppression.ts';
import type { SuppressionRule } from '../../src/credit/registry/suppression.ts';
import {
  MOBILE_AMOUNTS,
  genericSummary,
  isCreditActive,
  listAccounts,
  mobileSummary,
} from '../../src/credit/summary/summary.ts';
import { detailsOf } from '../../src/credit/summary/details.ts';
import type { SectorPair } from '../../src/credit/summary/sectors.ts';
import type { MobileSummary } from '../../src/credit/summary/summary.ts';
import { SECTORS } from '../../src/parties/vendor.ts';

const AS_OF = new Date('2026-10-31T00:00:00Z');

const day = fc
  .integer({ min: 0, max: 3_000 })
  .map((daysAgo) => new Date(AS_OF.getTime() - daysAgo * 86_400_000));
const cents = fc.bigInt({ min: 0n, max: 50_000_000n });
/** 0: not known in KES. */
const principal = fc.oneof({ weight: 4, arbitrary: cents }, fc.constant(0n));
const state: fc.Arbitrary<AccountState> = fc.record({
  asOf: day,
  balanceCents: cents,
  overdueCents: fc.oneof(fc.constant(0n), cents),
  daysInArrears: fc.constantFrom(0, 20, 45, 100, 400),
  instalmentsInArrears: fc.constantFrom(0, 1, 4),
  riskClass: fc.constantFrom<RiskClass>('A', 'B', 'C', 'D', 'E'),
  status: fc.constantFrom<AccountStatus>('A', 'B', 'C', 'D', 'F', 'G', 'H', 'J', 'L', 'P'),
  statusOn: day,
});
const account: fc.Arbitrary<CreditAccount> = fc.record({
  key: fc.uuid(),
  lender: fc.constantFrom('L1', 'L2', 'L3'),
  sector: fc.constantFrom(...SECTORS),
  product: fc.constantFrom<ProductType>('A', 'H', 'I', 'I'),
  openedOn: day,
  originalCents: principal,
  instalmentCents: fc.constant(null),
  repaymentMonths: fc.constant(null),
  lastPaymentOn: fc.constant(null),
  lastPaymentCents: fc.constant(null),
  current: state,
  history: fc.array(state, { maxLength: 4 }),
  disputed: fc.boolean(),
});
const file: fc.Arbitrary<CreditFile> = fc.record({
  asOf: fc.constant(AS_OF),
  accounts: fc.array(account, { maxLength: 12 }),
  enquiries: fc.constant([]),
});
const all = { mySector: 'bank', reportSector: 2 } as const;
const mine = { mySector: 'bank', reportSector: 1 } as const;

test('every account is in exactly one of the five buckets of arrears', () => {
  fc.assert(
    fc.property(file, (one) => {
      const pairs = detailsOf(one, all, true);
      const buckets = [
        pairs.arrearsNone,
        pairs.arrears30Days,
        pairs.arrears60Days,
        pairs.arrears90Days,
        pairs.arrearsGT90Days,
      ];
      const [none, ...late] = buckets.map(
        ({ mySector, otherSectors }) => Number(mySector) + Number(otherSectors),
      );
      const lateCount = late.reduce((sum, count) => sum + count, 0);
      expect((none ?? 0) + lateCount).toBe(one.accounts.length);
      const { currentAccountsInArrears: current } = pairs;
      expect(Number(current.mySector) + Number(current.otherSectors)).toBe(lateCount);
    }),
  );
});

test('only the requester’s sector is reported if only it is requested', () => {
  fc.assert(
    fc.property(file, (one) => {
      for (const pair of Object.values(detailsOf(one, mine, true))) {
        expect(pair.otherSectors).toBe('0');
      }
    }),
  );
});

function numbers(summary: MobileSummary, side: keyof SectorPair) {
  const { lastMobileLoanListingDate: _listed, ...pairs } = summary;
  return Object.fromEntries(
    Object.entries(pairs).map(([name, pair]) => [name, Number(pair[side])]),
  ) as Record<keyof typeof pairs, number>;
}

describe('a summary', () => {
  test('satisfies every identity, in each sector', () => {
    fc.assert(
      fc.property(file, (one) => {
        const summary = mobileSummary(one, all);
        const sides = ['mySector', 'otherSectors'] as const;
        for (const side of sides) {
          const n = numbers(summary, side);
          expect(n.paAccounts).toBe(n.paOpenAccounts + n.paClosedAccounts);
          expect(n.npaAccounts).toBe(n.npaOpenAccounts + n.npaClosedAccounts);
          expect(n.paAccountsWithDh).toBe(n.paOpenAccountsWithDh + n.paClosedAccountsWithDh);
          expect(n.mobiLoanAccounts).toBe(
            n.npaOpenMobiLoanAccounts +
              n.npaClosedMobiLoanAccounts +
              n.paOpenMobiLoanAccounts +
              n.paClosedMobiLoanAccounts,
          );
          for (const [part, whole] of [
            ['paAccountsWithDh', 'paAccounts'],
            ['paOpenAccountsWithDh', 'paOpenAccounts'],
            ['paClosedAccountsWithDh', 'paClosedAccounts'],
            ['npaOpenMobiLoanAccounts', 'npaOpenAccounts'],
            ['npaClosedMobiLoanAccounts', 'npaClosedAccounts'],
            ['paOpenMobiLoanAccounts', 'paOpenAccounts'],
            ['paClosedMobiLoanAccounts', 'paClosedAccounts'],
            ['paOpenMobiLoanAccountsWithDh', 'paOpenMobiLoanAccounts'],
            ['paClosedMobiLoanAccountsWithDh', 'paClosedMobiLoanAccounts'],
          ] as const) {
            expect(n[part]).toBeLessThanOrEqual(n[whole]);
          }
          expect(n.minMobiLoanPrincipalAmount).toBeLessThanOrEqual(n.avgMobiLoanPrincipalAmount);
          expect(n.avgMobiLoanPrincipalAmount).toBeLessThanOrEqual(n.maxMobiLoanPrincipalAmount);
          expect(n.lastMobiLoanPrincipalAmount).toBeLessThanOrEqual(n.maxMobiLoanPrincipalAmount);
          expect(n.lastMobiLoanPrincipalAmount).toBeGreaterThanOrEqual(
            n.minMobiLoanPrincipalAmount,
          );
        }
        const listed = listAccounts(one, all);
        const count = (status: string) => listed.filter((each) => each.status === status).length;
        const [my, other] = [numbers(summary, 'mySector'), numbers(summary, 'otherSectors')];
        expect(listed).toHaveLength(one.accounts.length);
        expect(count('DEFAULT')).toBe(my.npaAccounts + other.npaAccounts);
        expect(count('ACTIVE')).toBe(my.paOpenAccounts + other.paOpenAccounts);
        expect(count('CLOSED')).toBe(my.paClosedAccounts + other.paClosedAccounts);
        expect(isCreditActive(one)).toBe(
          my.paOpenAccounts + other.paOpenAccounts + my.npaOpenAccounts + other.npaOpenAccounts > 0,
        );
      }),
    );
  });

  test('the summary of the generic score is part of that of the mobile-loan score', () => {
    fc.assert(
      fc.property(file, fc.constantFrom(all, mine), (one, scope) => {
        expect(mobileSummary(one, scope)).toMatchObject(genericSummary(one, scope));
      }),
    );
  });

  test('accounts of the own sector are shown as such there, and nowhere else', () => {
    fc.assert(
      fc.property(file, (one) => {
        const [whole, own] = [mobileSummary(one, all), mobileSummary(one, mine)];
        expect(numbers(own, 'mySector')).toEqual(numbers(whole, 'mySector'));
        const { lastMobileLoanListingDate: listed, ...pairs } = own;
        expect(new Set(Object.values(pairs).map((pair) => pair.otherSectors))).toEqual(
          new Set(['0']),
        );
        expect(listed.otherSectors).toBeNull();
        expect(listAccounts(one, mine)).toHaveLength(
          one.accounts.filter(({ sector }) => sector === 'bank').length,
        );
      }),
    );
  });

  test('leaves out principals that are not known in KES', () => {
    fc.assert(
      fc.property(file, (one) => {
        const known = { ...one, accounts: one.accounts.filter((each) => each.originalCents > 0n) };
        for (const name of MOBILE_AMOUNTS) {
          expect(mobileSummary(one, all)[name]).toEqual(mobileSummary(known, all)[name]);
        }
      }),
    );
  });

  test('the known principal is shown if that of a later loan is unknown', () => {
    const [loan] = fc.sample(account, 1);
    const known = {
      ...loan,
      product: 'I',
      sector: 'bank',
      originalCents: 120_000n,
    } as CreditAccount;
    const later = { ...known, key: 'later', openedOn: AS_OF, originalCents: 0n };
    const one = { asOf: AS_OF, accounts: [known, later], enquiries: [] };
    const summary = mobileSummary(one, all);
    for (const name of MOBILE_AMOUNTS) expect(summary[name].mySector).toBe('1200.00');
    expect(summary.mobiLoanAccounts.mySector).toBe('2');
  });

  test('does not depend on the order of the accounts', () => {
    const shuffled = file.chain((one) =>
      fc
        .shuffledSubarray([...one.accounts], { minLength: one.accounts.length })
        .map((accounts) => [one, { ...one, accounts }] as const),
    );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        expect(mobileSummary(other, all)).toEqual(mobileSummary(one, all));
        expect(listAccounts(other, all)).toEqual(listAccounts(one, all));
      }),
    );
  });
});

describe('suppression', () => {
  const small: SuppressionRule = {
    rule: 'small_amount',
    reason: 'Of small amounts.',
    balanceUpToCents: 100_000n,
    originalUpToCents: null,
    products: null,
    sectors: null,
    riskClasses: null,
    statesFrom: null,
    statesUntil: null,
  };

  test('suppressing small amounts leaves no default with a small balance, and everything else', () => {
    fc.assert(
      fc.property(file, (one) => {
        const shown = applySuppression(one, [small]);
        for (const [index, each] of shown.accounts.entries()) {
          const before = one.accounts[index];
          if (each.current.balanceCents > 100_000n) expect(each.current).toEqual(before?.current);
          else expect(each.current).toMatchObject({ overdueCents: 0n, riskClass: 'A' });
          expect(each.current.balanceCents).toBe(before?.current.balanceCents);
        }
        expect(applySuppression(shown, [small])).toEqual(shown);
        expect(applySuppression(one, [])).toBe(one);
      }),
    );
  });

  test('suppressing small loans does not cover one whose amount is not known', () => {
    const rule = { ...small, balanceUpToCents: null, originalUpToCents: 100_000n };
    fc.assert(
      fc.property(file, (one) => {
        for (const [index, each] of applySuppression(one, [rule]).accounts.entries()) {
          if (each.originalCents === 0n) expect(each).toEqual(one.accounts[index]);
        }
      }),
    );
  });

  test('holds for its products, classes and dates only', () => {
    fc.assert(
      fc.property(file, (one) => {
        const rule = {
          ...small,
          balanceUpToCents: null,
          products: ['I'],
          riskClasses: ['C'],
          statesFrom: new Date('2025-01-01T00:00:00Z'),
          statesUntil: new Date('2025-12-31T00:00:00Z'),
        } as const;
        for (const [index, each] of applySuppression(one, [rule]).accounts.entries()) {
          const before = one.accounts[index]?.current;
          const covered =
            each.product === 'I' &&
            before?.riskClass === 'C' &&
            before.asOf.getUTCFullYear() === 2025;
          if (covered) expect(each.current.riskClass).toBe('A');
          else expect(each.current).toEqual(before);
        }
      }),
    );
  });
});
