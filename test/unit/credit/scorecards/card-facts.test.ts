import { expect, test } from 'vitest';
import { factsOf } from '../../../../src/credit/scorecards/card-facts.ts';
import { shippedScorecards } from '../../../../src/credit/scorecards/score.ts';

const { generic, mobile } = shippedScorecards();

test('the shipped cards have examples, with the horizon and the population of their probabilities', () => {
  expect(factsOf(generic)).toEqual({
    ...{ card: 'malipo-generic@3', isExample: true, horizonMonths: 12, defaultDays: 90 },
    population: 'Synthetic population of the sandbox, 240,000 people, seed 1',
  });
  expect(factsOf(mobile)).toMatchObject({ horizonMonths: 6, defaultDays: 30 });
});

test('a card is no example only if it says where its real outcomes are from', () => {
  const madeFrom = (origin: string | undefined) => {
    const { origin: _origin, ...about } = generic.about;
    return factsOf({ ...generic, about: origin === undefined ? about : { ...about, origin } });
  };
  expect(madeFrom('Loans of 2025, observed until June 2026').isExample).toBe(false);
  expect(madeFrom('not stated').isExample).toBe(true);
  expect(madeFrom(undefined)).toMatchObject({ isExample: true, population: 'not stated' });
});
