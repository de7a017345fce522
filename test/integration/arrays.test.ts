import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bigintArray,
  byteaArray,
  integerArray,
  smallintArray,
  textArray,
  timestampArray,
  uuidArray,
} from '../../src/platform/db/arrays.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 1, name: 'test' });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** What the server reads from the bytes, and from the literal that the driver makes of the same values. */
async function readBoth(
  type: string,
  bytes: Buffer,
  values: readonly unknown[],
): Promise<[unknown, unknown]> {
  const read = await pool.query<{ fromBytes: unknown; fromLiteral: unknown }>(
    `select $1::${type}[]::text as "fromBytes", $2::${type}[]::text as "fromLiteral"`,
    [bytes, values],
  );
  return [read.rows[0]?.fromBytes, read.rows[0]?.fromLiteral];
}

const orNull = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<(Value | null)[]> =>
  fc.array(fc.option(values));
const TEXTS = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme-ascii' }),
    fc.constantFrom('', '{}', 'null', '"', '\\', 'a,b', 'Ω'.repeat(300)),
    // Halves of surrogate pairs, which have no UTF-8.
    fc
      .array(fc.integer({ min: 0xd7f0, max: 0xe010 }))
      .map((units) => String.fromCharCode(...units)),
  )
  .map((text) => text.replaceAll('\0', ' '));

const CASES: Readonly<Record<string, fc.Arbitrary<[Buffer, readonly unknown[]]>>> = {
  smallint: fc
    .array(fc.integer({ min: -32_768, max: 32_767 }))
    .map((values) => [smallintArray(values), values]),
  integer: orNull(fc.integer()).map((values) => [integerArray(values), values]),
  bigint: orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })).map((values) => [
    bigintArray(values),
    values,
  ]),
  uuid: orNull(fc.uuid()).map((values) => [
    uuidArray(
      values.map((value, index) => (index % 2 === 0 ? value : (value?.toUpperCase() ?? null))),
    ),
    values,
  ]),
  text: orNull(TEXTS).map((values) => [textArray(values), values]),
  timestamptz: fc
    .array(
      fc.date({
        min: new Date('1900-01-01'),
        max: new Date('2200-01-01'),
        noInvalidDate: true,
      }),
    )
    .map((values) => [timestampArray(values), values]),
  bytea: fc
    .array(fc.uint8Array().map((bytes) => Buffer.from(bytes)))
    .map((values) => [
      byteaArray(
        values.map((value, index) => (index % 2 === 0 ? value : value.toString('latin1'))),
      ),
      values,
    ]),
};

describe('the server reads from the bytes what it reads from the driver’s literal', () => {
  it.each(Object.keys(CASES))(
    'the server reads %s the same from bytes as from a literal',
    async (type) => {
      const cases = CASES[type];
      if (cases === undefined) throw new Error(type);
      await fc.assert(
        fc.asyncProperty(cases, async ([bytes, values]) => {
          const [fromBytes, fromLiteral] = await readBoth(type, bytes, values);
          expect(fromBytes).toBe(fromLiteral);
        }),
      );
    },
  );
});

describe('a value that is not of the type is refused, not converted', () => {
  const id = '019ab000-1111-7222-8333-444444444444';

  it.each([
    ['a letter that is not a hexadecimal digit', `${id.slice(0, -1)}g`],
    ['a character outside ASCII', `${id.slice(0, -1)}Ａ`],
    ['a missing character', id.slice(1)],
    ['a digit instead of a dash', `${id.slice(0, 8)}0${id.slice(9)}`],
    ['an additional character', `${id}0`],
    ['a second UUID after it', `${id},${id}`],
  ])('refuses a UUID with %s', (_, text) => {
    expect(() => uuidArray([id, text])).toThrow(RangeError);
  });

  it.each([0.5, 2 ** 31, -(2 ** 31) - 1, Number.NaN])('refuses the integer %d', (value) => {
    expect(() => integerArray([1, value])).toThrow(RangeError);
  });

  it.each([0.5, 32_768, -32_769, Number.NaN])('refuses the smallint %d', (value) => {
    expect(() => smallintArray([1, value])).toThrow(RangeError);
  });

  it('refuses a bigint of more than 64 bits', () => {
    expect(() => bigintArray([2n ** 63n])).toThrow(RangeError);
  });

  it('refuses an invalid time', () => {
    expect(() => timestampArray([new Date(Number.NaN)])).toThrow(RangeError);
  });

  it('the server refuses a text with a zero byte', async () => {
    await expect(readBoth('text', textArray(['a\0b']), [])).rejects.toThrow(
      /invalid byte sequence/,
    );
  });
});
