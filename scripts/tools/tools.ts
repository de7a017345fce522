import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { installOnDemand } from '../install-on-demand.ts';

/** Installs the linters and the formatter, unless they are there. */
export async function installTools(): Promise<void> {
  await installOnDemand(import.meta.dirname);
}

/** The environment in which they are found, also by one another. */
export function withTools(): Record<string, string> {
  const bin = path.join(import.meta.dirname, 'node_modules/.bin');
  const { PATH = '' } = process.env;
  return { ...(process.env as Record<string, string>), PATH: `${bin}${path.delimiter}${PATH}` };
}

/** Runs one of them, after installing them, to its end. Returns its exit code. */
export async function runTool(command: string, args: readonly string[]): Promise<number> {
  await installTools();
  return spawnSync(command, args, { stdio: 'inherit', env: withTools() }).status ?? 1;
}
