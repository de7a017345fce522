import { expect, test } from 'vitest';
import { segmentNames } from '../../../../src/platform/backup/wal.ts';

const MEGABYTE = 1024 * 1024;

function names(startLsn: string, stopLsn: string, megabytes = 16): string[] {
  return segmentNames({ timeline: 2, startLsn, stopLsn, segmentBytes: megabytes * MEGABYTE });
}

test('a short range is in one segment', () => {
  expect(names('0/2000028', '0/2000120')).toEqual(['000000020000000000000002']);
});

test('the stop position is the first byte after the range', () => {
  expect(names('0/2000028', '0/3000000')).toEqual(['000000020000000000000002']);
  expect(names('0/2000028', '0/3000001')).toHaveLength(2);
});

test('a range over the end of a part continues in the next: 256 segments of 16 MB', () => {
  expect(names('0/FE000000', '1/1000001')).toEqual([
    '0000000200000000000000FE',
    '0000000200000000000000FF',
    '000000020000000100000000',
    '000000020000000100000001',
  ]);
});

test('segments of another size', () => {
  expect(names('1/0', '1/4000001', 64)).toEqual([
    '000000020000000100000000',
    '000000020000000100000001',
  ]);
});
