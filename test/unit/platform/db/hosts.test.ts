import { describe, expect, test } from 'vitest';
import { readHosts } from '../../../../src/platform/db/hosts.ts';

describe('a database URL', () => {
  test('one host is used whatever it accepts', () => {
    const url = 'postgres://me:p%40ss@db.example:5433/malipo?sslmode=require';
    expect(readHosts(url)).toEqual({ urls: [url], mustBeWritable: false });
    const socket = 'postgres://me:secret@/malipo?host=/run/postgresql';
    expect(readHosts(socket)).toMatchObject({ urls: [socket] });
    expect(readHosts('postgresql:///malipo?host=/run/postgresql')).toMatchObject({
      urls: ['postgresql:///malipo?host=/run/postgresql'],
    });
  });

  test('several hosts are tried until one accepts writes', () => {
    expect(readHosts('postgres://me:secret@one:5432,[::1]:5433,three/malipo')).toEqual({
      urls: [
        'postgres://me:secret@one:5432/malipo',
        'postgres://me:secret@[::1]:5433/malipo',
        'postgres://me:secret@three/malipo',
      ],
      mustBeWritable: true,
    });
  });

  test.each([
    ['any', false],
    ['read-write', true],
    ['primary', true],
  ])('reads target_session_attrs=%s', (target, mustBeWritable) => {
    const url = `postgres://me@one,two/malipo?lock_timeout=300&target_session_attrs=${target}`;
    expect(readHosts(url)).toEqual({
      urls: [
        'postgres://me@one/malipo?lock_timeout=300',
        'postgres://me@two/malipo?lock_timeout=300',
      ],
      mustBeWritable,
    });
  });

  test.each([
    'mysql://one/malipo',
    'postgres://one,,two/malipo',
    'postgres://one:65536/malipo',
    // As `openssl rand -base64` prints passwords.
    'postgres://me:sec/ret@one/malipo',
    'postgres://me:sec#ret@one,two/malipo',
    'postgres://one,two/malipo?target_session_attrs=standby',
    'postgres://one,two/malipo?target_session_attrs=prefer-standby',
  ])('%s is refused', (url) => {
    expect(readHosts(url)).toBeUndefined();
  });
});
