import { expect, test } from 'vitest';
import { generateSubjects } from '../../../../sandbox/population/population.ts';
import type { AccountState, CreditAccount, CreditFile } from '../../../../src/credit/facts.ts';
import { GRADES } from '../../../../src/credit/scorecards/scale.ts';
import { scoreFile } from '../../../../src/credit/scorecards/score.ts';
import { SCORE_KINDS } from '../../../../src/credit/scorecards/scorecard.ts';
import { seededUniform } from '../../../../src/credit/training/seeded.ts';

const DAY_MS = 86_400_000;
const AS_OF = new Date('2026-10-31T00:00:00Z');
/** A strategy that takes longer than this is not cheap: it is half a year of punctual payment. */
const HALF_YEAR_DAYS = 179;
/** Files and strategies tried; each strategy is improved step by step. */
const [FILES, STARTS, STEPS] = [8, 4, 40];

interface Loan {
  readonly lender: number;
  readonly principalCents: number;
  readonly takenDaysAgo: number;
  readonly heldDays: number;
}

function accountOf(loan: Loan, index: number): CreditAccount {
  const daysAgo = (days: number): Date => new Date(AS_OF.getTime() - days * DAY_MS);
  const repaidOn = daysAgo(Math.max(0, loan.takenDaysAgo - loan.heldDays));
  const current: AccountState = {
    ...{ asOf: repaidOn, statusOn: repaidOn, status: 'A', riskClass: 'A', balanceCents: 0n },
    ...{ overdueCents: 0n, daysInArrears: 0, instalmentsInArrears: 0 },
  };
  return {
    ...{ key: `farm ${index}`, lender: `FARM${loan.lender}`, sector: 'mobile_lender' },
    ...{
      product: 'I',
      openedOn: daysAgo(loan.takenDaysAgo),
      disputed: false,
      history: [],
      current,
    },
    ...{ originalCents: BigInt(loan.principalCents), instalmentCents: null },
    ...{ repaymentMonths: null, lastPaymentOn: repaidOn, lastPaymentCents: null },
  };
}

const gradeOf = (file: CreditFile, kind: (typeof SCORE_KINDS)[number]): number =>
  GRADES.findIndex(({ grade }) => grade === scoreFile(file, kind).grade);

test('small loans taken and repaid for half a year never gain a grade, however a search picks them', () => {
  const random = seededUniform(11);
  const whole = (below: number): number => Math.floor(random() * below);
  const pick = (): Loan => ({
    lender: whole(12),
    principalCents: [50_000, 100_000, 500_000, 5_000_000][whole(4)]!,
    takenDaysAgo: 1 + whole(HALF_YEAR_DAYS),
    heldDays: 1 + whole(60),
  });
  const files = [...generateSubjects({ seed: 9, subjects: 60 })]
    .map(({ file }) => ({ ...file, asOf: AS_OF }))
    .filter((file) => scoreFile(file, 'generic').score !== '')
    .slice(0, FILES);
  expect(files).toHaveLength(FILES);
  let tried = 0;
  for (const file of files) {
    for (const kind of SCORE_KINDS) {
      const before = { grade: gradeOf(file, kind), score: Number(scoreFile(file, kind).score) };
      for (let start = 0; start < STARTS; start += 1) {
        let loans = Array.from({ length: 1 + whole(30) }, pick);
        let best = -Infinity;
        for (let step = 0; step < STEPS; step += 1) {
          const next = loans.map((loan) => (whole(4) === 0 ? pick() : loan));
          if (whole(3) === 0) next.push(pick());
          const farmed = { ...file, accounts: [...file.accounts, ...next.map(accountOf)] };
          const score = Number(scoreFile(farmed, kind).score);
          tried += 1;
          // A lower index is a better grade.
          expect(gradeOf(farmed, kind)).toBeGreaterThanOrEqual(before.grade);
          if (score > best) [best, loans] = [score, next];
        }
      }
    }
  }
  expect(tried).toBe(FILES * SCORE_KINDS.length * STARTS * STEPS);
});
