import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/operating/security.md'), 'utf8');

/** `file` “title”, “title” … as the page names tests. */
const named = [...page.matchAll(/`(test\/[^`]+\.test\.ts)` (“[^”]+”(?:, “[^”]+”)*)/g)].flatMap(
  ([, file = '', titles = '']) =>
    [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
);

describe('the security page', () => {
  test('names a test for every item of the standard', () => {
    const rows = page.split('\n').filter((line) => /^\| \d+\.\d+\.\d+/.test(line));
    expect(rows.length).toBeGreaterThan(25);
    for (const row of rows) expect(row, row).toMatch(/`test\/[^`]+` “[^”]+” +\|$/);
  });

  test.each(named)('$file has “$title”', ({ file, title }) => {
    const full = path.join(ROOT, file);
    expect(existsSync(full)).toBe(true);
    const source = readFileSync(full, 'utf8').replaceAll(/\s+/g, ' ');
    expect(source).toContain(`'${title}'`);
  });
});
