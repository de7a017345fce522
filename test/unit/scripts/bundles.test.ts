import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUNDLED, fileName, findBundles, folderOf } from '../../../scripts/bundles.mjs';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const NAMES = Object.keys(BUNDLED);
const SPECIFIERS = Object.values(BUNDLED).flat();

let folder: string;
/** A root with the packages that are installed here, and their bundles. */
let built: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  built = path.join(folder, 'built');
  mkdirSync(built);
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(built, 'node_modules'));
  cpSync(path.join(ROOT, 'scripts'), path.join(built, 'scripts'), { recursive: true });
  execFileSync(process.execPath, ['scripts/prepare-bundles.mjs', built], { cwd: ROOT });
}, 60_000);
afterAll(async () => {
  await removeFolder(folder);
});

/** A root with made-up bundles of these versions. */
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

test('whatever the service imports of a bundled package is in its bundle', () => {
  const imported = globSync('{src,sandbox}/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/(?:from |import\(?)'([^']+)'/g)].map(
      ([, specifier = '']) => specifier,
    ),
  );
  const ofBundled = imported.filter((specifier) =>
    NAMES.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
  );
  expect([...new Set(ofBundled)].toSorted()).toEqual(SPECIFIERS.toSorted());
});

test.each(NAMES)('%s has no dependencies, so its version covers its bundle', (name) => {
  const file = path.join(ROOT, 'node_modules', name, 'package.json');
  const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly dependencies?: object;
  };
  expect(dependencies).toEqual({});
});

test.each(NAMES)('no library has a %s of its own, which would not be loaded', (name) => {
  const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: object;
  };
  const places = Object.keys(lock.packages).filter((place) =>
    place.endsWith(`node_modules/${name}`),
  );
  expect(places).toEqual([`node_modules/${name}`]);
});

test.each(SPECIFIERS)('the bundle of %s exports what the package exports', async (specifier) => {
  const url = findBundles(built).get(specifier) ?? '';
  const [bundle, original] = await Promise.all([
    import(/* @vite-ignore */ url) as Promise<object>,
    import(/* @vite-ignore */ specifier) as Promise<object>,
  ]);
  expect(Object.keys(bundle).toSorted()).toEqual(Object.keys(original).toSorted());
});

test.each(SPECIFIERS)('a program that our scripts start loads the bundle of %s', (specifier) => {
  const script = `process.stdout.write(import.meta.resolve(${JSON.stringify(specifier)}))`;
  const options = ['--import', './scripts/prepare-node.mjs', '--input-type=module', '-e', script];
  const url = execFileSync(process.execPath, options, { cwd: built, encoding: 'utf8' });
  expect(url).toContain(pathToFileURL(path.join(built, 'dist/bundles')).href);
});

test('a bundle of another version than the installed one is not used', () => {
  const root = makeRoot('updated');
  expect([...findBundles(root).keys()].toSorted()).toEqual(SPECIFIERS.toSorted());
  setVersion(root, 'typebox', '1.0.1');
  expect([...findBundles(root).keys()].toSorted()).toEqual(['@opentelemetry/api', 'uuid']);
});

test('a bundle without a specifier that was added later is not used', () => {
  const root = makeRoot('incomplete');
  setVersion(root, 'typebox', '1.0.1');
  mkdirSync(folderOf(root, 'typebox'));
  writeFileSync(path.join(folderOf(root, 'typebox'), 'typebox.mjs'), '');
  expect([...findBundles(root).keys()].toSorted()).toEqual(['@opentelemetry/api', 'uuid']);
});
