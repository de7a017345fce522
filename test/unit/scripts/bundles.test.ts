import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUNDLED, fileName, findBundles, folderOf } from '../../../scripts/bundles.mjs';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SPECIFIERS = Object.values(BUNDLED).flat();

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  // `npm ci` makes them; a working copy may lack them.
  if (findBundles(ROOT).size === SPECIFIERS.length) return;
  const { status, stderr } = spawnSync(process.execPath, ['scripts/prepare-bundles.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the bundles could not be made:\n${stderr}`);
}, 60_000);
afterAll(async () => {
  await removeFolder(folder);
});

/** A root with every bundle of these versions. */
function makeRoot(name: string): string {
  const root = path.join(folder, name);
  for (const [each, specifiers] of Object.entries(BUNDLED)) {
    setVersion(root, each, '1.0.0');
    const bundle = folderOf(root, each);
    mkdirSync(bundle, { recursive: true });
    for (const specifier of specifiers) {
      writeFileSync(path.join(bundle, `${fileName(specifier)}.mjs`), '');
    }
  }
  return root;
}

function setVersion(root: string, name: string, version: string): void {
  const installed = path.join(root, 'node_modules', name);
  mkdirSync(installed, { recursive: true });
  writeFileSync(path.join(installed, 'package.json'), JSON.stringify({ version }));
}

test('whatever src imports of a bundled package is in its bundle', () => {
  const imported = new Set(
    globSync('src/**/*.ts', { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/ from '([^']+)'/g)].map(
        ([, specifier = '']) => specifier,
      ),
    ),
  );
  const ofBundled = [...imported].filter((specifier) =>
    Object.keys(BUNDLED).some((name) => specifier === name || specifier.startsWith(`${name}/`)),
  );
  expect(ofBundled.toSorted()).toEqual(SPECIFIERS.toSorted());
});

test.each(Object.keys(BUNDLED))(
  '%s has no dependencies, so its version covers its bundle',
  (name) => {
    const file = path.join(ROOT, 'node_modules', name, 'package.json');
    const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly dependencies?: object;
    };
    expect(dependencies).toEqual({});
  },
);

test.each(SPECIFIERS)('the bundle of %s exports what the package exports', async (specifier) => {
  const url = findBundles(ROOT).get(specifier) ?? '';
  const [bundle, original] = await Promise.all([
    import(/* @vite-ignore */ url) as Promise<object>,
    import(/* @vite-ignore */ specifier) as Promise<object>,
  ]);
  expect(Object.keys(bundle).toSorted()).toEqual(Object.keys(original).toSorted());
});

test('a bundle of another version than the installed one is not used', () => {
  const root = makeRoot('updated');
  expect([...findBundles(root).keys()].toSorted()).toEqual(SPECIFIERS.toSorted());
  setVersion(root, 'typebox', '1.0.1');
  expect([...findBundles(root).keys()].toSorted()).toEqual(['@opentelemetry/api', 'uuid']);
});

test('an incomplete bundle is not used', () => {
  const root = makeRoot('incomplete');
  const added = path.join(root, 'dist/bundles', 'typebox-1.0.1');
  mkdirSync(added);
  writeFileSync(path.join(added, 'typebox.mjs'), '');
  setVersion(root, 'typebox', '1.0.1');
  expect([...findBundles(root).keys()].toSorted()).toEqual(['@opentelemetry/api', 'uuid']);
});
