import { rm, writeFile } from 'node:fs/promises';
import type { Finding } from './record.ts';

/** Where the report of a file is written: beside it. */
export function reportFileOf(file: string): string {
  return `${file}.errors.csv`;
}

/**
 * Writes the error report beside the imported file: line, field, rule and what is expected; never a
 * value. Without findings an older report is removed. Returns its path, or null.
 */
export async function writeReport(
  file: string,
  findings: readonly Finding[],
): Promise<string | null> {
  const reportFile = reportFileOf(file);
  if (findings.length === 0) {
    await rm(reportFile, { force: true });
    return null;
  }
  const rows = findings.map(({ line, field, rule, text }) =>
    [String(line), field, rule, `"${text.replaceAll('"', '""')}"`].join(','),
  );
  await writeFile(reportFile, `line,field,rule,text\n${rows.join('\n')}\n`);
  return reportFile;
}
