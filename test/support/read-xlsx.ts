import { readSheets } from '../../src/platform/base/sheet.ts';
import { readZip } from '../../src/platform/base/zip.ts';

/** The files of a zip archive as text. */
export function unzip(archive: Buffer): Map<string, string> {
  return new Map([...readZip(archive)].map(([name, read]) => [name, read().toString('utf8')]));
}

/** The cells of a workbook's first sheet. Numbers as written; text as text; what is missing is empty. */
export function readXlsx(archive: Buffer): string[][] {
  return readSheets(archive)[0]?.rows.map(({ values }) => [...values]) ?? [];
}
