import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Installs what the package.json of this folder names, unless it is there in these versions. For what few people run,
 * so that `npm ci` stays small.
 */
export async function installOnDemand(folder: string): Promise<void> {
  if (isInstalled(folder)) return;
  process.stderr.write(`Installing the packages of ${path.relative(process.cwd(), folder)} …\n`);
  await promisify(execFile)('npm', ['ci'], { cwd: folder });
}

function isInstalled(folder: string): boolean {
  const { dependencies = {} } = readPackage(folder);
  try {
    return Object.entries(dependencies).every(
      ([name, version]) => readPackage(path.join(folder, 'node_modules', name)).version === version,
    );
  } catch {
    return false;
  }
}

interface Package {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readPackage(folder: string): Package {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Package;
}
