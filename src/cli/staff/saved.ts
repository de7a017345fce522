import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PlainError } from '../../platform/base/plain-error.ts';
import { renameIfNew } from '../../platform/storage/folder.ts';
import type { FileAnswer } from '../../staff/forms.ts';
import type { Surroundings } from '../cli.ts';

/**
 * Writes a file where it was asked for, readable only by its owner; text by default to standard output.
 * Throws: `PlainError`, also if a check has failed.
 */
export async function saved(
  { stdout }: Surroundings,
  file: Pick<FileAnswer, 'body' | 'type' | 'hasFailed'>,
  out: string | undefined,
): Promise<undefined> {
  await write(stdout, file, out);
  if (file.hasFailed !== true) return undefined;
  throw new PlainError('A check has failed: run the command without --csv to see it.');
}

async function write(
  stdout: Surroundings['stdout'],
  { body, type }: Pick<FileAnswer, 'body' | 'type'>,
  out: string | undefined,
): Promise<void> {
  if (out !== undefined) return await writeNew(out, body);
  if (!/^(text\/|application\/json)/.test(type)) {
    body.destroy();
    throw new PlainError('It is no text: name a file.', { field: 'out' });
  }
  // Also removes the mark by which spreadsheets recognise UTF-8.
  const decoder = new TextDecoder();
  for await (const chunk of body as AsyncIterable<string | Buffer>) {
    stdout.write(decoder.decode(Buffer.from(chunk), { stream: true }));
  }
}

/** The file is complete or missing, and replaces none. Throws: `PlainError`. */
async function writeNew(file: string, body: Readable): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    await pipeline(body, createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true }));
    if (!(await renameIfNew(part, file))) throw Object.assign(new Error(), { code: 'EEXIST' });
  } catch (error) {
    const { code: problem } = error as { readonly code?: string };
    if (problem === undefined || !/^E[A-Z]+$/.test(problem)) throw error;
    throw new PlainError(`${file} cannot be written (${problem}).`, { field: 'out', cause: error });
  } finally {
    await rm(part, { force: true });
  }
}
