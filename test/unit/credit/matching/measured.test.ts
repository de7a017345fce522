import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measureMatching } from '../../../support/matching-measure.ts';
import type { MatchingMeasure } from '../../../support/matching-measure.ts';

const PAGE = new URL('../../../../docs/reference/matching.md', import.meta.url);
const BEGIN = '<!-- measured -->\n';
const END = '\n<!-- end -->';

function tableOf({ rows, recall, precision }: MatchingMeasure): string {
  const lines = rows.map(
    ({ kind, genuine, enquiries, ...row }) =>
      `| ${kind} | ${genuine ? 'the person' : 'nobody'} | ${enquiries} | ${row.found} % | ${row.foundByBirthDate} % |`,
  );
  return [
    '| Enquiries with the right document and … | Should find | Enquiries | Found | Found with the birth date |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
    `Recall, the mean over the kinds that should find the person: **${recall} %**. Precision, with as many enquiries that should find nobody: **${precision} %**.`,
  ].join('\n');
}

/** Removes the padding that the formatter adds to a table. */
function cells(text: string): string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\s*\|\s*/g, '|')
        .replaceAll(/-{3,}/g, '---')
        .trim(),
    )
    .filter((line) => line !== '');
}

/** Kinds that nothing but a birth date tells from another person. */
const NEED_A_BIRTH_DATE =
  /another surname|one name of three is another|two letters wrong|similar, but different/;

test('matching is as good as its page says', () => {
  const measured = measureMatching();
  for (const { kind, genuine, found, foundByBirthDate } of measured.rows) {
    const limit = NEED_A_BIRTH_DATE.test(kind) ? 30 : 1;
    if (!genuine) {
      expect(Number(found), kind).toBeLessThanOrEqual(limit);
      expect(Number(foundByBirthDate), kind).toBe(0);
      continue;
    }
    if (limit === 1) expect(Number(found), kind).toBeGreaterThanOrEqual(97);
    expect(Number(foundByBirthDate), kind).toBeGreaterThanOrEqual(97);
  }
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  expect(cells(page.slice(begin, end))).toEqual(cells(tableOf(measured)));
});
