import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMissing, listNamedTests } from '../../support/named-tests.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(ROOT, 'docs/operating/security.md'), 'utf8');

describe('the security page', () => {
  test('names a test for every item of the standard', () => {
    const rows = page.split('\n').filter((line) => /^\| \d+\.\d+\.\d+/.test(line));
    expect(rows.length).toBeGreaterThan(25);
    for (const row of rows) expect(row, row).toMatch(/`test\/[^`]+` “[^”]+” +\|$/);
  });

  test.each(listNamedTests(page))('$file has “$title”', (named) => {
    expect(findMissing([named])).toEqual([]);
  });
});
