import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { PlainError } from '../../platform/base/plain-error.ts';
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
  if (out !== undefined) {
    await pipeline(body, createWriteStream(out, { mode: 0o600, flags: 'wx' }));
    return;
  }
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
