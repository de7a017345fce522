import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync, watch } from 'node:fs';
import path from 'node:path';
import pretty from 'pino-pretty';
import { readConfig } from '../src/config.ts';
import { NODE_OPTIONS } from './node-options.ts';

/**
 * `npm run dev`: the sandbox, started again whenever a file changes that it has loaded, with a log for people from
 * the level `info` on, and beside it the console and the documentation from their sources, which a browser loads
 * again by itself.
 * `--providers` goes to the sandbox, any other option, such as `--inspect`, to the Node that runs it.
 */

const ROOT = path.join(import.meta.dirname, '..');
const [forSandbox, forNode] = [true, false].map((wanted) =>
  process.argv.slice(2).filter((option) => (option === '--providers') === wanted),
) as [string[], string[]];
const serviceUrl = `http://127.0.0.1:${readConfig('sandbox').port}`;

const sandbox = start('.', [
  ...['--watch', '--watch-preserve-output', ...forNode, ...NODE_OPTIONS],
  ...['src/main.ts', 'sandbox', ...forSandbox],
]);
sandbox.stderr?.pipe(
  pretty({
    ignore: 'pid,hostname,host,roles,version',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
  }),
);
// Node watches what it imports. SQL functions are read, by `src/schema.ts`.
const sources = watch(path.join(ROOT, 'src'), { recursive: true }, (_event, file) => {
  const now = new Date();
  if (file?.endsWith('.sql')) utimesSync(path.join(ROOT, 'src/schema.ts'), now, now);
});
const pages = [
  start('console', [path.join(ROOT, 'node_modules/vite/bin/vite.js'), '--clearScreen', 'false']),
  start('site', [
    path.join(ROOT, 'node_modules/vitepress/bin/vitepress.js'),
    '--base',
    '/docs/',
    '--port',
    '5174',
  ]),
];
for (const child of pages) child.stderr?.pipe(process.stderr);

// Ctrl-C reaches all of them. The sandbox ends its database first.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => sandbox.kill());
await once(sandbox, 'exit');
sources.close();
for (const child of pages) child.kill();

function start(folder: string, command: readonly string[]): ChildProcess {
  return spawn(process.execPath, command, {
    cwd: path.join(ROOT, folder),
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { LOG_LEVEL: 'info', ...process.env, SERVICE_URL: serviceUrl },
  });
}
