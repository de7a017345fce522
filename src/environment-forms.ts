// The values that environment variables may have, and how they are read.

import { isIP } from 'node:net';
import path from 'node:path';
import { readHosts } from './platform/db/hosts.ts';
import { isBucketAddress, readBucketAddress } from './platform/storage/open.ts';

export const ROLES = ['api', 'dispatcher', 'jobs'] as const;
export type Role = (typeof ROLES)[number];

/** Which values a variable may have, and how they are read. */
export interface Form<Value> {
  /** In words, as the end of a sentence. */
  readonly allowed: string;
  /** Undefined for a text that is not allowed. */
  readonly read: (text: string) => Value | undefined;
}

export const text: Form<string> = { allowed: 'any text', read: (value) => value };

/** Below `/proc`, Node.js never stops trying to create a folder. */
export const folder: Form<string> = {
  allowed: 'a folder that is not below /proc or /sys',
  read: (value) => (/^\/(proc|sys)(\/|$)/.test(path.resolve(value)) ? undefined : value),
};
export const port = wholeNumber(0, 65_535, 'a port number');
export const key: Form<Buffer> = {
  allowed: '32 random bytes in base64, as `openssl rand -base64 32` prints them',
  read: readKey,
};
export const httpUrl: Form<string> = {
  allowed: 'a URL with http or https, such as https://pay.example',
  read: (value) =>
    /^https?:\/\/[^/]+(\/.*)?$/.test(value) && URL.canParse(value) ? value : undefined,
};
/** To which paths are added. */
export const baseUrl: Form<string> = {
  allowed: httpUrl.allowed,
  read: (value) => {
    const url = value.replace(/\/+$/, '');
    // URLs are made from it, and many proxies merge slashes.
    return /[?#]|[^:/]\/\//.test(url) ? undefined : httpUrl.read(url);
  },
};
/** Place of files outside the database. */
export const place: Form<string> = {
  allowed: 'a folder, or s3://bucket/prefix',
  read: (value) =>
    isBucketAddress(value) && readBucketAddress(value) === undefined ? undefined : value,
};
export const databaseUrl: Form<string> = {
  allowed:
    'a URL such as postgresql://user:password@host/database, with target_session_attrs any, read-write or primary; in the password, / ? # are written %2F %3F %23',
  read: (value) => (readHosts(value) === undefined ? undefined : value),
};
export const pathPrefix: Form<string> = pattern(
  /^(\/[A-Za-z0-9._~-]+)*$/,
  'a path such as /bills, without a slash at the end',
);

export const consolePath: Form<string> = pattern(
  /^(\/[A-Za-z0-9._~-]+)+$/,
  'a path such as /console, without a slash at the end',
);

export function pattern(wanted: RegExp, allowed: string): Form<string> {
  return { allowed, read: (value) => (wanted.test(value) ? value : undefined) };
}

export function wholeNumber(min: number, max = 999_999_999, name = 'a whole number'): Form<number> {
  return {
    allowed: `${name} from ${min} to ${max}`,
    read: (value) => {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** A hundred years: the day that long ago has to be one that dates can express. */
export const retentionDays = wholeNumber(0, 36_500);

export function oneOf<const Value extends string>(values: readonly Value[]): Form<Value> {
  return {
    allowed: values.join(', '),
    read: (value) => values.find((known) => known === value),
  };
}

export function readRoles(value: string): ReadonlySet<Role> | undefined {
  const names = value.split(',').map((name) => name.trim());
  const known = names.filter((name): name is Role => (ROLES as readonly string[]).includes(name));
  return known.length === names.length ? new Set(known) : undefined;
}

/**
 * The usual name of a zone; `US/Eastern` is `America/New_York`. Abbreviations and offsets are not names:
 * `IST` is three zones, and PostgreSQL reads `+03:00` in the other direction.
 */
export function readTimeZone(value: string): string | undefined {
  if (!value.includes('/') && !['GMT', 'UTC'].includes(value)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

export const networks: Form<readonly string[]> = {
  allowed: 'a comma-separated list of IP addresses and networks, such as 10.0.0.0/8',
  read: (value) => {
    const names = value.split(',').flatMap((name) => name.trim() || []);
    return names.every(isNetwork) ? names : undefined;
  },
};

function isNetwork(network: string): boolean {
  const [address = '', bits, more] = network.split('/');
  const max = isIP(address) === 6 ? 128 : 32;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
  return isIP(address) !== 0 && isPrefix && more === undefined;
}

export function isSafeUrl(value: string): boolean {
  if (httpUrl.read(value) === undefined) return false;
  const local = ['127.0.0.1', '[::1]', 'localhost'].includes(URL.parse(value)?.hostname ?? '');
  return value.startsWith('https:') || local;
}

function readKey(value: string): Buffer | undefined {
  const bytes = Buffer.from(value, 'base64');
  if (!/^[A-Za-z0-9+/]{43}=$/.test(value) || bytes.length !== 32) return undefined;
  // 32 random bytes have about 30 distinct values; far fewer means a typed or repeated key.
  return new Set(bytes).size < 16 ? undefined : bytes;
}

const SHOWN_CHARACTERS = 100;

/** On one line, without a password in a URL. */
export function shownValue(value: string): string {
  const shown = value.replace(/\/\/[^/@]*@/, '//***@').slice(0, SHOWN_CHARACTERS);
  return `“${shown.replaceAll(/\p{C}/gu, '\ufffd')}”${value.length > SHOWN_CHARACTERS ? '…' : ''}`;
}
