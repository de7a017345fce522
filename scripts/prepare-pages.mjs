// `npm ci` runs this: it builds the console into console/dist and the documentation into site/dist. The
// argument `console` or `site` builds only that one. Plain JavaScript, because the Node that runs npm may
// be too old for TypeScript and for the builds, which run on the project's own.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const own = path.join(root, 'node_modules/.bin/node');
const node = existsSync(own) ? own : process.execPath;

/** Without its tool, as after `npm ci --omit=dev`, what was built before is served. */
function build(folder, tool) {
  const file = path.join(root, 'node_modules', tool);
  if (!existsSync(file)) return;
  const built = spawnSync(node, [file, 'build', '--logLevel', 'warn'], {
    cwd: path.join(root, folder),
    stdio: 'inherit',
  });
  if (built.status !== 0) process.exitCode = built.status ?? 1;
}

const [, , only] = process.argv;
if (only !== 'site') build('console', 'vite/bin/vite.js');
if (only !== 'console') build('site', 'vitepress/bin/vitepress.js');
