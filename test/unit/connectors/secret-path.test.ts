import { expect, test } from 'vitest';
import { createSecretPaths } from '../../../src/connectors/secret-path.ts';

const KEY = { secret: 'a', validUntil: null };
const ABOUT = { kind: 'r', reference: '06F3Z1G5B8M2Q7T4W9Y0K3N6R1V5X8C2', attemptNumber: 2 };

test('a path names what it was made for, and nobody else can make it', () => {
  const paths = createSecretPaths('op', [KEY]);
  const path = paths.make(ABOUT);
  expect(path).toMatch(/^[a-z]\/[0-9a-f]+\/2\/[0-9a-f]{32}$/);
  expect(paths.read(path)).toEqual(ABOUT);
  for (const other of [
    path.replace('r/', 's/'),
    path.replace('/2/', '/1/'),
    path.slice(0, -1) + (path.endsWith('0') ? '1' : '0'),
    path.slice(0, -2),
    `${path}/`,
    '',
  ]) {
    expect(paths.read(other), other).toBeUndefined();
  }
  expect(createSecretPaths('other', [KEY]).read(path)).toBeUndefined();
  expect(createSecretPaths('op', [{ secret: 'b', validUntil: null }]).read(path)).toBeUndefined();
});

test('a path without a reference has no empty part, and is also read with one', () => {
  const paths = createSecretPaths('op', [KEY]);
  const about = { kind: 'confirm', reference: '', attemptNumber: 0 };
  const path = paths.make(about);
  expect(path).toMatch(/^confirm\/0\/[0-9a-f]{32}$/);
  expect(paths.read(path)).toEqual(about);
  expect(paths.read(path.replace('confirm/', 'confirm//'))).toEqual(about);
  expect(paths.read(path.replace('confirm/', 'confirm///'))).toBeUndefined();
  expect(paths.read(path.replace('confirm/', 'confirm/00/'))).toBeUndefined();
});

test('paths of a former key are accepted until its time ends', () => {
  const path = createSecretPaths('op', [KEY]).make(ABOUT);
  const newest = { secret: 'b', validUntil: null };
  const until = (validUntil: Date) =>
    createSecretPaths('op', [newest, { secret: 'a', validUntil }]);
  expect(until(new Date(Date.now() + 60_000)).read(path)).toEqual(ABOUT);
  expect(until(new Date(0)).read(path)).toBeUndefined();
});
