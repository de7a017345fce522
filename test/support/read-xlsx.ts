import { inflateRawSync } from 'node:zlib';

/** The files of a zip archive, by its central directory. */
export function unzip(archive: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  const end = archive.lastIndexOf('PK\u0005\u0006');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [size, nameLength] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
    const local = archive.readUInt32LE(at + 42);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const isStored = archive.readUInt16LE(at + 10) === 0;
    const data = archive.subarray(start, start + size);
    files.set(name, (isStored ? data : inflateRawSync(data)).toString('utf8'));
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}

/** The cells of a workbook's sheet. Numbers as written; text as text; what is missing is empty. */
export function readXlsx(archive: Buffer): string[][] {
  const sheet = unzip(archive).get('xl/worksheets/sheet1.xml') ?? '';
  return Array.from(sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs), ([, row = '']) =>
    Array.from(row.matchAll(/<c [^>]*?(?:\/>|>(.*?)<\/c>)/gs), ([, cell = '']) =>
      cell
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&apos;', "'")
        .replaceAll('&amp;', '&'),
    ),
  );
}
