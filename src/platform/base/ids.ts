import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import { systemTimeMs } from './clock.ts';

/**
 * The last identifier's time and sequence number (RFC 9562 §6.2, method 1). `v7` counts by itself only if
 * it draws the random numbers itself, with a system call for each identifier.
 */
let lastMs = 0;
let sequence = 0;

/** A new time-ordered identifier (UUID version 7, RFC 9562), monotonic within this process. */
export function newId(): string {
  const random = takeRandom();
  const nowMs = systemTimeMs();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    // The first bit is 0, so that there is room to count.
    sequence = random.readUInt32BE(6) >>> 1;
  } else {
    sequence = (sequence + 1) >>> 0;
    if (sequence === 0) lastMs += 1;
  }
  return v7({ random, msecs: lastMs, seq: sequence });
}

const RANDOM_BYTES = 16;
/** Random bytes for the next 256 identifiers. */
const pool = Buffer.alloc(256 * RANDOM_BYTES);
let unused = 0;

function takeRandom(): Buffer {
  if (unused === 0) {
    randomFillSync(pool);
    unused = pool.length;
  }
  unused -= RANDOM_BYTES;
  return pool.subarray(unused, unused + RANDOM_BYTES);
}

/** Before every identifier. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';

/** The smallest identifier that `newId` could return at a given moment. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** When `newId` made this identifier, in milliseconds since 1970; undefined for another one. */
export function timeOfId(id: string): number | undefined {
  return id.charAt(14) === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

/** The form of an identifier, for regular expressions. */
export const ID_FORM = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
