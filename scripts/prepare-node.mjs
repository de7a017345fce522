import module from 'node:module';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import { findBundles } from './bundles.mjs';

// Preloaded by the npm scripts. Plain JavaScript, so that a Node too old to run TypeScript can say so.
const NEEDED = [24, 7];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `Malipo needs Node.js ${NEEDED.join('.')} or newer; this is ${process.versions.node}.\n` +
      'On Linux `npm ci` installs Node.js 24 in the project, and `npm start` runs on it.\n',
  );
  process.exit(1);
}

// The large built-in modules that a start needs. Node contains them in compiled form, which V8 uses only under the
// flags of Node's own build, so they are loaded before a flag is set: that saves 50 ms of CPU.
const LARGE = ['child_process', 'crypto', 'dgram', 'dns', 'fs/promises', 'http2', 'https', 'zlib'];
for (const name of LARGE) process.getBuiltinModule(`node:${name}`);

// If the first objects that a line of code made lived long, as at a start, V8 allocates later ones directly in
// the old generation. There, dead objects keep others alive until the next full collection. Under load this
// made pauses for the young generation three times as long, and full collections three times as frequent.
v8.setFlagsFromString('--no-allocation-site-pretenuring');

// The start of a server runs hardly any function often enough for V8's compilers to pay off. A command may compute
// for minutes without a turn of the event loop, so it has them from the beginning.
const COMPILERS = ['sparkplug', 'maglev', 'turbofan'];
const START_MS = 1500;
if (process.argv[1]?.endsWith('/src/main.ts')) {
  for (const compiler of COMPILERS) v8.setFlagsFromString(`--no-${compiler}`);
  setTimeout(() => {
    for (const compiler of COMPILERS) v8.setFlagsFromString(`--${compiler}`);
  }, START_MS).unref();
}

// Node caches the source without its types, in compiled form: a start takes half the CPU. An entry is used
// only for the same content of its file. If the folder cannot be written, nothing is cached.
const FOLDER = fileURLToPath(new URL('../node_modules/.cache/malipo/compiled/', import.meta.url));
/** By then everything is loaded. Without this the cache would be written at exit, which a kill prevents. */
const WRITE_AFTER_MS = 4000;
module.enableCompileCache(FOLDER);
setTimeout(() => module.flushCompileCache(), WRITE_AFTER_MS).unref();

// The server loads a thousand small modules, and half of that time would be spent on finding them. Our code gets
// its libraries from few files; a relative address with one of these endings needs no search.
const FORMATS = { '.mjs': 'module', '.ts': 'module-typescript' };
const bundles = findBundles(fileURLToPath(new URL('..', import.meta.url)));
module.registerHooks({
  resolve: (specifier, context, next) => {
    const bundled = bundles.get(specifier);
    if (bundled !== undefined && !isLibrary(context.parentURL)) {
      return { url: bundled, format: 'module', shortCircuit: true };
    }
    const format = specifier.startsWith('.')
      ? FORMATS[specifier.slice(specifier.lastIndexOf('.'))]
      : undefined;
    if (format === undefined || context.parentURL === undefined) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true };
  },
});

/** A library that is not bundled may need another version. */
function isLibrary(url) {
  return url?.includes('/node_modules/') === true;
}
