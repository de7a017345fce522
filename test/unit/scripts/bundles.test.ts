import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUNDLED, CONTENTS, FOLDER, findBundles } from '../../../scripts/bundles.mjs';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const NAMES = new Set(BUNDLED.map(packageOf));

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

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

const PLACE = 'node_modules/fastify/node_modules/semver';

/** A root with made-up, empty bundles, in which is one package. */
function makeRoot(name: string): string {
  const root = path.join(folder, name);
  mkdirSync(path.join(root, FOLDER), { recursive: true });
  const files = { 'fastify.mjs': 0 };
  writeFileSync(path.join(root, FOLDER, 'fastify.mjs'), '');
  writeContents(root, { specifiers: BUNDLED, packages: { [PLACE]: '1.0.0' }, files });
  install(root, { [PLACE]: '1.0.0' });
  return root;
}

function writeContents(root: string, contents: unknown): void {
  writeFileSync(path.join(root, FOLDER, CONTENTS), JSON.stringify(contents));
}

function install(root: string, versions: Readonly<Record<string, string>>): void {
  mkdirSync(path.join(root, 'node_modules'), { recursive: true });
  const packages = Object.fromEntries(
    Object.entries(versions).map(([place, version]) => [place, { version }]),
  );
  const file = path.join(root, 'node_modules/.package-lock.json');
  writeFileSync(file, JSON.stringify({ packages }));
}

/** The output of a program that is started as our scripts start one. */
function run(...options: readonly string[]): string {
  const all = ['--import', path.join(built, 'scripts/prepare-node.mjs'), ...options];
  return execFileSync(process.execPath, all, { cwd: ROOT, encoding: 'utf8' });
}

test('whatever the service imports of a bundled package is bundled', () => {
  const imported = globSync('{src,sandbox}/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/(?:from |import\(?)'([^']+)'/g)].map(
      ([, specifier = '']) => specifier,
    ),
  );
  const ofBundled = imported.filter((specifier) => NAMES.has(packageOf(specifier)));
  expect([...new Set(ofBundled)].toSorted()).toEqual(BUNDLED.toSorted());
});

test.each(BUNDLED)('the bundle of %s has the exports of the package', async (specifier) => {
  const url = findBundles(built).get(specifier) ?? '';
  const [bundle, original] = await Promise.all([
    import(/* @vite-ignore */ url) as Promise<object>,
    import(/* @vite-ignore */ specifier) as Promise<object>,
  ]);
  expect(shapeOf(bundle)).toEqual(shapeOf(original));
});

/** Exports that Node and Vitest add to CommonJS. */
const ADDED = new Set(['module.exports', '__esModule', 'default']);

/** The types of what a module exports, by name. */
function shapeOf(module: object): object {
  const exported = Object.entries(module).filter(([name]) => !ADDED.has(name));
  return Object.fromEntries(exported.map(([name, value]) => [name, typeof value]));
}

test('the default export is that of the package', () => {
  const code = `const shapes = await Promise.all(${JSON.stringify(BUNDLED)}.map(async (each) => {
      const { default: main } = await import(each);
      return main === undefined ? [] : [[each, typeof main, Object.keys(main).sort()]];
    }));
    process.stdout.write(JSON.stringify(shapes.flat()));`;
  const options = ['--input-type=module', '-e', code];
  const plain = execFileSync(process.execPath, options, { cwd: ROOT, encoding: 'utf8' });
  expect(JSON.parse(plain)).not.toEqual([]);
  expect(JSON.parse(run(...options))).toEqual(JSON.parse(plain));
});

test('in a program that our scripts start, our code gets the bundles, and a library the packages themselves', () => {
  const code = `import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(path.join(ROOT, 'node_modules/vite/package.json'))});
    const ours = ${JSON.stringify(BUNDLED)}.map((each) => import.meta.resolve(each));
    process.stdout.write(JSON.stringify([ours, require.resolve('commander')]));`;
  const [ours, theirs] = JSON.parse(run('--input-type=module', '-e', code)) as [string[], string];
  const bundles = pathToFileURL(path.join(built, FOLDER)).href;
  expect(ours.filter((url) => !url.startsWith(`${bundles}/`))).toEqual([]);
  expect(theirs).toContain('node_modules/commander');
});

test('nothing is loaded from node_modules at a start', () => {
  const hook = path.join(folder, 'hook.mjs');
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    process.on('exit', () => process.stdout.write(JSON.stringify(urls)));`,
  );
  const entry = path.join(ROOT, 'src/run.ts');
  const code = `await import(${JSON.stringify(entry)}); process.exit();`;
  const urls = JSON.parse(run('--import', hook, '--input-type=module', '-e', code)) as string[];
  expect(urls).toContain(pathToFileURL(path.join(ROOT, 'src/service.ts')).href);
  expect(urls.filter((url) => url.includes('/node_modules/'))).toEqual([]);
});

test('bundles are used if their packages are installed as they were bundled', () => {
  const root = makeRoot('installed');
  const isUsed = (versions: Readonly<Record<string, string>>): boolean => {
    install(root, versions);
    return findBundles(root).size > 0;
  };
  expect(isUsed({ [PLACE]: '1.0.0', 'node_modules/other': '9.0.0' })).toBe(true);
  expect(isUsed({ [PLACE]: '1.0.1' })).toBe(false);
  expect(isUsed({})).toBe(false);
  // Libraries there would get it instead.
  const nearer = 'node_modules/avvio/node_modules/semver';
  expect(isUsed({ [PLACE]: '1.0.0', [nearer]: '1.0.0' })).toBe(false);
});

test.each<[string, (root: string) => void]>([
  ['are missing', (root) => rmSync(path.join(root, 'dist'), { recursive: true })],
  ['lack a file', (root) => rmSync(path.join(root, FOLDER, 'fastify.mjs'))],
  ['have another file', (root) => writeFileSync(path.join(root, FOLDER, 'fastify.mjs'), 'x')],
  ['have no readable contents', (root) => writeContents(root, null)],
  [
    'are of other specifiers',
    (root) => writeContents(root, { specifiers: ['fastify'], packages: {}, files: {} }),
  ],
  ['cannot be compared', (root) => rmSync(path.join(root, 'node_modules'), { recursive: true })],
])('bundles are not used if they %s', (what, change) => {
  const root = makeRoot(what);
  expect([...findBundles(root).keys()]).toEqual(BUNDLED);
  change(root);
  expect(findBundles(root)).toEqual(new Map());
});
