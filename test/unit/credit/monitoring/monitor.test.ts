import { describe, expect, test } from 'vitest';
import { monitorMonths } from '../../../../src/credit/monitoring/monitor.ts';
import type { ScoredPeople } from '../../../../src/credit/registry/scored-people-store.ts';

function scored(change: Partial<ScoredPeople>): ScoredPeople {
  return {
    month: '2026-01',
    kind: 'generic',
    card: 'ours@1',
    role: 'champion',
    score: 600,
    isKnown: false,
    isBad: false,
    people: 300,
    ...change,
  };
}

/** 600 points are odds of 4 to 1, 700 are 16 to 1. */
const [AT_600, AT_700] = [1 / 5, 1 / 17];

describe('the figures of a month', () => {
  test('compare with the training of the card, or else with its first large month', () => {
    const people = [
      scored({ card: 'trained@2', month: '2026-02' }),
      scored({ people: 30 }),
      scored({ month: '2026-02' }),
      scored({ month: '2026-03', score: 750 }),
    ];
    const found = monitorMonths(people, new Map([['trained@2', { reference: { '600': 500 } }]]));
    const of = (month: string, card: string) =>
      found.find((one) => one.month === month && one.card === card);
    expect(of('2026-02', 'trained@2')).toMatchObject({ comparedWith: 'training' });
    expect(of('2026-02', 'trained@2')!.stabilityIndex).toBeLessThan(0.01);
    // Too few people for a comparison.
    expect(of('2026-01', 'ours@1')).toMatchObject({ stabilityIndex: null, comparedWith: null });
    expect(of('2026-02', 'ours@1')).toMatchObject({ stabilityIndex: 0, comparedWith: '2026-02' });
    expect(of('2026-03', 'ours@1')).toMatchObject({ comparedWith: '2026-02', meanScore: 750 });
    expect(of('2026-03', 'ours@1')!.stabilityIndex).toBeGreaterThan(0.25);
  });

  test('calibrate on people whose period has ended, and rank champion and challenger', () => {
    const known = { isKnown: true, isBad: false, people: 80 };
    const people = [
      scored({ ...known }),
      scored({ ...known, isBad: true, people: 20 }),
      scored({ ...known, score: 700, people: 95 }),
      scored({ ...known, score: 700, isBad: true, people: 5 }),
      scored({ people: 40 }),
      scored({ isBad: true, people: 3 }),
      // The challenger gives everybody the same score.
      scored({ ...known, role: 'challenger', card: 'new@1', people: 175 }),
      scored({ ...known, role: 'challenger', card: 'new@1', isBad: true, people: 25 }),
    ];
    const [first, second] = monitorMonths(people, new Map());
    expect(first).toMatchObject({ people: 243, known: 200, badSoFar: 3, observed: 25 / 200 });
    expect(first!.predicted).toBeCloseTo((100 * AT_600 + 100 * AT_700) / 200, 12);
    expect(first!.auc).toBeCloseTo((80 * 10 + 95 * (20 + 2.5)) / (175 * 25), 12);
    expect(second).toMatchObject({ role: 'challenger', known: 200, auc: 0.5, observed: 25 / 200 });
    expect(second!.predicted).toBeCloseTo(AT_600, 12);
  });

  test('a month without outcomes has no calibration', () => {
    expect(monitorMonths([scored({})], new Map())[0]).toMatchObject({
      known: 0,
      predicted: null,
      observed: null,
      auc: null,
    });
    expect(monitorMonths([], new Map())).toEqual([]);
  });
});
