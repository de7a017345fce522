import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { readJson } from '../../platform/base/json.ts';
import { PlainError } from '../../platform/base/plain-error.ts';

/**
 * Adds `name=value` to the settings read so far: numbers and null as such, everything else as text.
 */
export function readSetting(
  text: string,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const [, name = '', value = ''] = /^([a-z0-9_]{1,60})=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('It must be name=value.');
  return { ...settings, [name]: readValue(value) };
}

function readValue(text: string): unknown {
  if (text === '') return undefined;
  if (text === 'null') return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

const MAX_KEY_LENGTH = 16_384;

/** The first line of the input. What follows stays for whoever signs in. */
export async function readFirstLine(stdin: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes('\n') || text.length > MAX_KEY_LENGTH) break;
  }
  const [first = '', ...rest] = text.split('\n');
  if (rest.length > 0 && !stdin.readableEnded) stdin.unshift(rest.join('\n'));
  return first.trim();
}

/** Throws: `PlainError` naming the file. */
export async function readSettingsFile(
  file: string | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  if (file === undefined) return {};
  try {
    const parsed: unknown = readJson(await readFile(file, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return parsed as Readonly<Record<string, unknown>>;
    }
  } catch (error) {
    throw new PlainError(`${file}: ${(error as Error).message}`, { cause: error });
  }
  throw new PlainError(`${file} must be a JSON object.`);
}
