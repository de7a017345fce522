import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Extracted } from '../architecture/statement.ts';

/** The SQL statements of these folders and files: see `test/architecture/statements.ts`. */
export function extractStatements(...given: string[]): Extracted {
  const script = path.resolve(import.meta.dirname, '../architecture/statements.ts');
  const printed = execFileSync(process.execPath, ['--no-warnings', script, ...given], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(printed) as Extracted;
}
