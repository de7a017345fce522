// `npm ci` runs this: it builds the console into console/dist. Plain JavaScript, because the Node that runs
// npm may be too old for TypeScript and for the build, which runs on the project's own.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const vite = path.join(root, 'node_modules/vite/bin/vite.js');
// Absent after `npm ci --omit=dev`: the console is then served as it was built before.
if (existsSync(vite)) {
  const own = path.join(root, 'node_modules/.bin/node');
  const node = existsSync(own) ? own : process.execPath;
  const built = spawnSync(node, [vite, 'build', '--logLevel', 'warn'], {
    cwd: path.join(root, 'console'),
    stdio: 'inherit',
  });
  process.exitCode = built.status ?? 1;
}
