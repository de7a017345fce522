import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findMissing, listNamedTests } from '../../support/named-tests.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(ROOT, 'docs/operating/faults.md'), 'utf8');

const rows = page
  .split('\n')
  .filter((line) => /^\| +\w+ +\|/.test(line))
  .map((line) => ({
    number: line.split('|')[1]?.trim() ?? '',
    tests: listNamedTests(line),
  }));

test('every fault has a row', () => {
  const numbers = new Set(rows.map((row) => row.number));
  const missing = Array.from({ length: 56 }, (_, index) => index + 1).filter(
    (number) => !numbers.has(String(number)),
  );
  expect(missing).toEqual([]);
  expect(numbers.size).toBe(rows.length);
});

test.each(rows.map((row) => [row.number, row.tests] as const))(
  'fault %s: every test that the page names exists',
  (_, tests) => {
    expect(tests).not.toEqual([]);
    expect(findMissing(tests)).toEqual([]);
  },
);
