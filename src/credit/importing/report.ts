import { randomBytes } from 'node:crypto';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
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
  findings: AsyncIterable<readonly Finding[]>,
): Promise<string | null> {
  const reportFile = reportFileOf(file);
  // Written to a new file that is then renamed: a symbolic link in its place would otherwise choose
  // which file is overwritten.
  const unfinished = `${reportFile}.${randomBytes(6).toString('hex')}`;
  let count = 0;
  try {
    await writeFile(unfinished, 'line,field,rule,text\n', { flag: 'wx' });
    for await (const page of findings) {
      count += page.length;
      await appendFile(unfinished, page.map(lineOf).join(''));
    }
    if (count > 0) await rename(unfinished, reportFile);
    else await rm(reportFile, { force: true });
  } finally {
    await rm(unfinished, { force: true });
  }
  return count > 0 ? reportFile : null;
}

const lineOf = ({ line, field, rule, text }: Finding): string =>
  `${[String(line), field, rule, text].map(csvExportValue).join(',')}\n`;
