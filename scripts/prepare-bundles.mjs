// `npm ci` runs this: it writes the libraries of `bundles.mjs` into dist/bundles, each specifier as one file.
// What our scripts start loads these instead of a thousand small modules. An argument names another folder than the
// root of the project, for the result.
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BUNDLED, CONTENTS, FOLDER, fileName, installedVersions } from './bundles.mjs';

const root = path.join(import.meta.dirname, '..');
const [, , target = root] = process.argv;
const ENTRY = 'entry:';
/** An installation without optional packages lacks it. `pg` loads it only on Cloudflare. */
const OPTIONAL = ['pg-cloudflare'];

/** Modules that export by name what a specifier exports: bundled CommonJS has only a default export. */
const entries = {
  name: 'entries',
  resolveId(id, importer) {
    if (id.startsWith(ENTRY)) return id;
    // As our own code imports it.
    return importer?.startsWith(ENTRY)
      ? this.resolve(id, path.join(root, 'src/main.ts'))
      : undefined;
  },
  async load(id) {
    if (!id.startsWith(ENTRY)) return undefined;
    const specifier = specifierOf(id);
    const names = Object.keys(await import(specifier)).filter((name) => name !== 'module.exports');
    return `export { ${names.join(', ')} } from '${specifier}';`;
  },
};

/** The ending makes Rolldown import CommonJS as Node does. */
function entryFor(specifier) {
  return `${ENTRY}${specifier}.mjs`;
}

function specifierOf(id) {
  return id.slice(ENTRY.length, -'.mjs'.length);
}

/** The names of the packages of which these files contain something. */
function namesIn(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const nameIn = (id) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
  return new Set(modules.map(nameIn).filter((name) => name !== undefined));
}

// Without it, as after `npm ci --omit=dev`, what was bundled before is loaded.
if (existsSync(path.join(root, 'node_modules/rolldown'))) {
  const { rolldown } = await import('rolldown');
  const input = Object.fromEntries(BUNDLED.map((each) => [fileName(each), entryFor(each)]));
  const built = await rolldown({
    cwd: root,
    platform: 'node',
    input,
    external: OPTIONAL,
    plugins: [entries],
  });
  const folder = path.join(target, FOLDER);
  // Under its name only when it is complete.
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const { output } = await built.write({
    dir: unfinished,
    format: 'esm',
    entryFileNames: '[name]',
    chunkFileNames: 'shared-[hash].mjs',
  });
  const contents = {
    specifiers: BUNDLED,
    packages: installedVersions(root, namesIn(output)),
    files: Object.fromEntries(
      output.map((file) => [file.fileName, statSync(path.join(unfinished, file.fileName)).size]),
    ),
  };
  writeFileSync(path.join(unfinished, CONTENTS), `${JSON.stringify(contents, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
}
