import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

// The file has macros that only the console's build understands, so it is read as text.

test('each page of the navigation has a key of its own', async () => {
  const file = path.resolve(import.meta.dirname, '../../../console/src/app/navigation.ts');
  const keys = [...(await readFile(file, 'utf8')).matchAll(/ key: '(.)'/g)].map(([, key]) => key);
  expect(keys.length).toBeGreaterThan(25);
  expect(new Set(keys).size).toBe(keys.length);
});
