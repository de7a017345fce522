import module from 'node:module';
import { fileURLToPath } from 'node:url';

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

// Node keeps the source without its types, and compiled: a start takes half the CPU. An entry is only
// used for the same content of its file. Where the folder cannot be written, nothing is kept.
const FOLDER = fileURLToPath(new URL('../node_modules/.cache/malipo/compiled/', import.meta.url));
/** By then everything is loaded. Otherwise it is written at the exit, which a kill prevents. */
const WRITE_AFTER_MS = 4000;
module.enableCompileCache(FOLDER);
setTimeout(() => module.flushCompileCache(), WRITE_AFTER_MS).unref();
