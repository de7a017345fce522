import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCursors } from '../../../../src/platform/http/cursors.ts';

const KEYS = { current: randomBytes(32), previous: undefined };
const LIST = { list: 'listPayments', owner: 'demo', query: { status: 'FAILED', limit: '2' } };
const POSITION = { kind: 'list', at: '2026-11-21T06:15:00.000001Z' };

test('a cursor has its position, and shows nothing of it', () => {
  const cursors = createCursors(KEYS, 'lists');
  const cursor = cursors.write(LIST, POSITION);
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('2026');
  expect(cursors.write(LIST, POSITION)).not.toBe(cursor);
  expect(cursors.read(LIST, cursor)).toEqual(POSITION);
});

test('the page’s size may change, and the order of the parameters does not count', () => {
  const cursors = createCursors(KEYS, 'lists');
  const cursor = cursors.write({ ...LIST, query: { status: 'FAILED', biller: 'zuku' } }, POSITION);
  const query = { biller: 'zuku', cursor, limit: '200', status: 'FAILED' };
  expect(cursors.read({ ...LIST, query }, cursor)).toEqual(POSITION);
});

test.each([
  ['another list', { ...LIST, list: 'listEvents' }],
  ['another vendor', { ...LIST, owner: 'demo2' }],
  ['another filter', { ...LIST, query: { status: 'SUCCESS' } }],
  ['one filter less', { ...LIST, query: {} }],
])('it is not a cursor of %s', (_what, other) => {
  const cursors = createCursors(KEYS, 'lists');
  const cursor = cursors.write(LIST, POSITION);
  expect(() => cursors.read(other, cursor)).toThrow(expect.objectContaining({ field: 'cursor' }));
});

test('it outlives a change of the master key once', () => {
  const cursor = createCursors(KEYS, 'lists').write(LIST, POSITION);
  const next = { current: randomBytes(32), previous: KEYS.current };
  expect(createCursors(next, 'lists').read(LIST, cursor)).toEqual(POSITION);
  const later = { current: randomBytes(32), previous: next.current };
  expect(() => createCursors(later, 'lists').read(LIST, cursor)).toThrow(/cursor must be/);
});
