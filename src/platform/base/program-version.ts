import { readFileSync } from 'node:fs';

/** The version of this program, as package.json has it. */
export function programVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
