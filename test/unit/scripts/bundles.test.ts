import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** A root with made-up bundles of these specifiers, in which is one package. */
function makeRoot(name: string, { specifiers = BUNDLED, version = '1.0.0' } = {}): string {
  const root = path.join(folder, name);
  const place = 'node_modules/fastify/node_modules/semver';
  mkdirSync(path.join(root, FOLDER), { recursive: true });
  const contents = { specifiers, packages: { [place]: '1.0.0' } };
  writeFileSync(path.join(root, FOLDER, CONTENTS), JSON.stringify(contents));
  mkdirSync(path.join(root, place), { recursive: true });
  writeFileSync(path.join(root, place, 'package.json'), JSON.stringify({ version }));
  return root;
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

test.each(BUNDLED)('the bundle of %s exports what the package exports', async (specifier) => {
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

test('a program that our scripts start gets the bundles, but not the libraries themselves', () => {
  const code = `import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(path.join(ROOT, 'node_modules/vite/package.json'))});
    const ours = ${JSON.stringify(BUNDLED)}.map((each) => import.meta.resolve(each));
    process.stdout.write(JSON.stringify([ours, require.resolve('commander')]));`;
  const [ours, theirs] = JSON.parse(run('--input-type=module', '-e', code)) as [string[], string];
  const bundles = pathToFileURL(path.join(built, FOLDER)).href;
  expect(ours.filter((url) => !url.startsWith(`${bundles}/`))).toEqual([]);
  expect(theirs).toContain('node_modules/commander');
});

test('a start loads nothing from node_modules', () => {
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

test('bundles are used if they have the specifiers and the versions of this program', () => {
  expect([...findBundles(makeRoot('same')).keys()]).toEqual(BUNDLED);
  const updated = makeRoot('updated', { version: '1.0.1' });
  expect(findBundles(updated)).toEqual(new Map());
  const [, ...others] = BUNDLED;
  const older = makeRoot('older', { specifiers: others });
  expect(findBundles(older)).toEqual(new Map());
  const damaged = makeRoot('damaged');
  writeFileSync(path.join(damaged, FOLDER, CONTENTS), '{"specifiers":');
  expect(findBundles(damaged)).toEqual(new Map());
  expect(findBundles(path.join(folder, 'none'))).toEqual(new Map());
});
