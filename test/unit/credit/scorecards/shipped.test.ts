import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateSubjects } from '../../../../sandbox/population/population.ts';
import { trainingSamples } from '../../../../sandbox/population/training-file.ts';
import type { AccountState, CreditAccount, CreditFile } from '../../../../src/credit/facts.ts';
import { characteristic, scoredFile } from '../../../../src/credit/scorecards/characteristics.ts';
import { gradeOfPercent, percentOfScore } from '../../../../src/credit/scorecards/scale.ts';
import {
  scoreFile,
  shippedScorecards,
  totalPoints,
} from '../../../../src/credit/scorecards/score.ts';
import { SCORE_KINDS, maximumPointsOf } from '../../../../src/credit/scorecards/scorecard.ts';
import type { Scorecards } from '../../../../src/credit/scorecards/scorecard.ts';
import { accountInDefault, creditFile } from '../../../support/credit-arbitraries.ts';

const AS_OF = new Date('2026-10-31T00:00:00Z');
const day = (text: string): Date => new Date(`${text}T00:00:00Z`);

const REPAID: AccountState = {
  asOf: day('2025-12-31'),
  balanceCents: 0n,
  overdueCents: 0n,
  daysInArrears: 0,
  instalmentsInArrears: 0,
  riskClass: 'A',
  status: 'A',
  statusOn: day('2025-12-31'),
};

/** This many loans, all repaid on time, the first one ten years ago. */
function perfectFile(loans: number, product: CreditAccount['product']): CreditFile {
  const accounts = Array.from({ length: loans }, (_, index): CreditAccount => ({
    key: `L/${index}`,
    lender: `L${index % 3}`,
    sector: product === 'I' ? 'mobile_lender' : 'bank',
    product,
    openedOn: day(`${2016 + (index % 8)}-10-01`),
    originalCents: 10_000_000n,
    instalmentCents: null,
    repaymentMonths: null,
    lastPaymentOn: null,
    lastPaymentCents: null,
    current: { ...REPAID, statusOn: day(`2025-${String((index % 12) + 1).padStart(2, '0')}-28`) },
    history: [],
    disputed: false,
  }));
  return { asOf: AS_OF, accounts, enquiries: [] };
}

describe('grade AA', () => {
  test('can be reached with both cards', () => {
    for (const card of Object.values(shippedScorecards())) {
      const max = card.characteristics.reduce((sum, one) => sum + maximumPointsOf(one), 0);
      expect(gradeOfPercent(percentOfScore(card.basePoints + max).toFixed(2))).toBe('AA');
    }
    expect(scoreFile(perfectFile(20, 'I'), 'mobile').grade).toBe('AA');
  });

  test('perfect customers of banks, and of mobile lenders, get grade AA', () => {
    const generic = scoreFile(perfectFile(6, 'H'), 'generic');
    expect(generic.grade).toBe('AA');
    expect(scoreFile(perfectFile(6, 'I'), 'generic')).toEqual(generic);
  });

  test.each(SCORE_KINDS)(
    'fewer than 1 %% of the people with grade AA of the %s card default',
    (kind) => {
      const card = shippedScorecards()[kind];
      let [count, expected] = [0, 0];
      // People that the training has not seen.
      for (const { measures, trueProbability } of trainingSamples({
        kind,
        seed: 77,
        subjects: 12_000,
      })) {
        const percent = percentOfScore(totalPoints(card, measures)).toFixed(2);
        if (gradeOfPercent(percent) !== 'AA') continue;
        count += 1;
        expected += trueProbability ?? 1;
      }
      expect(count).toBeGreaterThan(100);
      expect(expected / count).toBeLessThan(0.01);
    },
  );
});

test('the generic card asks for nothing that only mobile loans can give', () => {
  const names = shippedScorecards().generic.characteristics.map(({ name }) => name);
  expect(names.filter((name) => /mobile/i.test(name))).toEqual([]);
});

describe('a default that stands', () => {
  const DEFAULT = characteristic('nonPerformingAccounts').reason;

  test('leads the reasons of everybody who is in default, and of nobody else', () => {
    let inDefault = 0;
    for (const { file } of generateSubjects({ seed: 5, subjects: 600 })) {
      const standing = characteristic('nonPerformingAccounts').measure(scoredFile(file)) ?? 0;
      if (standing > 0) inDefault += 1;
      for (const kind of SCORE_KINDS) {
        const [first] = scoreFile(file, kind).reasons;
        expect(first === DEFAULT).toBe(standing > 0);
      }
    }
    expect(inDefault).toBeGreaterThan(30);
  });

  test('leads whatever else is on file, and is named once', () => {
    fc.assert(
      fc.property(
        creditFile,
        accountInDefault,
        fc.constantFrom(...SCORE_KINDS),
        (file, bad, kind) => {
          const life = { status: 'living', recordedOn: AS_OF } as const;
          const all = { ...file, accounts: [...file.accounts, bad], life };
          const { reasons } = scoreFile(all, kind);
          expect(reasons.indexOf(DEFAULT)).toBe(0);
          expect(reasons.lastIndexOf(DEFAULT)).toBe(0);
        },
      ),
    );
  });

  test('a default that stands also leads with a card that does not use it', () => {
    const shipped = shippedScorecards();
    const cards: Scorecards = {
      ...shipped,
      generic: {
        ...shipped.generic,
        characteristics: [
          {
            name: 'applications90Days',
            bins: [{ below: 1, points: 10 }, { points: 0 }],
            reason: 'One or more applications',
          },
        ],
      },
    };
    const [file] = fc.sample(accountInDefault, { numRuns: 1, seed: 1 }).map((bad) => ({
      asOf: AS_OF,
      accounts: [bad],
      enquiries: [],
    }));
    expect(scoreFile(file!, 'generic', cards).reasons[0]).toBe(DEFAULT);
  });
});
