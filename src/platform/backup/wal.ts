import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../base/plain-error.ts';

/** The default of `initdb`, which we never change. */
export const SEGMENT_BYTES = 16 * 1024 * 1024;

/** The range of WAL that is needed. */
export interface WalRange {
  readonly timeline: number;
  /** Such as `0/3000028`. */
  readonly startLsn: string;
  readonly stopLsn: string;
  readonly segmentBytes: number;
}

function positionOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** A part of the name of a WAL file. */
export function hex(value: bigint | number): string {
  return value.toString(16).toUpperCase().padStart(8, '0');
}

/**
 * Names of the WAL files that hold the range, as PostgreSQL makes them: timeline, then the number of
 * the segment in two parts, four bytes each.
 */
export function segmentNames(range: WalRange): string[] {
  const size = BigInt(range.segmentBytes);
  const perPart = 0x1_0000_0000n / size;
  const first = positionOf(range.startLsn) / size;
  // The stop position is the first byte after the range.
  const last = (positionOf(range.stopLsn) - 1n) / size;
  const names: string[] = [];
  for (let segment = first; segment <= last; segment += 1n) {
    names.push(`${hex(range.timeline)}${hex(segment / perPart)}${hex(segment % perPart)}`);
  }
  return names;
}

/**
 * The WAL files that a backup needs, with the timeline history files.
 * Throws: `PlainError` when one is missing.
 */
export async function walSegments(data: string, range: WalRange): Promise<string[]> {
  const there = new Set(await readdir(path.join(data, 'pg_wal')));
  const needed = segmentNames(range);
  const missing = needed.find((name) => !there.has(name));
  if (missing !== undefined) {
    throw new PlainError(`The server has already removed ${missing}; take the backup again.`);
  }
  return [...needed, ...[...there].filter((name) => name.endsWith('.history'))];
}
