import { expect, test } from 'vitest';
import { testTitles } from '../../support/named-tests.ts';

test('titles are what tests are called, not other text of the file', () => {
  const source = `
    // test('in a comment', () => {});
    const other: string = 'any text';
    test('a test', () => expect('within it').toBe(other));
    test.each([['a case'], ['another (']] as const)('with %s', (value) => value);
    describe('a suite', () => {
      test.concurrent('inside', () => undefined);
      it('by its other name', () => undefined);
      test.skip('skipped', () => undefined);
      other.test('of something else', () => undefined);
    });`;
  expect([...testTitles(source)].toSorted()).toEqual([
    'a suite › by its other name',
    'a suite › inside',
    'a test',
    'by its other name',
    'inside',
    'with %s',
  ]);
});
