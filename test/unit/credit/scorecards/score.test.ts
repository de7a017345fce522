import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { exampleSubjects } from '../../../../sandbox/population/examples.ts';
import { SANDBOX_AS_OF } from '../../../../sandbox/population/population.ts';
import type { AccountState, CreditAccount, CreditFile } from '../../../../src/credit/facts.ts';
import { CHARACTERISTICS, scoredFile } from '../../../../src/credit/scorecards/characteristics.ts';
import { GRADES, gradeOfPercent, percentOfScore } from '../../../../src/credit/scorecards/scale.ts';
import {
  scoreFile,
  shippedScorecards,
  totalPoints,
} from '../../../../src/credit/scorecards/score.ts';
import {
  ScorecardError,
  checkScorecard,
  pointsOf,
  newestCards,
  readCards,
} from '../../../../src/credit/scorecards/scorecard.ts';
import type { Scorecard, Scorecards } from '../../../../src/credit/scorecards/scorecard.ts';

const AS_OF = new Date('2026-10-31T00:00:00Z');
const day = (text: string) => new Date(`${text}T00:00:00Z`);

const GOOD: AccountState = {
  asOf: AS_OF,
  balanceCents: 500_000n,
  overdueCents: 0n,
  daysInArrears: 0,
  instalmentsInArrears: 0,
  riskClass: 'A',
  status: 'F',
  statusOn: day('2026-01-10'),
};

let accounts = 0;
function makeAccount(
  change: Partial<Omit<CreditAccount, 'current' | 'history'>> = {},
  ...states: Partial<AccountState>[]
): CreditAccount {
  const all = (states.length === 0 ? [{}] : states).map((state) => ({ ...GOOD, ...state }));
  return {
    key: `L1/${++accounts}`,
    lender: 'L1',
    sector: 'bank',
    product: 'H',
    openedOn: day('2026-01-10'),
    originalCents: 1_000_000n,
    instalmentCents: null,
    repaymentMonths: null,
    lastPaymentOn: null,
    lastPaymentCents: null,
    disputed: false,
    ...change,
    current: all.at(-1)!,
    history: all.slice(0, -1),
  };
}

function measure(name: keyof typeof CHARACTERISTICS, ...some: CreditAccount[]): number | null {
  return CHARACTERISTICS[name].measure(scoredFile({ asOf: AS_OF, accounts: some, enquiries: [] }));
}

const LATE = {
  overdueCents: 200_000n,
  daysInArrears: 100,
  instalmentsInArrears: 4,
  riskClass: 'C',
} as const;
const REPAID = { balanceCents: 0n, status: 'A', statusOn: day('2026-09-15') } as const;

describe('characteristics', () => {
  test('default: 90 days for banks, 30 for mobile loans and microfinance, from KES 1,000', () => {
    const late31 = { ...LATE, daysInArrears: 31, riskClass: 'B' } as const;
    const cases: [CreditAccount, number][] = [
      [makeAccount({}, { ...LATE, riskClass: 'B', daysInArrears: 90 }), 0],
      [makeAccount({}, { ...LATE, riskClass: 'B', daysInArrears: 91 }), 1],
      [makeAccount({}, late31), 0],
      [makeAccount({ product: 'I' }, late31), 1],
      [makeAccount({ product: 'I' }, { ...late31, daysInArrears: 30 }), 0],
      [makeAccount({ sector: 'microfinance' }, late31), 1],
      [makeAccount({}, { ...LATE, overdueCents: 99_999n }), 0],
      [makeAccount({}, { ...LATE, overdueCents: 100_000n }), 1],
      [makeAccount({}, { status: 'C' }), 1],
      [makeAccount({}, { status: 'C', balanceCents: 0n }), 0],
    ];
    for (const [one, count] of cases) expect(measure('nonPerformingAccounts', one)).toBe(count);
  });

  test('months since default: 0 while it stands, never without one', () => {
    const cured = makeAccount({}, { ...LATE, asOf: day('2026-03-31') }, {});
    const standing = makeAccount({}, { ...LATE, asOf: day('2024-01-31') });
    expect(measure('monthsSinceNonPerforming', makeAccount())).toBeNull();
    expect(measure('monthsSinceNonPerforming', cured)).toBe(7);
    expect(measure('monthsSinceNonPerforming', cured, standing)).toBe(0);
    expect(measure('everNonPerformingAccounts', cured, standing)).toBe(2);
  });

  test('arrears count in their window, and while they stand', () => {
    const past = makeAccount(
      {},
      { daysInArrears: 80, overdueCents: 100_000n, asOf: day('2025-01-31') },
      { daysInArrears: 20, overdueCents: 100_000n, asOf: day('2025-11-30') },
      {},
    );
    expect(measure('worstArrearsDays12', past)).toBe(20);
    expect(measure('worstArrearsDays24', past)).toBe(80);
    expect(measure('worstMobileArrearsDays12', past)).toBe(0);
    const stale = makeAccount({ product: 'I' }, { ...LATE, asOf: day('2022-01-31') });
    expect(measure('worstMobileArrearsDays12', stale)).toBe(100);
  });

  test('only well-kept accounts earn: length, share repaid, loans repaid', () => {
    const old = makeAccount({ product: 'I', openedOn: day('2020-10-31') }, LATE, REPAID);
    const young = makeAccount({ product: 'I', openedOn: day('2026-07-31') }, REPAID);
    const small = makeAccount({ product: 'I', originalCents: 300_000n }, REPAID);
    const seasoned = makeAccount({ openedOn: day('2026-04-30') }, REPAID);
    expect(measure('monthsOfGoodHistory', old, young)).toBe(0);
    expect(measure('monthsOfGoodHistory', old, young, seasoned)).toBe(6);
    // `old` was late, `young` is not seasoned.
    expect(measure('mobileLoansRepaid', old, young, small)).toBe(1);
    const august = makeAccount({}, { ...REPAID, statusOn: day('2026-08-20') });
    expect(measure('mobileLoansRepaid', old, young, small, august)).toBe(1);
    expect(measure('accountsRepaid', old, young, small, august)).toBe(2);
    expect(measure('largestMobileLoanRepaid', old, young, small)).toBe(3000);
    expect(measure('repaidSharePercent', old, young)).toBe(50);
    expect(measure('repaidSharePercent', makeAccount({}, { balanceCents: 666_667n }))).toBe(33.33);
    expect(measure('repaidSharePercent')).toBe(0);
  });

  test('a loan counts as repaid from KES 1,000, after 28 days, half a year, and once a month', () => {
    const repaid = (openedOn: string, repaidOn: string, originalCents = 100_000n) =>
      makeAccount(
        { openedOn: day(openedOn), originalCents },
        { ...REPAID, statusOn: day(repaidOn) },
      );
    const cases: [number, ...CreditAccount[]][] = [
      [1, repaid('2026-01-01', '2026-01-29')],
      [0, repaid('2026-01-01', '2026-01-28')],
      [0, repaid('2026-01-01', '2026-01-29', 99_999n)],
      [1, repaid('2026-05-04', '2026-06-04')],
      [0, repaid('2026-05-05', '2026-06-05')],
      [1, repaid('2026-01-01', '2026-03-01'), repaid('2026-01-02', '2026-03-31')],
      [2, repaid('2026-01-01', '2026-03-31'), repaid('2026-01-02', '2026-04-01')],
    ];
    for (const [count, ...some] of cases) expect(measure('accountsRepaid', ...some)).toBe(count);
  });

  test('arrears count from KES 1,000, and a trifle does not make an account badly kept', () => {
    const late = { daysInArrears: 45, instalmentsInArrears: 2, riskClass: 'B' } as const;
    const cases: [bigint, number, number][] = [
      [100n, 0, 9],
      [50_000n, 0, 9],
      // More than a twentieth of the loan.
      [50_001n, 0, 0],
      [99_999n, 0, 0],
      [100_000n, 45, 0],
    ];
    for (const [overdueCents, days, months] of cases) {
      const one = makeAccount({}, { ...late, overdueCents });
      expect(measure('worstArrearsDays12', one)).toBe(days);
      expect(measure('instalmentsInArrears', one)).toBe(days === 0 ? 0 : 2);
      expect(measure('monthsOfGoodHistory', one)).toBe(months);
    }
  });

  test('new terms end a default only when the account has performed for six months', () => {
    const inDefault = { ...LATE, asOf: day('2025-12-31') };
    const states = (months: readonly string[]): Partial<AccountState>[] =>
      months.map((month) => ({ asOf: day(month), status: 'G' }));
    const cases: [number, CreditAccount][] = [
      [1, makeAccount({}, inDefault, ...states(['2026-01-31']))],
      [1, makeAccount({}, inDefault, ...states(['2026-01-31', '2026-06-30']))],
      [1, makeAccount({}, inDefault, ...states(['2026-01-31']), { asOf: day('2026-06-30') })],
      [0, makeAccount({}, inDefault, ...states(['2026-01-31', '2026-07-31']))],
      [0, makeAccount({}, inDefault, ...states(['2026-01-31']), REPAID)],
      [0, makeAccount({}, { asOf: day('2025-12-31') }, ...states(['2026-01-31']))],
      [0, makeAccount({}, inDefault, { asOf: day('2026-01-31') })],
    ];
    for (const [count, one] of cases) expect(measure('nonPerformingAccounts', one)).toBe(count);
  });

  test('well kept ends with the 31st day, a class below watch, or being given up', () => {
    const states: [Partial<AccountState>, boolean][] = [
      [{ daysInArrears: 30 }, true],
      [{ daysInArrears: 31 }, false],
      [{ daysInArrears: 31, overdueCents: 100n }, true],
      [{ riskClass: 'B' }, true],
      [{ riskClass: 'C' }, false],
      [{ status: 'E', balanceCents: 0n }, false],
    ];
    for (const [past, kept] of states) {
      expect(measure('accountsRepaid', makeAccount({}, past, REPAID))).toBe(kept ? 1 : 0);
    }
  });

  test('new loans, lenders and applications by their windows', () => {
    const loans = [
      makeAccount({ product: 'I', openedOn: day('2026-08-02') }),
      makeAccount({ product: 'I', openedOn: day('2026-08-01') }, { status: 'A', ...LATE }),
      makeAccount({ lender: 'L2', openedOn: day('2025-10-31') }),
    ];
    expect(measure('mobileLoansOpened90Days', ...loans)).toBe(1);
    expect(measure('openMobileLoans', ...loans)).toBe(2);
    expect(measure('lendersOfNewAccounts12', ...loans)).toBe(1);
    expect(measure('instalmentsInArrears', ...loans)).toBe(4);
    const ask = (daysAgo: number, reason: number) => ({
      at: new Date(AS_OF.getTime() - daysAgo * 86_400_000),
      reason,
      sector: 'bank' as const,
    });
    const file: CreditFile = {
      asOf: AS_OF,
      accounts: loans,
      enquiries: [ask(91, 2), ask(90, 12), ask(30, 6), ask(31, 5), ask(1, 3), ask(1, 4), ask(1, 1)],
    };
    expect(CHARACTERISTICS.applications30Days.measure(scoredFile(file))).toBe(1);
    expect(CHARACTERISTICS.applications90Days.measure(scoredFile(file))).toBe(3);
  });
});

describe('the scale', () => {
  test('500 is even odds, 50 points double them, grades follow the printed probability', () => {
    expect(percentOfScore(500)).toBe(50);
    expect(percentOfScore(550)).toBeCloseTo(100 / 3, 10);
    // The published example of a bureau.
    expect(percentOfScore(665.67).toFixed(2)).toBe('9.14');
    expect(gradeOfPercent('9.14')).toBe('DD');
    expect(GRADES.map(({ belowPercent }) => gradeOfPercent(String(belowPercent - 0.01)))).toEqual(
      GRADES.slice(0, -1)
        .map(({ grade }) => grade)
        .concat('JJ' as never),
    );
    expect(gradeOfPercent('1.00')).toBe('BB');
  });
});

function card(change: Partial<Scorecard> = {}): Scorecard {
  return {
    id: 'test',
    kind: 'generic',
    version: 3,
    about: {},
    basePoints: 400,
    characteristics: [
      {
        name: 'nonPerformingAccounts',
        bins: [{ below: 1, points: 50 }, { points: 0 }],
        reason: 'first reason here',
      },
      {
        name: 'monthsOfGoodHistory',
        bins: [{ below: 12, points: 0 }, { below: 24, points: 30 }, { points: 90 }],
        reason: 'second reason here',
      },
      {
        name: 'monthsSinceNonPerforming',
        bins: [{ below: 6, points: 0 }, { points: 10 }],
        never: 50,
        reason: 'third reason here',
      },
    ],
    ...change,
  };
}

function cardsWith(one: Scorecard): Scorecards {
  return { generic: one, mobile: { ...one, kind: 'mobile' } };
}

describe('scoring', () => {
  test('adds the points of the bins; a default leads the reasons, then the largest shortfalls', () => {
    const file = {
      asOf: AS_OF,
      accounts: [makeAccount({}, { ...LATE, asOf: day('2026-09-30') })],
      enquiries: [],
    };
    expect(scoreFile(file, 'generic', cardsWith(card()))).toEqual({
      score: '400',
      probability: '80.00',
      grade: 'JJ',
      reasons: [
        'first reason here',
        'second reason here',
        'third reason here',
        'No further reason',
      ],
      scorecard: 'test@3',
    });
  });

  test('stays within 1 to 1000', () => {
    const file = { asOf: AS_OF, accounts: [makeAccount()], enquiries: [] };
    const score = (basePoints: number) =>
      scoreFile(file, 'generic', cardsWith(card({ basePoints })));
    expect(score(5000)).toMatchObject({ score: '1000', probability: '0.10', grade: 'AA' });
    expect(score(-5000)).toMatchObject({ score: '1', probability: '99.90', grade: 'JJ' });
  });

  test('a value falls into the first bin it is below', () => {
    const [, months, since] = card().characteristics;
    expect([0, 11, 12, 23, 24, 400].map((value) => pointsOf(months!, value))).toEqual([
      0, 0, 30, 30, 90, 90,
    ]);
    expect(pointsOf(since!, null)).toBe(50);
    expect(totalPoints(card(), { nonPerformingAccounts: 0, monthsOfGoodHistory: 12 })).toBe(530);
  });

  test('no account that counts: no score, and the reasons say so', () => {
    const disputed = 'Accounts under dispute are left out of this score';
    const cases: readonly [CreditAccount[], RegExp, string][] = [
      [[], /no credit history/, ''],
      [[makeAccount({ disputed: true })], /no credit history/, disputed],
      [[makeAccount({}, { status: 'P' })], /no credit history/, disputed],
      [[makeAccount({}, { status: 'L' }), makeAccount()], /recorded as deceased/, ''],
    ];
    for (const [some, first, second] of cases) {
      const answer = scoreFile({ asOf: AS_OF, accounts: some, enquiries: [] }, 'mobile');
      expect(answer).toMatchObject({ grade: '', score: '', probability: '' });
      expect(answer.reasons[0]).toMatch(first);
      expect(answer.reasons.slice(1)).toEqual([second, '', '']);
    }
  });

  test('every documented example gets the documented score, whatever the month', () => {
    for (const asOf of [SANDBOX_AS_OF, new Date('2027-02-28T00:00:00Z')]) {
      const [good, thin, bad, mobileOnly, cured] = exampleSubjects(asOf).map(({ file }) => ({
        generic: scoreFile(file, 'generic'),
        mobile: scoreFile(file, 'mobile'),
      }));
      expect(good!.generic.grade).toBe('BB');
      expect(thin!.generic.score + thin!.mobile.score).toBe('');
      expect([bad!.generic.grade, bad!.mobile.grade]).toEqual(['JJ', 'JJ']);
      expect(Number(mobileOnly!.mobile.score)).toBeGreaterThan(600);
      for (const kind of ['generic', 'mobile'] as const) {
        const scores = [good, cured, bad].map((one) => Number(one![kind].score));
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(new Set(bad![kind].reasons).size).toBe(4);
      }
    }
  });
});

describe('scorecard files', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'scorecards-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const put = (name: string, value: unknown): void => {
    writeFileSync(path.join(folder, name), JSON.stringify(value));
  };

  test('the highest version of a kind is in force', () => {
    put('a.json', card({ version: 2 }));
    put('b.json', card({ version: 10 }));
    expect(() => newestCards(readCards(folder), folder)).toThrow(/there is no mobile card/);
    put('c.json', card({ kind: 'mobile', version: 1 }));
    expect(newestCards(readCards(folder), folder).generic.version).toBe(10);
    put('d.json', card({ version: 10 }));
    expect(() => newestCards(readCards(folder), folder)).toThrow(/version 10 occurs twice/);
    writeFileSync(path.join(folder, 'd.json'), '{');
    expect(() => newestCards(readCards(folder), folder)).toThrow(ScorecardError);
  });

  test('a card that could break the guarantees is refused, with every problem', () => {
    const [first, second, third] = card().characteristics;
    const refused: [Partial<Scorecard>, RegExp][] = [
      [
        { characteristics: [{ ...first!, bins: [{ below: 1, points: 0 }, { points: 5 }] }] },
        /points must not fall as the value gets better \(lower is better\)/,
      ],
      [
        { characteristics: [{ ...second!, bins: [{ below: 12, points: 9 }, { points: 0 }] }] },
        /higher is better/,
      ],
      [{ characteristics: [{ ...third!, never: 9 }] }, /“never” must earn at least as much/],
      [{ characteristics: [{ ...first!, never: 60 }] }, /must not have points for “never”/],
      [
        { characteristics: [{ ...first!, bins: [{ below: 1, points: 9 }] }] },
        /bins must ascend, the last one without an end/,
      ],
      [
        { characteristics: [{ ...second!, bins: [{ points: 0 }, { points: 0 }] }] },
        /bins must ascend/,
      ],
      [{ characteristics: [first!, first!] }, /occurs twice/],
      [{ characteristics: [{ ...first!, name: 'gender' as never }] }, /characteristics\/0\/name/],
      [{ basePoints: 1.5 }, /basePoints/],
    ];
    for (const [change, message] of refused) {
      expect(() => checkScorecard(card(change), 'here')).toThrow(message);
    }
    expect(checkScorecard(card(), 'here')).toEqual(card());
  });

  test('the reference page has every characteristic, every grade and a valid card', () => {
    const page = readFileSync(
      path.join(import.meta.dirname, '../../../../docs/reference/scorecards.md'),
      'utf8',
    );
    const cells = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    for (const [name, { meaning, better }] of Object.entries(CHARACTERISTICS)) {
      expect(cells).toContainEqual(['', `\`${name}\``, meaning, better, '']);
    }
    for (const [at, { grade }] of GRADES.entries()) {
      const range = cells.find(([, first]) => first === grade)![3]!;
      const [lowest, highest] = range.split(' to ').map(Number);
      const gradeAt = (score: number) => gradeOfPercent(percentOfScore(score).toFixed(2));
      expect([gradeAt(lowest!), gradeAt(highest!)]).toEqual([grade, grade]);
      if (at > 0) expect(gradeAt(highest! + 1)).toBe(GRADES[at - 1]!.grade);
    }
    const example = /```json\n([\s\S]*?)```/.exec(page)![1]!;
    expect(() => checkScorecard(JSON.parse(example), 'the reference page')).not.toThrow();
  });

  test('the shipped cards are complete, with distinct reasons', () => {
    for (const one of Object.values(shippedScorecards())) {
      const reasons = one.characteristics.map(({ reason }) => reason);
      expect(new Set(reasons).size).toBe(reasons.length);
      expect(one.about['origin']).toMatch(/synthetic/i);
    }
  });
});
