import {
  JsonProblem,
  readContradictoryJson,
  readJson as readStrict,
} from '../platform/base/json.ts';
import type { Numbers } from '../platform/base/json.ts';
import { CURRENCY } from '../platform/base/money.ts';
import { decodeText } from '../platform/base/clean-text.ts';

// Reads values in operators' answers, whatever type they have.

/**
 * The content of a JSON body; undefined when it is not JSON, or has a name twice in one object. A byte order mark, and
 * bytes that are not UTF-8, matter only to the value that they are in.
 * Numbers stay as written by default: a token of 20 digits does not fit into a JavaScript number.
 */
export function readJson(bytes: Buffer, numbers: Numbers = 'text'): unknown {
  return read(bytes, (text) => readStrict(text, numbers));
}

/**
 * Reads the subject of a body that `readJson` refuses because a name occurs twice. Its values must not
 * decide anything. Undefined for any other body.
 */
export function readContradictory(bytes: Buffer): unknown {
  return read(bytes, (text) => {
    try {
      readStrict(text);
      return undefined;
    } catch (error) {
      const { repeated } = error as JsonProblem;
      return repeated === undefined ? undefined : readContradictoryJson(text, 'text');
    }
  });
}

function read(bytes: Buffer, readText: (text: string) => unknown): unknown {
  try {
    return readText(decodeText(bytes));
  } catch (error) {
    if (error instanceof JsonProblem) return undefined;
    throw error;
  }
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** A list, or one object when there is a single one. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.slice(0, 100) : [value];
}

/** Codes and amounts come as text or as numbers. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.slice(0, 1_000);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

const AMOUNT = new RegExp(`^(?:${CURRENCY} ?)?(\\d{1,12})(?:\\.(\\d{1,2})0*)?$`);

/** Cents of decimal text such as `100`, `100.5000` or `KES 100.00`; undefined for anything that is not an amount above zero. */
export function centsOf(text: string | undefined): bigint | undefined {
  const [, whole, fraction = ''] = AMOUNT.exec(text ?? '') ?? [];
  if (whole === undefined) return undefined;
  const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
  return cents > 0n ? cents : undefined;
}

/** Cents of decimal text, which may have fractions of a cent, zero included; undefined for other text. */
export function decimalCents(text: string | undefined, round: 'up' | 'down'): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(text ?? '') ?? [];
  if (whole === undefined) return undefined;
  const cents = BigInt(whole) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0'));
  return round === 'up' && /[1-9]/.test(fraction.slice(2)) ? cents + 1n : cents;
}
