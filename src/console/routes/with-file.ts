import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** For an import, which reads a file line by line: uploaded content as a file, while `work` lasts. */
export async function withFile<Result>(
  content: string,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-upload-'));
  try {
    const file = path.join(folder, 'uploaded.csv');
    await writeFile(file, content, { mode: 0o600 });
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
