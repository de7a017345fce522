import { expect, test } from 'vitest';
import { describeFailure, refuseUnavailable } from '../../../../src/platform/db/failures.ts';

function failure(code: string): Error {
  return Object.assign(new Error('a detail with a row'), { code });
}

test.each([
  ['53100', 'the database has no disk space left'],
  ['55P03', 'the database waited too long for a lock that another session holds'],
  ['25006', 'the database accepts no writes: it is a standby, or read-only'],
  ['57014', 'the database took too long'],
  ['ECONNREFUSED', 'the database cannot be reached'],
  ['57P01', 'the database cannot be reached'],
  ['28P01', 'the database refuses the login'],
  ['XX001', 'the database reports an error'],
])('explains %s: %s', (code, text) => {
  expect(describeFailure(failure(code))).toBe(text);
});

test('a refusal says whether the disk is full, a lock is held, or the database is away', () => {
  const texts = ['53100', '55P03', 'ECONNREFUSED'].map(
    (code) => refuseUnavailable(failure(code)).message,
  );
  expect(texts).toEqual([
    'The service’s database has no disk space left',
    'The service’s database waited too long for a lock that another session holds',
    'The service cannot reach its database',
  ]);
});
