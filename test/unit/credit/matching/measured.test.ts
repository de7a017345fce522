import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measureMatching } from '../../../support/matching-measure.ts';
import type { MatchingMeasure } from '../../../support/matching-measure.ts';

const PAGE = new URL('../../../../docs/reference/matching.md', import.meta.url);
const BEGIN = '<!-- measured -->\n';
const END = '\n<!-- end -->';

function tableOf({ rows, recall, precision }: MatchingMeasure): string {
  const lines = rows.map(
    ({ kind, genuine, enquiries, found }) =>
      `| ${kind} | ${genuine ? 'the person' : 'nobody'} | ${enquiries} | ${found} % |`,
  );
  return [
    '| Enquiries with the right document and … | Should find | Enquiries | Found |',
    '| --- | --- | --- | --- |',
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

test('matching is as good as its page says', () => {
  const measured = measureMatching();
  expect(Number(measured.recall)).toBeGreaterThan(99);
  expect(Number(measured.precision)).toBeGreaterThan(99.5);
  for (const { kind, genuine, found } of measured.rows) {
    if (genuine) expect(Number(found), kind).toBeGreaterThan(96);
    else expect(Number(found), kind).toBeLessThan(1);
  }
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  expect(cells(page.slice(begin, end))).toEqual(cells(tableOf(measured)));
});
