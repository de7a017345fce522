import { expect, test } from 'vitest';
import { explain } from '../../../../src/cli/failure.ts';
import { createPool, isConnectionError, isUnavailable } from '../../../../src/platform/db/pool.ts';

function internal(message: string): Error {
  return Object.assign(new Error(message), { code: 'XX000' });
}

test.each([
  'SSL SYSCALL error: EOF detected',
  'failure on connection marked as essential: 10.0.0.2:5432',
  'server closed the connection unexpectedly',
])('recognises that Citus lost a worker in the middle of a statement: %s', (message) => {
  expect(isConnectionError(internal(message))).toBe(true);
  expect(isUnavailable(internal(message))).toBe(true);
});

test('another internal error is not about the connection', () => {
  expect(isConnectionError(internal('could not create distributed plan'))).toBe(false);
});

test('the server of a Unix socket is stopped', async () => {
  const pool = createPool({ url: 'postgres:///malipo?host=/nowhere', max: 1, name: 'test' });
  const error: unknown = await pool.query('select').catch((reason: unknown) => reason);
  await pool.end();
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(isConnectionError(error)).toBe(true);
  expect(isUnavailable(error)).toBe(true);
  expect(explain(error).text).toContain('The database cannot be reached (ENOENT)');
});
