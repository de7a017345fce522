import { expect, test } from 'vitest';
import { currentConnection, noteConnection } from '../../../console/src/api/connection.ts';

test('an answer shows that the service is back only if it was asked for after the failure', () => {
  const beforeMs = performance.now();
  noteConnection('unreachable', beforeMs);
  noteConnection('good', beforeMs);
  expect(currentConnection()).toBe('unreachable');
  noteConnection('good', performance.now() + 1);
  expect(currentConnection()).toBe('good');
});
