import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SWAHILI = new URL('../../../console/src/locales/sw.po', import.meta.url);

/** Each English text with its Swahili one. */
function readTexts(): [english: string, swahili: string][] {
  const entries = readFileSync(SWAHILI, 'utf8').split('\n\n').slice(1);
  return entries.map((entry) => [valueOf(entry, 'msgid'), valueOf(entry, 'msgstr')]);
}

function valueOf(entry: string, name: string): string {
  const [, first = '', rest = ''] =
    new RegExp(`^${name} "(.*)"((?:\\n".*")*)$`, 'm').exec(entry) ?? [];
  return first + rest.replaceAll(/\n"(.*)"/g, '$1');
}

/** The placeholders that the program fills in: `{name}`, `<0/>`, and the name of a plural. */
function placeholders(text: string): string[] {
  return [...new Set(text.match(/\{\w+(?=[},])|<\d+\/?>/g))].toSorted();
}

test('every text of the console has a Swahili one with the same placeholders', () => {
  const texts = readTexts();
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter(([, swahili]) => swahili === '').map(([english]) => english)).toEqual([]);
  expect(
    texts.filter(([english, swahili]) => {
      return placeholders(english).join(' ') !== placeholders(swahili).join(' ');
    }),
  ).toEqual([]);
});
