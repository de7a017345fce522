import { readFile } from 'node:fs/promises';
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
