import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** The fields of a line: the object, or the call that makes it. */
const LOGGED = /\blog\??\.(?:debug|info|warn|error|fatal)\(\s*(\{[^}]*\})/g;
/** A field of its own, not the value of another one. */
const OTHER_NAME = /(?<=[{,]\s*)(?:biller|operator)(?:Code|_code)\b/;

test('the log has one name for a biller and one for an operator', async () => {
  const found: string[] = [];
  for await (const file of glob('src/**/*.ts')) {
    for (const [, fields = ''] of (await readFile(file, 'utf8')).matchAll(LOGGED)) {
      if (OTHER_NAME.test(fields)) found.push(`${file}: ${fields}`);
    }
  }
  expect(found).toEqual([]);
});
