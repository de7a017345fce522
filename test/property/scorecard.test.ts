import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { generateSubjects } from '../../sandbox/population/population.ts';
import type { CreditAccount, CreditFile } from '../../src/credit/facts.ts';
import {
  CHARACTERISTIC_NAMES,
  characteristic,
  scoredFile,
} from '../../src/credit/scorecards/characteristics.ts';
import { applySuppression } from '../../src/credit/registry/suppression.ts';
import type { SuppressionRule } from '../../src/credit/registry/suppression.ts';
import { gradeOfPercent } from '../../src/credit/scorecards/scale.ts';
import { scoreFile } from '../../src/credit/scorecards/score.ts';
import { SCORE_KINDS } from '../../src/credit/scorecards/scorecard.ts';
import { isOpen } from '../../src/credit/scorecards/standing.ts';
import {
  AS_OF,
  account,
  accountInDefault,
  creditFile,
  enquiry,
} from '../support/credit-arbitraries.ts';

const RUNS = { numRuns: 400 };

/** Characteristics that are better in `after` than in `before`, by their own direction. */
function improvements(before: CreditFile, after: CreditFile): string[] {
  const [old, now] = [scoredFile(before), scoredFile(after)];
  return CHARACTERISTIC_NAMES.filter((name) => {
    const { better, measure } = characteristic(name);
    const sign = better === 'higher' ? 1 : -1;
    const [was, is] = [measure(old), measure(now)].map((value) => value ?? sign * Infinity);
    return sign * (is! - was!) > 0;
  });
}

/** Rules of small balances, of larger ones, and of loans that were small at first. */
const SUPPRESSION: readonly SuppressionRule[] = (
  [
    [100_000n, null],
    [50_000_000n, null],
    [null, 100_000_000n],
  ] as const
).map(([balanceUpToCents, originalUpToCents]) => ({
  rule: 'some',
  reason: '',
  balanceUpToCents,
  originalUpToCents,
  products: null,
  sectors: null,
  riskClasses: null,
  statesFrom: null,
  statesUntil: null,
}));

/** Must hold for every suppression of the file. */
function expectNotBetter(before: CreditFile, after: CreditFile): void {
  expectShownNotBetter(before, after);
  for (const rule of SUPPRESSION) {
    expectShownNotBetter(applySuppression(before, [rule]), applySuppression(after, [rule]));
  }
}

/** No characteristic and no shipped score is better in `after`; a file without a score is not compared. */
function expectShownNotBetter(before: CreditFile, after: CreditFile): void {
  expect(improvements(before, after)).toEqual([]);
  for (const kind of SCORE_KINDS) {
    const [was, is] = [scoreFile(before, kind).score, scoreFile(after, kind).score];
    if (was !== '') expect(Number(is)).toBeLessThanOrEqual(Number(was));
  }
}

function withAccount(file: CreditFile, one: CreditAccount): CreditFile {
  return { ...file, accounts: [...file.accounts, one] };
}

/** Accounts whose state counts: the end of a dispute, or an inheritance, is not a repayment. */
const counted = account.filter(
  ({ disputed, current }) => !disputed && current.status !== 'P' && current.status !== 'L',
);

const performing = fc.tuple(counted, fc.boolean()).map(([one, open]): CreditAccount => ({
  ...one,
  current: {
    ...one.current,
    overdueCents: 0n,
    daysInArrears: 0,
    instalmentsInArrears: 0,
    riskClass: 'A',
    status: open ? 'F' : 'A',
  },
}));

describe('a score', () => {
  test('never rises with one more account in default', () => {
    fc.assert(
      fc.property(creditFile, accountInDefault, (file, bad) => {
        expectNotBetter(file, withAccount(file, bad));
      }),
      RUNS,
    );
  });

  test('never rises when an account goes into default', () => {
    fc.assert(
      fc.property(creditFile, performing, accountInDefault, (file, good, inDefault) => {
        // A person who repays part of it at the same time may be better off where the default is suppressed.
        const balances = [good.current.balanceCents, inDefault.current.balanceCents] as const;
        const balanceCents = balances[0] > balances[1] ? balances[0] : balances[1];
        const current = { ...inDefault.current, balanceCents };
        const bad = { ...good, history: [...good.history, good.current], current };
        expectNotBetter(withAccount(file, good), withAccount(file, bad));
        const replaced = { ...good, current: { ...current, asOf: good.current.asOf } };
        expectNotBetter(withAccount(file, good), withAccount(file, replaced));
      }),
      RUNS,
    );
  });

  test('never falls when a person repays, in part or in full, with or without the history', () => {
    const part = fc.record({
      left: fc.bigInt(0n, 100n),
      closes: fc.boolean(),
      keepsPast: fc.boolean(),
    });
    fc.assert(
      fc.property(creditFile, counted, part, (file, owing, { left, closes, keepsPast }) => {
        const { current } = owing;
        const paidInFull = left === 0n;
        const repaid: CreditAccount = {
          ...owing,
          current: {
            ...current,
            asOf: keepsPast ? AS_OF : current.asOf,
            balanceCents: (current.balanceCents * left) / 100n,
            overdueCents: 0n,
            daysInArrears: 0,
            instalmentsInArrears: 0,
            riskClass: 'A',
            status: (closes && paidInFull) || !isOpen(owing) ? 'A' : 'F',
          },
          history: keepsPast ? [...owing.history, current] : owing.history,
        };
        expectNotBetter(withAccount(file, repaid), withAccount(file, owing));
      }),
      RUNS,
    );
  });

  test('does not depend on the order of accounts or enquiries', () => {
    fc.assert(
      fc.property(creditFile, fc.infiniteStream(fc.integer()), (file, keys) => {
        const shuffled = <Item>(items: readonly Item[]): Item[] =>
          items
            .map((item) => ({ item, key: keys.next().value as number }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ item }) => item);
        const other = {
          ...file,
          accounts: shuffled(file.accounts),
          enquiries: shuffled(file.enquiries),
        };
        for (const kind of SCORE_KINDS) {
          expect(scoreFile(other, kind)).toEqual(scoreFile(file, kind));
        }
      }),
      RUNS,
    );
  });

  test('never rises with an application, and is not affected by monitoring and verification', () => {
    fc.assert(
      fc.property(creditFile, enquiry, (file, one) => {
        const more = { ...file, enquiries: [...file.enquiries, one] };
        expectNotBetter(file, more);
        if (one.reason === 3 || one.reason === 4) {
          for (const kind of SCORE_KINDS) {
            expect(scoreFile(more, kind)).toEqual(scoreFile(file, kind));
          }
        }
      }),
      RUNS,
    );
  });

  test('leaves out accounts that are disputed, and says so', () => {
    fc.assert(
      fc.property(creditFile, account, fc.boolean(), (file, one, flagged) => {
        const outside = flagged
          ? { ...one, current: { ...one.current, status: 'F' as const }, disputed: true }
          : { ...one, current: { ...one.current, status: 'P' as const } };
        for (const kind of SCORE_KINDS) {
          const before = scoreFile(file, kind);
          const after = scoreFile(withAccount(file, outside), kind);
          expect({ ...after, reasons: [] }).toEqual({ ...before, reasons: [] });
          expect(after.reasons[0]).toBe(before.reasons[0]);
          const said = after.reasons.includes('Accounts under dispute are left out of this score');
          expect(said).toBe(!/deceased/.test(after.reasons[0]));
        }
      }),
      RUNS,
    );
  });

  test('nobody gets a score who is recorded or reported as deceased', () => {
    fc.assert(
      fc.property(creditFile, account, fc.boolean(), (file, one, byLender) => {
        const { life: _life, ...unrecorded } = file;
        const current = { ...one.current, status: 'L' as const };
        const reported = { ...one, disputed: false, current };
        const dead: CreditFile = byLender
          ? withAccount(unrecorded, reported)
          : { ...file, life: { status: 'deceased', recordedOn: AS_OF } };
        for (const kind of SCORE_KINDS) {
          expect(scoreFile(dead, kind)).toMatchObject({ grade: '', score: '', probability: '' });
          expect(scoreFile(dead, kind).reasons[0]).toMatch(/recorded as deceased/);
        }
        // When the death is refuted, the account has no effect.
        const living = { status: 'living', recordedOn: AS_OF } as const;
        for (const kind of SCORE_KINDS) {
          const refuted = scoreFile({ ...withAccount(unrecorded, reported), life: living }, kind);
          expect(refuted).toEqual(scoreFile({ ...unrecorded, life: living }, kind));
        }
      }),
      RUNS,
    );
  });

  test('counts enquiries for one purpose within 14 days once, whichever lenders were asked', () => {
    const at = (days: number): Date => new Date(AS_OF.getTime() - days * 86_400_000);
    const asked = fc.record({
      days: fc.integer({ min: 0, max: 60 }),
      reason: fc.constantFrom(2, 12),
    });
    const count = (
      asks: readonly { readonly days: number; readonly reason: number }[],
    ): number | null =>
      characteristic('applications90Days').measure({
        asOf: AS_OF,
        accounts: [],
        enquiries: asks.map(({ days, reason }, index) => ({
          ...{ at: at(days), reason, by: String(index), sector: 'bank' },
        })),
      });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 8 }), asked, (asks, more) => {
        const before = count(asks) ?? 0;
        const after = count([...asks, more]) ?? 0;
        expect(after - before).toBeGreaterThanOrEqual(0);
        expect(after - before).toBeLessThanOrEqual(1);
        expect(count([...asks, more, more, { ...more }])).toBe(after);
        const other = [...asks, { ...more, reason: 9 }];
        expect(count(other)).toBe(before + 1);
        // A simple model: the smallest number of 14-day spans that contain all enquiries for a purpose.
        const model = [2, 12].reduce((sum, reason) => {
          let left = asks.filter((one) => one.reason === reason).map(({ days }) => days);
          let spans = 0;
          while (left.length > 0) {
            const oldest = Math.max(...left);
            left = left.filter((days) => days <= oldest - 14);
            spans += 1;
          }
          return sum + spans;
        }, 0);
        expect(before).toBe(model);
      }),
      RUNS,
    );
    expect(count([0, 0, 0].map((days) => ({ days, reason: 2 })))).toBe(1);
    expect(count([2, 9, 12].map((reason) => ({ days: 0, reason })))).toBe(3);
  });

  test('agrees with its probability and its grade by the published formula', () => {
    fc.assert(
      fc.property(creditFile, fc.constantFrom(...SCORE_KINDS), (file, kind) => {
        const { score, probability, grade } = scoreFile(file, kind);
        if (score === '') {
          expect([probability, grade]).toEqual(['', '']);
          return;
        }
        expect(score).toMatch(/^([1-9]\d{0,2}|1000)$/);
        expect(probability).toBe((100 / (1 + 2 ** ((Number(score) - 500) / 50))).toFixed(2));
        expect(grade).toBe(gradeOfPercent(probability));
      }),
      RUNS,
    );
  });

  test('does not depend on the person’s identity', () => {
    for (const { profile, file } of generateSubjects({ seed: 3, subjects: 60 })) {
      const disguised: CreditFile = Object.assign(
        { ...file, accounts: file.accounts.map((one) => ({ ...one, ...profile })) },
        profile,
        { asOf: file.asOf, gender: 'X', nationality: 'XX', dateOfBirth: '1900-01-01', age: 126 },
      );
      for (const kind of SCORE_KINDS) {
        expect(scoreFile(disguised, kind)).toEqual(scoreFile(file, kind));
      }
    }
  });

  test('scores rest on facts about accounts and enquiries only: no other field exists in their type', () => {
    // The compiler refuses both missing and additional fields.
    const fileFields: Record<keyof CreditFile, true> = {
      asOf: true,
      accounts: true,
      guarantees: true,
      enquiries: true,
      life: true,
    };
    const accountFields: Record<keyof CreditAccount, true> = {
      key: true,
      lender: true,
      sector: true,
      product: true,
      openedOn: true,
      originalCents: true,
      instalmentCents: true,
      repaymentMonths: true,
      jointHolders: true,
      lastPaymentOn: true,
      lastPaymentCents: true,
      current: true,
      history: true,
      soldOn: true,
      boughtFrom: true,
      disputed: true,
      troubleSuppressed: true,
      retainedPermille: true,
    };
    const personal = /gender|sex|name|birth|age|national|document|phone|address/i;
    const fields = [...Object.keys(fileFields), ...Object.keys(accountFields)];
    expect(fields.filter((field) => personal.test(field))).toEqual([]);
  });
});
