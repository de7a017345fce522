import { describe, expect, test } from 'vitest';

import { createCalendar, lastMonthEnd } from '../../../sandbox/population/calendar.ts';
import { exampleSubjects } from '../../../sandbox/population/examples.ts';
import { MOBILE_HEADER, mobileLines } from '../../../sandbox/population/mobile-template.ts';
import {
  SANDBOX_AS_OF,
  generatePopulation,
  generateSubjects,
} from '../../../sandbox/population/population.ts';
import type { GeneratedSubject } from '../../../sandbox/population/population.ts';
import { createRandom } from '../../../sandbox/population/random.ts';
import type { CreditAccount } from '../../../src/credit/facts.ts';
import { MOBILE_COLUMNS } from '../../../src/credit/importing/template.ts';
import { createValidator } from '../../../src/credit/importing/validate.ts';
import { normaliseDocument } from '../../../src/credit/registry/documents.ts';
import { isNonPerforming, isOpen, statesOf } from '../../../src/credit/scorecards/standing.ts';
import { SECTORS } from '../../../src/parties/vendor.ts';
import { placesOf } from '../../support/credit-files.ts';

const subjects: readonly GeneratedSubject[] = [...generateSubjects({ seed: 5, subjects: 3000 })];
const accounts = subjects.flatMap(({ file }) => file.accounts);

function text(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}

describe('the synthetic population', () => {
  test('the population is the same for the same seed, whatever its size, and another for another', () => {
    const few = [...generateSubjects({ seed: 5, subjects: 40 })];
    expect(text(few)).toBe(text(subjects.slice(0, 40)));
    const others = [...generateSubjects({ seed: 6, subjects: 40 })];
    expect(text(others.map(({ file }) => file))).not.toBe(text(few.map(({ file }) => file)));
  });

  test('has no number twice, and only numbers that no real person has', () => {
    const documents = subjects.flatMap(({ profile }) => profile.documents);
    const numbers = documents.map(({ type, number }) => `${type} ${number}`);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const { type, number } of documents) {
      expect(normaliseDocument(type, number)).toBe(number);
      if (type === 'nationalID') expect(number).toMatch(/^9\d{8}$/);
    }
    expect(new Set(documents.map(({ type }) => type)).size).toBe(5);
    expect(numbers).not.toContain('nationalID 999999999');
    const phones = subjects.flatMap(({ profile }) => profile.phones.map(({ number }) => number));
    expect(new Set(phones).size).toBe(phones.length);
    for (const phone of phones) expect(phone).toMatch(/^2541[89]\d{7}$/);
    const keys = accounts.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('borrows in all sectors, products for good and bad, and some not at all', () => {
    expect(new Set(accounts.map(({ sector }) => sector))).toEqual(new Set(SECTORS));
    const closed = accounts.filter((one) => !isOpen(one));
    expect(closed.some((one) => isNonPerforming(one, one.current))).toBe(true);
    expect(accounts.some(({ disputed }) => disputed)).toBe(true);
    const statuses = new Set(accounts.map(({ current }) => current.status));
    for (const status of ['A', 'C', 'E', 'F', 'H'] as const) expect(statuses).toContain(status);
    const without = subjects.filter(({ file }) => file.accounts.length === 0).length;
    expect(without / subjects.length).toBeGreaterThan(0.05);
    expect(without / subjects.length).toBeLessThan(0.12);
    expect(accounts.length / subjects.length).toBeGreaterThan(4);
  });

  test('keeps time: states ascend, nothing before the opening or after the as-of date', () => {
    const astray = subjects.filter(({ file }) => {
      const end = file.asOf.getTime();
      const asked = file.enquiries.map(({ at }) => at.getTime());
      return ![
        asked.every((at, index) => at >= (asked[index - 1] ?? 0) && at <= end),
        ...file.accounts.map((one) => {
          const times = [one.openedOn, ...statesOf(one).map(({ asOf }) => asOf)].map(Number);
          return times.every((at, index) => at > (times[index - 1] ?? 0) && at <= end);
        }),
      ].every(Boolean);
    });
    expect(astray).toEqual([]);
  });

  test('defaults as often as its model says, in every band', () => {
    for (const kind of ['generic', 'mobile'] as const) {
      const drawn = subjects.map(({ outcomes }) => outcomes[kind]);
      for (const [from, to] of [
        [0, 0.05],
        [0.05, 0.2],
        [0.2, 1],
      ] as const) {
        const band = drawn.filter(({ probability }) => probability >= from && probability < to);
        const predicted = band.reduce((sum, { probability }) => sum + probability, 0) / band.length;
        const observed = band.filter(({ defaulted }) => defaulted).length / band.length;
        // Five standard errors.
        const margin = 5 * Math.sqrt((predicted * (1 - predicted)) / band.length);
        expect(Math.abs(observed - predicted)).toBeLessThan(margin);
      }
    }
  });

  test('repays independently of a person’s identity', () => {
    const women = (some: readonly GeneratedSubject[]) =>
      some.filter(({ profile }) => profile.gender === 'F').length / some.length;
    const without = subjects.filter(({ file }) => file.accounts.length === 0);
    expect(Math.abs(women(without) - women(subjects))).toBeLessThan(
      2.5 / Math.sqrt(without.length),
    );
    const rates = (['F', 'M'] as const).map((gender) => {
      const some = subjects.filter(({ profile }) => profile.gender === gender);
      return {
        size: some.length,
        mean: some.reduce((sum, one) => sum + one.outcomes.generic.probability, 0) / some.length,
      };
    });
    const [f, m] = rates;
    const margin = 5 * 0.25 * Math.sqrt(1 / f!.size + 1 / m!.size);
    expect(Math.abs(f!.mean - m!.mean)).toBeLessThan(margin);
  });

  test('submits lines that the import accepts without findings, for any month', () => {
    let lines = 0;
    const some = [...generatePopulation({ seed: 5, subjects: 400 })];
    const lenders = new Set(accounts.map(({ lender }) => lender));
    for (const month of ['2026-10-31', '2026-02-28']) {
      const validator = createValidator(placesOf('mobile'), month);
      const asOf = new Date(`${month}T00:00:00Z`);
      for (const lender of lenders) {
        for (const line of mobileLines(some, { lender, asOf })) {
          lines++;
          const { findings } = validator.validate(lines, line.split(','));
          if (findings !== undefined) expect(findings, line).toEqual([]);
        }
      }
    }
    expect(lines).toBeGreaterThan(500);
    expect(MOBILE_HEADER.split(',')).toEqual([...MOBILE_COLUMNS]);
  });

  test('refuses impossible sizes and dates', () => {
    expect(() => [...generateSubjects({ seed: 1, subjects: -1 })]).toThrow(RangeError);
    expect(() => [...generateSubjects({ seed: 1, subjects: 1e9 })]).toThrow(RangeError);
    expect(() => createCalendar(new Date('2026-10-30T00:00:00Z'))).toThrow(RangeError);
    expect(lastMonthEnd(new Date('2026-11-01T05:00:00Z'))).toEqual(SANDBOX_AS_OF);
    expect(lastMonthEnd(new Date('2026-10-31T23:00:00Z')).toISOString()).toMatch(/^2026-09-30/);
  });
});

function kindsOf(some: readonly CreditAccount[]): ReadonlySet<string> {
  return new Set(
    some.map((one) =>
      [
        isOpen(one) ? 'open' : 'closed',
        one.product === 'I' ? 'mobile' : 'other',
        one.sector === 'bank' ? 'mine' : 'theirs',
      ].join(' '),
    ),
  );
}

describe('the documented examples', () => {
  const examples = exampleSubjects(SANDBOX_AS_OF);

  test('lead the population and do not depend on the seed', () => {
    for (const seed of [1, 2]) {
      const first = [...generatePopulation({ seed, subjects: 7 })];
      expect(text(first.slice(0, 5))).toBe(text(examples));
      expect(first).toHaveLength(7);
    }
    expect([...generatePopulation({ seed: 1, subjects: 2 })]).toHaveLength(2);
  });

  test('have the documented names, documents and shapes', () => {
    const shapes = examples.map(({ profile, file }) => ({
      id: profile.documents.find(({ type }) => type === 'nationalID')!.number,
      name: [...profile.name.forenames, profile.name.surname].join(' '),
      accounts: file.accounts.length,
      sectors: new Set(file.accounts.map(({ sector }) => sector)).size,
      mobile: file.accounts.filter(({ product }) => product === 'I').length,
      inDefault: file.accounts.filter((one) => isNonPerforming(one, one.current)).length,
      wereInDefault: file.accounts.filter((one) =>
        one.history.some((state) => isNonPerforming(one, state)),
      ).length,
    }));
    expect(shapes.map(({ id, name }) => [id, name])).toEqual([
      ['900000001', 'Amani Baraka Wanjiru'],
      ['900000002', 'Amani Baraka Otieno'],
      ['900000003', 'Amani Baraka Mutua'],
      ['900000004', 'Amani Baraka Achieng'],
      ['900000005', 'Amani Baraka Kiprop'],
    ]);
    const [good, thin, bad, mobileOnly, cured] = shapes;
    expect(good).toMatchObject({ accounts: 15, mobile: 8, inDefault: 0, wereInDefault: 0 });
    expect(good!.sectors).toBeGreaterThan(2);
    expect(thin).toMatchObject({ accounts: 0 });
    expect(bad!.inDefault).toBeGreaterThanOrEqual(4);
    expect(mobileOnly!.mobile).toBe(mobileOnly!.accounts);
    expect(mobileOnly).toMatchObject({ inDefault: 0, wereInDefault: 0 });
    expect(cured).toMatchObject({ inDefault: 0 });
    expect(cured!.wereInDefault).toBeGreaterThanOrEqual(4);
  });

  test('show default open and closed, mobile and not, in the own sector and others', () => {
    const [, , bad, , cured] = examples;
    const inDefault = kindsOf(
      bad!.file.accounts.filter((one) => isNonPerforming(one, one.current)),
    );
    for (const kind of [
      'open mobile mine',
      'open mobile theirs',
      'closed mobile mine',
      'closed mobile theirs',
      'open other mine',
      'open other theirs',
    ]) {
      expect(inDefault).toContain(kind);
    }
    const history = kindsOf(
      cured!.file.accounts.filter((one) =>
        one.history.some((state) => isNonPerforming(one, state)),
      ),
    );
    for (const kind of [
      'open other mine',
      'closed other mine',
      'closed other theirs',
      'closed mobile mine',
      'closed mobile theirs',
      'open mobile theirs',
    ]) {
      expect(history).toContain(kind);
    }
  });
});

test('random streams are repeatable and look random', () => {
  const random = createRandom(7, 1);
  const draws = Array.from({ length: 20_000 }, () => random.next());
  const mean = draws.reduce((sum, one) => sum + one, 0) / draws.length;
  expect(mean).toBeCloseTo(0.5, 1);
  expect(new Set(draws).size).toBeGreaterThan(19_900);
  expect(createRandom(7, 1).next()).toBe(draws[0]);
  expect(createRandom(7, 2).next()).not.toBe(draws[0]);
  const normals = Array.from({ length: 20_000 }, () => random.normal());
  expect(normals.reduce((sum, one) => sum + one * one, 0) / normals.length).toBeCloseTo(1, 1);
});
