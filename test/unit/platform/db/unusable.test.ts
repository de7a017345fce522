import { expect, test } from 'vitest';
import { explainUnusable } from '../../../../src/platform/db/unusable.ts';

// Why a start or a command cannot use the database, in plain words and without secrets.

const URL = 'postgresql://malipo:secret@db.example:5432/malipo';

function explain(code: string): unknown {
  const error = Object.assign(new Error('as PostgreSQL says it'), { code });
  return (explainUnusable(error, URL, 'DATABASE_URL') as Error).message;
}

test.each([
  ['53300', 'accepts no more connections', 'raise max_connections'],
  ['55P03', 'waited too long for a lock that another session holds', 'End the session'],
  ['57014', 'took too long', 'Look for locks and long statements'],
])('code %s names the database, the cause and the remedy', (code, cause, remedy) => {
  const beginning = 'The database db.example:5432/malipo cannot be used: the database';
  expect(explain(code)).toContain(`${beginning} ${cause} (as PostgreSQL says it). `);
  expect(explain(code)).toContain(remedy);
  expect(explain(code)).not.toContain('secret');
});

test.each([
  ['28P01', 'Correct DATABASE_URL.'],
  ['ECONNREFUSED', 'Start it, or correct DATABASE_URL.'],
])('code %s ends with what to correct', (code, remedy) => {
  expect(explain(code)).toBe(
    `The database db.example:5432/malipo cannot be used: as PostgreSQL says it. ${remedy}`,
  );
});

test('any other error stays as it is', () => {
  expect(explain('42P01')).toBe('as PostgreSQL says it');
});
