import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { formatMoney } from '../../src/platform/base/money.ts';
import { readStatement } from '../../src/connectors/sources/statements/read.ts';
import { readStatementSettings } from '../../src/connectors/sources/statements/settings.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';

// Bank statements that were truncated, changed or made to attack the reader. A reader returns lines and
// problems of lines; it never throws.

const SAMPLES = path.resolve(import.meta.dirname, '../../docs/guide/samples');
const wireTime = createWireTime('Africa/Nairobi');
const FORMATS = [
  ['csv', 'csv'],
  ['mt940', 'sta'],
  ['camt053', 'xml'],
] as const;

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await removeFolder(folder);
});

function sampleOf(format: (typeof FORMATS)[number][0], extension: string) {
  const sample = (name: string): string => readFileSync(path.join(SAMPLES, name), 'utf8');
  return {
    rules: readStatementSettings('bank', JSON.parse(sample(`bank-${format}.json`))),
    content: sample(`bank-statement.${extension}`),
  };
}

async function read(rules: ReturnType<typeof sampleOf>['rules'], content: string | Buffer) {
  const file = path.join(folder, 'statement');
  await writeFile(file, content);
  return await readStatement(file, rules, wireTime);
}

describe.each(FORMATS)('%s', (...format) => {
  const { rules, content } = sampleOf(...format);

  test('whatever bytes are changed, removed or doubled, each line is complete or has a problem', async () => {
    const bytes = Buffer.from(content);
    const position = fc.integer({ min: 0, max: bytes.length });
    const change = fc.record({
      at: position,
      to: position,
      byte: fc.integer({ min: 0, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let hostile = bytes;
        for (const { at, to, byte } of changes) {
          hostile = Buffer.concat([hostile.subarray(0, at), Buffer.of(byte), hostile.subarray(to)]);
        }
        const { lines, problems } = await read(rules, hostile);
        const last = hostile.toString('latin1').split(/\r\n|\n|\r/).length;
        for (const { line } of [...lines, ...problems]) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(last);
        }
        for (const { amountCents, at, kind, reference } of lines) {
          expect(amountCents).toBeGreaterThan(0n);
          expect(at.getTime()).not.toBeNaN();
          expect(kind === 'pending' || reference !== '').toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('one line of 10 MB is a problem', async () => {
    const long = 'x'.repeat(10 * 1024 * 1024);
    const { problems } = await read(rules, long);
    expect(problems).toHaveLength(1);
  });

  test('a file above the largest size is refused', async () => {
    const large = Buffer.alloc(32 * 1024 * 1024 + 1, 'x');
    await expect(read(rules, large)).rejects.toThrow(PlainError);
  });
});

test.each([
  ['mt940', 'sta', ':62F:C260106KES1513,'],
  ['camt053', 'xml', '</Document>'],
] as const)('%s that was cut off anywhere has a problem', async (format, extension, end) => {
  const { rules, content } = sampleOf(format, extension);
  const whole = content.indexOf(end) + end.length;
  for (let length = 0; length < whole; length += format === 'mt940' ? 1 : 37) {
    const { problems } = await read(rules, content.slice(0, length));
    expect(problems.length, `after ${length} characters`).toBeGreaterThan(0);
  }
  expect((await read(rules, content.slice(0, whole))).problems).toEqual([]);
});

const { rules: camtRules, content: camtSample } = sampleOf('camt053', 'xml');

test.each([
  [
    'entities that multiply',
    `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(99)}"><!ENTITY b "&a;&a;&a;">]>`,
  ],
  ['an entity of a file', '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>'],
  ['an external document type', '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd">'],
])('XML with %s is refused', async (_, doctype) => {
  const hostile = camtSample
    .replace('<Document', `${doctype}<Document`)
    .replace('CASH DEPOSIT', '&a;&b;');
  expect(await read(camtRules, hostile)).toMatchObject({
    lines: [],
    problems: [{ problem: expect.stringContaining('document type') }],
  });
});

test('XML with a million nested elements is refused', async () => {
  const { lines, problems } = await read(camtRules, '<a>'.repeat(1_000_000));
  expect([lines.length, problems.length]).toEqual([0, 1]);
});

test('written entries are read back unchanged, in each format', async () => {
  const movement = fc.record({
    cents: fc.bigInt(1n, 99_999_999_99n),
    isCredit: fc.boolean(),
    day: fc.integer({ min: 1, max: 28 }),
  });
  const movements = fc.array(movement, { maxLength: 20 }).filter(changesEachBalance);
  await fc.assert(
    fc.asyncProperty(movements, async (made) => {
      for (const [format, extension] of FORMATS) {
        const { rules } = sampleOf(format, extension);
        const { lines, problems } = await read(rules, WRITERS[format](made));
        expect(problems).toEqual([]);
        expect(
          lines.map(({ kind, amountCents, reference, at }) => ({
            ...{ isCredit: kind === 'credit', cents: amountCents, reference },
            day: Number(wireTime.format(at).slice(8, 10)),
          })),
        ).toEqual(made.map((entry, index) => ({ ...entry, reference: `FT${1_000 + index}` })));
      }
    }),
    { numRuns: 30 },
  );
});

const DELIMITERS = [',', ';', '\t', '|'];
const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16, the other way round, with a mark': (text) =>
    Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'Windows-1252': (text) => Buffer.from(text, 'latin1'),
};
/** The decimal sign and the separator of thousands. */
const SIGNS = [
  ['.', ','],
  ['.', "'"],
  ['.', ''],
  [',', '.'],
  [',', ' '],
  [',', ''],
] as const;

describe.each(Object.keys(ENCODINGS))('a table in %s', (encoding) => {
  test.each(SIGNS)('is read whatever its delimiter, with %j and %j in amounts', async (...sign) => {
    const columns = {
      ...{ time: 'Date', text: 'Libellé', reference: 'Ref', credit: 'In', debit: 'Out' },
      balance: 'Balance',
    };
    const settings = { format: 'csv', columns, date_format: 'DD/MM/YYYY' };
    const tableRules = readStatementSettings('bank', settings);
    const movements = fc.array(
      fc.record({
        cents: fc.bigInt(1n, 99_999_999_99n),
        isCredit: fc.boolean(),
        day: fc.integer({ min: 1, max: 28 }),
      }),
      { minLength: 1, maxLength: 10 },
    );
    const delimiters = fc.constantFrom(...DELIMITERS);
    await fc.assert(
      fc.asyncProperty(movements, delimiters, fc.boolean(), async (made, delimiter, isReversed) => {
        const balances = balancesOf(made);
        const rows = made.map(({ cents, isCredit, day }, index) => {
          const amount = amountText(cents, sign);
          const date = `${String(day).padStart(2, '0')}/01/2026`;
          const after = amountText(balances[index + 1] ?? 0n, sign);
          return [
            date,
            'é\n"x"',
            `FT${1_000 + index}`,
            ...(isCredit ? [amount, ''] : ['', amount]),
            after,
          ];
        });
        const listed = isReversed ? rows.toReversed() : rows;
        const text = [['Account', 'x'], Object.values(columns), ...listed]
          .map((cells) => cells.map(quoted).join(delimiter))
          .join('\r\n');
        const { lines, problems } = await read(tableRules, ENCODINGS[encoding]?.(text) ?? '');
        expect(problems).toEqual([]);
        const byNumber = lines.toSorted((one, other) => (one.reference < other.reference ? -1 : 1));
        expect(
          byNumber.map(({ kind, amountCents, at, text: purpose }) => ({
            ...{ isCredit: kind === 'credit', cents: amountCents, purpose },
            day: Number(wireTime.format(at).slice(8, 10)),
          })),
        ).toEqual(made.map((entry) => ({ ...entry, purpose: 'é\n"x"' })));
      }),
      { numRuns: 20 },
    );
  });
});

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function amountText(cents: bigint, [decimal, thousands]: readonly [string, string]): string {
  const [whole = '', fraction = ''] = formatMoney(cents).split('.');
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, thousands)}${decimal}${fraction}`;
}

interface Movement {
  readonly cents: bigint;
  readonly isCredit: boolean;
  readonly day: number;
}

const OPENING_CENTS = 100_000_000_00n;

/** The opening balance and the balance after each movement. */
function balancesOf(made: readonly Movement[]): bigint[] {
  const balances = [OPENING_CENTS];
  for (const { cents, isCredit } of made) {
    balances.push((balances.at(-1) ?? 0n) + (isCredit ? cents : -cents));
  }
  return balances;
}

/** Movements of MT940 that together change nothing are held for people. */
function changesEachBalance(made: readonly Movement[]): boolean {
  return new Set(balancesOf(made)).size === made.length + 1;
}

/** Thousands separated, as in spreadsheets. */
function grouped(cents: bigint): string {
  return formatMoney(cents).replaceAll(/\B(?=(?:\d{3})+\.)/g, ',');
}

const WRITERS: Readonly<
  Record<'csv' | 'mt940' | 'camt053', (made: readonly Movement[]) => string>
> = {
  csv: (made) =>
    [
      'Date,Narrative,Reference,Money In,Money Out,Balance',
      ...made.map(({ cents, isCredit, day }, index) => {
        const amount = `"${grouped(cents)}"`;
        const sides = isCredit ? `${amount},` : `,${amount}`;
        const balance = grouped(balancesOf(made)[index + 1] ?? 0n);
        return `${String(day).padStart(2, '0')}/01/2026,x,FT${1_000 + index},${sides},"${balance}"`;
      }),
    ].join('\n'),
  mt940: (made) => {
    const balance = (cents: bigint): string =>
      `${cents < 0n ? 'D' : 'C'}260131KES${formatMoney(cents < 0n ? -cents : cents).replace('.', ',')}`;
    return [
      ':20:X\n:25:0110000000001',
      `:60F:${balance(OPENING_CENTS)}`,
      ...made.map(({ cents, isCredit, day }, index) => {
        const amount = formatMoney(cents).replace('.', ',');
        const date = `2601${String(day).padStart(2, '0')}`;
        return `:61:${date}${isCredit ? 'C' : 'D'}${amount}NTRFNONREF//FT${1_000 + index}\n:86:x`;
      }),
      `:62F:${balance(balancesOf(made).at(-1) ?? 0n)}`,
    ].join('\n');
  },
  camt053: (made) => {
    const amount = (cents: bigint, isCredit: boolean): string =>
      `<Amt Ccy="KES">${formatMoney(cents)}</Amt><CdtDbtInd>${isCredit ? 'CRDT' : 'DBIT'}</CdtDbtInd>`;
    const balance = (code: string, cents: bigint): string =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(cents < 0n ? -cents : cents, cents >= 0n)}</Bal>`;
    const entries = made.map(
      ({ cents, isCredit, day }, index) =>
        `<Ntry>${amount(cents, isCredit)}<Sts>BOOK</Sts><BookgDt><Dt>2026-01-${String(day).padStart(2, '0')}</Dt></BookgDt><AcctSvcrRef>FT${1_000 + index}</AcctSvcrRef></Ntry>`,
    );
    return `<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>0110000000001</IBAN></Id></Acct>${balance('OPBD', OPENING_CENTS)}${balance('CLBD', balancesOf(made).at(-1) ?? 0n)}${entries.join('')}</Stmt></BkToCstmrStmt></Document>`;
  },
};
