import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const BUILT = path.resolve(import.meta.dirname, '../../../site/dist');
const BLOCK = /<div class="language-(\w+)[^]*?<\/pre>/g;
/** These have no grammar, or need none. */
const PLAIN = new Set(['text', 'csv']);

test('the documentation colours the code of every language that it has', () => {
  const coloured = new Map<string, boolean>();
  for (const page of globSync('**/*.html', { cwd: BUILT })) {
    const html = readFileSync(path.join(BUILT, page), 'utf8');
    for (const [block, language = ''] of html.matchAll(BLOCK)) {
      const colours = new Set(block.match(/<span class="code-\w+"/g));
      coloured.set(language, coloured.get(language) === true || colours.size > 1);
    }
  }
  const colourless = [...coloured].filter(([name, has]) => !has && !PLAIN.has(name));
  expect(coloured.size).toBeGreaterThan(5);
  // `scripts/remove-unread-files.mjs` names the languages that are kept.
  expect(colourless.map(([name]) => name)).toEqual([]);
});
