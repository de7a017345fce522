import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { FileAnswer } from '../../staff/forms.ts';
import type { Surroundings } from '../cli.ts';

/** Writes a file where it was asked for, readable only by its owner; text by default to standard output. */
export async function saved(
  { stdout }: Surroundings,
  { body, type }: Pick<FileAnswer, 'body' | 'type'>,
  file: string | undefined,
): Promise<undefined> {
  if (file !== undefined) {
    await pipeline(body, createWriteStream(file, { mode: 0o600, flags: 'wx' }));
    return undefined;
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
  return undefined;
}
