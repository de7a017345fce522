import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { csvExportValue } from '../../platform/base/csv.ts';
import type { Finding } from './record.ts';

/** The path of a file's report: next to the file. */
export function reportFileOf(file: string): string {
  return `${file}.errors.csv`;
}

/**
 * Writes the error report next to the imported file: line, field, rule and expected value; never
 * the actual value. Without findings, an older report is removed. Returns its path, or null.
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
    [String(line), field, rule, text].map(csvExportValue).join(','),
  );
  // Written to a new file that is then renamed: a symbolic link in its place would otherwise choose
  // which file is overwritten.
  const unfinished = `${reportFile}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(unfinished, `line,field,rule,text\n${rows.join('\n')}\n`, { flag: 'wx' });
    await rename(unfinished, reportFile);
  } finally {
    await rm(unfinished, { force: true });
  }
  return reportFile;
}
