import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';
import { VARIABLES } from '../../src/environment.ts';
import type { Mode, Variable } from '../../src/environment.ts';

// Thirty-two different bytes; not a real key.
const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 3)).toString('base64');

function problemsOf(source: Record<string, string>, mode: Mode = 'sandbox'): readonly string[] {
  try {
    readConfig(mode, source);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** The names of the variables that are reported as invalid. */
function complaints(source: Record<string, string>, mode: Mode = 'sandbox'): string[] {
  return problemsOf(source, mode).map((line) => line.split(':')[0] ?? '');
}

describe('the configuration', () => {
  test.each(['/proc/malipo', '/proc', '/srv/../sys/x'])('keeps no data in %s', (place) => {
    expect(complaints({ DATA_DIR: place })).toEqual(['DATA_DIR']);
  });

  test('the sandbox needs no variables', () => {
    expect(readConfig('sandbox', {})).toMatchObject({
      mode: 'sandbox',
      port: 8080,
      operatorPort: 8081,
      host: '127.0.0.1',
      dataDir: path.resolve('.data'),
      databaseUrl: undefined,
      databaseOwnerUrl: undefined,
      requireRuntimeRole: false,
      basePath: '',
      billingPath: '',
      scoringPath: '',
      publicUrl: 'http://127.0.0.1:8080',
      roles: new Set(['api', 'dispatcher', 'jobs']),
      masterKey: undefined,
      timeZone: 'Africa/Nairobi',
      breakerFailures: 20,
    });
  });

  test('production needs a master key, and no more', () => {
    expect(complaints({}, 'production')).toEqual(['MASTER_KEY']);
    expect(complaints({ MASTER_KEY: '' }, 'production')).toEqual(['MASTER_KEY']);
    const config = readConfig('production', { MASTER_KEY: KEY });
    expect(config.masterKey?.toString('base64')).toBe(KEY);
    expect(config.logLevel).toBe('info');
  });

  test('reads set variables, and treats empty ones as absent', () => {
    expect(
      readConfig('sandbox', {
        PORT: '9000',
        HOST: '0.0.0.0',
        DATA_DIR: '/var/lib/malipo',
        DATABASE_URL: 'postgresql://db.example/malipo',
        BASE_PATH: '/one/two',
        BILLING_PATH: '',
        ROLES: 'api, jobs',
        LOG_LEVEL: 'debug',
        MASTER_KEY: KEY,
        TIME_ZONE: 'UTC',
      }),
    ).toMatchObject({
      port: 9000,
      operatorPort: 9001,
      host: '0.0.0.0',
      dataDir: '/var/lib/malipo',
      databaseUrl: 'postgresql://db.example/malipo',
      databaseOwnerUrl: undefined,
      requireRuntimeRole: false,
      basePath: '/one/two',
      billingPath: '',
      roles: new Set(['api', 'jobs']),
      logLevel: 'debug',
      timeZone: 'UTC',
    });
  });

  test.each(['http', '123456', '65536', '-1', '1.5'])(
    'reports a bad port once, without the one derived from it: %s',
    (port) => {
      expect(problemsOf({ PORT: port })).toEqual([
        `PORT: “${port}” is not valid. Allowed: a port number from 0 to 65535.`,
      ]);
    },
  );

  test('the sandbox needs a port for the operators', () => {
    expect(problemsOf({ PORT: '65535' })).toEqual(['OPERATOR_PORT: required when PORT is 65535.']);
  });

  test('the sandbox lets the operators have any free port, too', () => {
    expect(readConfig('sandbox', { PORT: '0' }).operatorPort).toBe(0);
    expect(readConfig('sandbox', { PORT: '0', OPERATOR_PORT: '9001' }).operatorPort).toBe(9_001);
  });

  test('has another port for metrics', () => {
    expect(readConfig('sandbox', { METRICS_PORT: '9090' }).metricsPort).toBe(9090);
    expect(problemsOf({ METRICS_PORT: '8080' })).toEqual([
      'METRICS_PORT: “8080” is PORT. Allowed: another port.',
    ]);
  });

  test('archives the write-ahead log of the embedded database only', () => {
    expect(readConfig('sandbox', { WAL_ARCHIVE: '/mnt/wal' }).walArchive).toBe('/mnt/wal');
    expect(problemsOf({ WAL_ARCHIVE: '/mnt/wal', DATABASE_URL: 'postgres://db/malipo' })).toEqual([
      'WAL_ARCHIVE: is for the embedded database; archive that of DATABASE_URL itself.',
    ]);
  });

  test('has a public URL to which paths are added', () => {
    const of = (source: Record<string, string>): string => readConfig('sandbox', source).publicUrl;
    expect(of({ PUBLIC_URL: 'https://pay.example/' })).toBe('https://pay.example');
    expect(of({ PUBLIC_URL: 'https://pay.example/bills/' })).toBe('https://pay.example/bills');
    // To listen on all addresses, of IPv4 and IPv6.
    expect(of({ HOST: '::' })).toBe('http://[::]:8080');
    for (const wrong of [
      'https://pay.example//bills',
      'https://[pay.example',
      'https://pay example',
      'https://pay.example/?a=b',
    ]) {
      expect(complaints({ PUBLIC_URL: wrong })).toEqual(['PUBLIC_URL']);
    }
  });

  test('production may listen at the last port', () => {
    expect(readConfig('production', { MASTER_KEY: KEY, PORT: '65535' }).port).toBe(65_535);
  });

  test('names every mistake at once', () => {
    expect(
      complaints(
        {
          PORT: '99999',
          DATABASE_URL: 'mysql://db.example/malipo',
          BASE_PATH: 'no-slash',
          ROLES: 'api,cleaner',
          LOG_LEVEL: 'loud',
          MASTER_KEY: 'short',
          MASTER_KEY_PREVIOUS: 'short, too',
          TIME_ZONE: 'Africa/Atlantis',
          FUND_WINDOW_SECONDS: '-1',
          BREAKER_FAILURES: 'many',
        },
        'production',
      ).toSorted((one, other) => one.localeCompare(other)),
    ).toEqual([
      'BASE_PATH',
      'BREAKER_FAILURES',
      'DATABASE_URL',
      'FUND_WINDOW_SECONDS',
      'LOG_LEVEL',
      'MASTER_KEY',
      'MASTER_KEY_PREVIOUS',
      'PORT',
      'ROLES',
      'TIME_ZONE',
    ]);
  });

  test('shows the value and what is allowed, on one line and without a password', () => {
    expect(
      problemsOf({
        ROLES: 'api,cleaner',
        LOG_LEVEL: 'loud',
        TRUSTED_PROXIES: '10.0.0.0/8/8',
        PUBLIC_URL: 'ftp://u:hunter2@pay.example\nPORT: fine',
        DATA_DIR: 'data',
        TIME_ZONE: 'x'.repeat(200),
      }),
    ).toEqual([
      'PUBLIC_URL: “ftp://***@pay.example\ufffdPORT: fine” is not valid. Allowed: a URL with http or https, such as https://pay.example.',
      'ROLES: “api,cleaner” is not valid. Allowed: a comma-separated list of api, dispatcher, jobs.',
      'LOG_LEVEL: “loud” is not valid. Allowed: fatal, error, warn, info, debug, trace, silent.',
      `TIME_ZONE: “${'x'.repeat(100)}”… is not valid. Allowed: an IANA time zone, such as Africa/Nairobi, or UTC.`,
      'TRUSTED_PROXIES: “10.0.0.0/8/8” is not valid. Allowed: a comma-separated list of IP addresses and networks, such as 10.0.0.0/8.',
    ]);
  });

  test.each(['+03:00', '+03', '-0330'])('refuses the offset %s as a time zone', (offset) => {
    // PostgreSQL reads it as POSIX does, in the other direction: reports by day would have other days.
    expect(complaints({ TIME_ZONE: offset })).toEqual(['TIME_ZONE']);
  });

  test.each(['EAT', 'IST', 'BST', 'CET', 'PST8PDT', 'GMT+3', 'UTC+3', 'Z'])(
    'refuses the abbreviation %s as a time zone',
    (name) => {
      // Node and PostgreSQL mean different zones by some: `BST` is in Asia for one, in Europe for the other.
      expect(complaints({ TIME_ZONE: name })).toEqual(['TIME_ZONE']);
    },
  );

  test.each([
    ['US/Eastern', 'America/New_York'],
    ['africa/nairobi', 'Africa/Nairobi'],
    ['Etc/GMT+3', 'Etc/GMT+3'],
    ['UTC', 'UTC'],
  ])('reads the time zone %s as %s', (name, zone) => {
    expect(VARIABLES.TIME_ZONE.form.read(name)).toBe(zone);
  });

  test.each(Object.entries<Variable>(VARIABLES))(
    'reports an invalid %s with all details',
    (name, variable) => {
      const bad = 'bad\u0000value';
      if (variable.form.read(bad) !== undefined) return;
      const [problem = '', ...more] = problemsOf({ [name]: bad });
      expect(more).toEqual([]);
      expect(problem).toContain(`${name}: `);
      expect(problem).toContain(variable.form.allowed);
      expect(problem.includes('bad\ufffdvalue')).toBe(variable.secret !== true);
    },
  );

  test.each([
    ['LANE_CONNECTIONS', '0', '1'],
    ['BREAKER_FAILURES', '0', '1'],
    ['DATABASE_POOL_SIZE', '0', '2'],
    // One connection listens, and no other would be left.
    ['DATABASE_POOL_SIZE', '1', '2'],
  ])('refuses %s=%s: at least %s', (name, value, least) => {
    expect(problemsOf({ [name]: value })).toEqual([
      `${name}: “${value}” is not valid. Allowed: a whole number from ${least} to 999999999.`,
    ]);
  });

  test('refuses to count days that begin before any date', () => {
    const days = { CREDIT_RETENTION_DAYS: '999999999', CREDIT_ENQUIRY_RETENTION_DAYS: '9999999' };
    expect(complaints(days)).toEqual(Object.keys(days));
  });

  test('repeats no secret in its messages', () => {
    const weak = Buffer.alloc(32, 'a').toString('base64');
    const text = problemsOf({ MASTER_KEY: weak, DATABASE_URL: 'mysql://u:hunter2@db/x' }).join();
    expect(text).not.toContain(weak);
    expect(text).not.toContain('hunter2');
  });

  test.each([
    ['all bytes equal', Buffer.alloc(32, 7).toString('base64')],
    ['a few bytes repeated', Buffer.from('abcdabcdabcdabcdabcdabcdabcdabcd').toString('base64')],
    ['too short', Buffer.from(KEY, 'base64').subarray(0, 31).toString('base64')],
    ['too long', Buffer.concat([Buffer.from(KEY, 'base64'), Buffer.of(1)]).toString('base64')],
    ['hexadecimal', Buffer.from(KEY, 'base64').toString('hex')],
    ['with a line end', `${KEY}\n`],
    ['in another alphabet', KEY.replaceAll('+', '-').replaceAll('/', '_').replace('=', '')],
  ])('refuses a master key that is weak or malformed: %s', (_, key) => {
    expect(complaints({ MASTER_KEY: key })).toEqual(['MASTER_KEY']);
    expect(complaints({ MASTER_KEY: KEY, MASTER_KEY_PREVIOUS: key })).toEqual([
      'MASTER_KEY_PREVIOUS',
    ]);
  });

  test('cannot be changed', () => {
    const config = readConfig('sandbox', {});
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  });

  test.each(Object.entries<Variable>(VARIABLES))(
    'describes %s, and takes its default',
    (_, variable) => {
      expect(variable.description.length).toBeGreaterThan(10);
      const { default: fallback = [] } = variable;
      for (const value of typeof fallback === 'string' ? [fallback] : Object.values(fallback)) {
        expect(variable.form.read(value)).toBeDefined();
      }
    },
  );

  test('Metropol needs its keys and https, and private addresses only when allowed', () => {
    const metropol = {
      CREDIT_BUREAU: 'metropol',
      METROPOL_URL: 'https://bureau.example:5555/v2_1',
      METROPOL_PUBLIC_KEY: 'public',
      METROPOL_PRIVATE_KEY: 'private',
    };
    expect(readConfig('sandbox', metropol).metropol).toMatchObject({
      allowsPrivateAddresses: false,
    });
    const allowed = { ...metropol, METROPOL_PRIVATE_ADDRESSES: 'allow' };
    expect(readConfig('sandbox', allowed).metropol).toMatchObject({ allowsPrivateAddresses: true });
    expect(complaints({ ...metropol, METROPOL_PRIVATE_ADDRESSES: 'yes' })).toEqual([
      'METROPOL_PRIVATE_ADDRESSES',
    ]);
    expect(complaints({ CREDIT_BUREAU: 'metropol' })).toEqual([
      'METROPOL_URL',
      'METROPOL_PUBLIC_KEY',
      'METROPOL_PRIVATE_KEY',
    ]);
    expect(complaints({ ...metropol, METROPOL_URL: 'http://bureau.example/' })).toEqual([
      'METROPOL_URL',
    ]);
    expect(complaints({ ...metropol, METROPOL_URL: 'http://127.0.0.1:5555/v2_1' })).toEqual([]);
  });
});
