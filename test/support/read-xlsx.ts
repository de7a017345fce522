import { readSheets } from '../../src/platform/base/sheet.ts';
import { readZip } from '../../src/platform/base/zip.ts';

/** The files of a zip archive as text. */
export async function unzip(archive: Buffer): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [name, read] of readZip(archive)) texts.set(name, (await read()).toString('utf8'));
  return texts;
}

/** The cells of a workbook's first sheet. Numbers as written; text as text; what is missing is empty. */
export async function readXlsx(archive: Buffer): Promise<string[][]> {
  return (await readSheets(archive))[0]?.rows.map(({ values }) => [...values]) ?? [];
}
