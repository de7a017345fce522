import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Compressed once here, so that the service sends files as they are. */
export async function compressFiles(folder: string): Promise<void> {
  const files = await Array.fromAsync(glob('**/*.{html,js,css,json,csv,xml,sta}', { cwd: folder }));
  await Promise.all(
    files.map(async (name) => {
      const file = path.join(folder, name);
      const text = await readFile(file);
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      await writeFile(`${file}.br`, await promisify(brotliCompress)(text, { params }));
      await writeFile(`${file}.gz`, await promisify(gzip)(text));
    }),
  );
}
