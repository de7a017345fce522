import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PlainError } from '../../platform/base/plain-error.ts';
import { readJson } from '../../platform/base/json.ts';

/** Where a service is, and the token for it. */
export interface Profile {
  readonly url: string;
  readonly token: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The service to ask: MALIPO_URL with MALIPO_TOKEN, or what `malipo login` kept. Undefined: the database of this
 * machine. A database that is named explicitly counts before the kept profile.
 * Throws: `PlainError`.
 */
export function profileOf(environment: Environment): Profile | undefined {
  const { MALIPO_URL: url = '', MALIPO_TOKEN: token = '' } = environment;
  if (url !== '' && token !== '') return { url: plainUrl(url), token };
  const hasDatabase =
    environment['DATABASE_URL'] !== undefined || environment['DATA_DIR'] !== undefined;
  if (url === '' && hasDatabase) return undefined;
  const kept = keptProfile(environment);
  if (url === '' || kept?.url === plainUrl(url)) return kept;
  throw new PlainError('MALIPO_URL is set, and MALIPO_TOKEN is not. Set it, or run malipo login.');
}

/** Without a slash at the end. Throws: `PlainError`. */
export function plainUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') {
    throw new PlainError(
      'MALIPO_URL must be the address of a service, such as https://pay.example.com.',
    );
  }
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLocal) {
    throw new PlainError(
      'MALIPO_URL must begin with https: unless it is this machine: others could read the token.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** Undefined: whoever runs the command has no home, as in a container. */
function fileOf({ XDG_CONFIG_HOME: config, HOME: home }: Environment): string | undefined {
  const folder = config ?? (home === undefined ? undefined : path.join(home, '.config'));
  return folder === undefined ? undefined : path.join(folder, 'malipo', 'profile.json');
}

/** Throws: `PlainError` if others could read the file. */
function keptProfile(environment: Environment): Profile | undefined {
  const file = fileOf(environment);
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file === undefined || found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) {
    throw new PlainError(
      `${file} can be read by others. Run chmod 600 ${file}, or malipo login again.`,
    );
  }
  const { url, token } = readJson(readFileSync(file, 'utf8')) as Partial<Profile>;
  return typeof url === 'string' && typeof token === 'string' ? { url, token } : undefined;
}

/** Returns the file, which only its owner can read. */
export function keepProfile(environment: Environment, profile: Profile): string {
  const file = fileOf(environment);
  if (file === undefined) throw new PlainError('There is no home to keep the token in: set HOME.');
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  // The mode of a file that exists would stay.
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(profile)}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

export function forgetProfile(environment: Environment): void {
  const file = fileOf(environment);
  if (file !== undefined) rmSync(file, { force: true });
}
