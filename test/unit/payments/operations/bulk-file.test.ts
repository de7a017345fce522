import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../../src/platform/base/errors.ts';
import { LIMITS } from '../../../../src/platform/base/limits.ts';
import type { BulkRow } from '../../../../src/payments/bulk/batch.ts';
import { BULK_COLUMNS, readRows } from '../../../../src/payments/operations/bulk-file.ts';
import { takeFile } from '../../../../src/platform/http/wire/file.ts';
import { KnownNames } from '../../../../src/platform/http/wire/parameters.ts';

const COLUMNS = new KnownNames().columns(BULK_COLUMNS);

const FORMS = ['csv', 'quoted csv', 'lines'] as const;
type Form = (typeof FORMS)[number];

/** A file with this many rows of about 300 bytes each. */
function fileOf(form: Form, count: number, newline = '\n'): string {
  const rows = Array.from({ length: count }, (_, index) => [
    'safaricom',
    '60.50',
    String(254_722_000_000 + index),
    `order ${index} ${'x'.repeat(30)}`,
  ]);
  const names = ['biller_name', 'amount', 'account', 'merchant_reference'];
  const quote = (value: string): string => (form === 'quoted csv' ? `"${value}"` : value);
  const lines =
    form === 'lines'
      ? rows.map((values) => JSON.stringify(Object.fromEntries(zip(names, values))))
      : [names, ...rows].map((values) => values.map(quote).join(','));
  return lines.map((line) => line + newline).join('');
}

function zip(names: readonly string[], values: readonly string[]): [string, string][] {
  return names.map((name, index) => [name, values[index] ?? '']);
}

async function rowsOf(form: Form, text: string): Promise<BulkRow[]> {
  const contentType = form === 'lines' ? 'application/x-ndjson' : 'text/csv';
  return await readRows(await takeFile(contentType, Buffer.from(text)), COLUMNS);
}

test.each(FORMS)('a file of %s is not read as anything else', async (form) => {
  for (const newline of ['\n', '\r\n', '\n\n']) {
    const text = fileOf(form, 3, newline);
    expect(await rowsOf(form, text)).toHaveLength(3);
    const other = form === 'lines' ? 'csv' : 'lines';
    for (const start of ['', '\n', '\ufeff']) {
      expect(await refusalOf(rowsOf(other, start + text))).toContain('invalid_file');
    }
  }
});

test.each(FORMS)('the lines of a file of %s may end differently', async (form) => {
  const lines = fileOf(form, 3).split('\n').slice(0, -1);
  for (const odd of [0, 1]) {
    const ended = lines.map((line, index) => line + (index % 2 === odd ? '\r\n' : '\n'));
    expect(await rowsOf(form, ended.join(''))).toMatchObject(await rowsOf(form, fileOf(form, 3)));
  }
});

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  return error instanceof Refusal ? error.code : String(error);
}

describe.each(FORMS)('a file of the form %s', (form) => {
  test.each(['\n', '\r\n'])('loses nothing where it is cut into slices (%j)', async (newline) => {
    const rows = await rowsOf(form, fileOf(form, 3_000, newline));
    const accounts = rows.map((row) => ('request' in row ? row.request.account : undefined));
    expect(accounts).toEqual(
      Array.from({ length: 3_000 }, (_, index) => String(254_722_000_000 + index)),
    );
  });

  test('files are read in slices: with four at once, other work gets a turn after each slice', async () => {
    const text = fileOf(form, LIMITS.bulkRows);
    let [turns, reading] = [0, true];
    const count = (): void => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    count();
    await Promise.all(Array.from({ length: 4 }, async () => await rowsOf(form, text)));
    reading = false;
    // Fifty rows are a slice, and no two slices share a turn.
    expect(turns).toBeGreaterThanOrEqual((4 * LIMITS.bulkRows) / 50);
  });

  test('has a maximum number of rows, and is not read to its end when it has more', async () => {
    expect(await rowsOf(form, fileOf(form, LIMITS.bulkRows))).toHaveLength(LIMITS.bulkRows);
    expect(await refusalOf(rowsOf(form, fileOf(form, LIMITS.bulkRows + 1)))).toBe(
      'payload_too_large',
    );
  });
});

test.each([
  ['csv', `biller_name,amount,account\n${','.repeat(LIMITS.bodyBytes + 1)}\nsafaricom,60,1\n`],
  ['lines', `{"account":"${'1'.repeat(LIMITS.bodyBytes)}"}\n{"biller_name":"x"}\n`],
] as const)('a row longer than a create is refused alone (%s)', async (form, text) => {
  const rows = await rowsOf(form, text);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ refusal: { code: 'payload_too_large' } });
});

test('a body of many parts is refused before they are read', async () => {
  const boundary = '------------------------3f1c9a7e5d2b8046';
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nx\r\n`;
  const body = Buffer.from(`${part.repeat(20_000)}--${boundary}--\r\n`);
  expect(await refusalOf(takeFile(`multipart/form-data; boundary=${boundary}`, body))).toBe(
    'malformed_request',
  );
});
