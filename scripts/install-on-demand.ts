import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Installs what the package.json of this folder names, unless it is there. For what few people run, so that
 * `npm ci` stays small.
 */
export async function installOnDemand(folder: string): Promise<void> {
  if (existsSync(path.join(folder, 'node_modules'))) return;
  process.stderr.write(`Installing the packages of ${path.relative(process.cwd(), folder)} …\n`);
  await promisify(execFile)('npm', ['ci'], { cwd: folder });
}
