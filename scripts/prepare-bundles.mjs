// `npm ci` runs this: it writes the packages of `bundles.mjs` into dist/bundles, each as one file for each
// specifier. What our scripts start loads these instead of 600 small modules. An argument names another folder
// than the root of the project, with the same packages in its node_modules.
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BUNDLED, fileName, folderOf } from './bundles.mjs';

const root = path.join(import.meta.dirname, '..');
const [, , target = root] = process.argv;

/** The specifiers of a package together, so that they share the modules that several of them need. */
async function bundle(rolldown, folder, specifiers) {
  const input = Object.fromEntries(specifiers.map((each) => [fileName(each), each]));
  const built = await rolldown({ cwd: root, platform: 'node', input });
  // Under its name only when it is complete.
  const unfinished = `${folder}.unfinished`;
  await built.write({
    dir: unfinished,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared-[hash].mjs',
  });
  renameSync(unfinished, folder);
}

// Without it, as after `npm ci --omit=dev`, what was bundled before is loaded.
if (existsSync(path.join(root, 'node_modules/rolldown'))) {
  const { rolldown } = await import('rolldown');
  rmSync(path.join(target, 'dist/bundles'), { recursive: true, force: true });
  for (const [name, specifiers] of Object.entries(BUNDLED)) {
    await bundle(rolldown, folderOf(target, name), specifiers);
  }
}
