import { Readable } from 'node:stream';
import { csvLine } from '../../platform/base/csv.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { NamedLine, WholeSummary } from './read-summaries.ts';
import type { SummaryFormat } from './formats.ts';
import { hledgerJournal } from './hledger.ts';
import { summaryNumber } from './summary.ts';

/** The lines of one date, which balance. */
interface Entry {
  /** As the journal; of one with several dates, with a place among them. */
  readonly name: string;
  readonly day: string;
  readonly isLate: boolean;
  readonly lines: readonly NamedLine[];
}

/** One side of a line, with the company's code of its account. */
interface Side {
  readonly line: NamedLine;
  readonly code: string;
  readonly side: 'debit' | 'credit';
  readonly cents: bigint;
}

/**
 * A summary journal as a file; the same one again while the codes are, and always once it is marked as exported. Throws:
 * `PlainError` if something is not set that the layout needs.
 */
export function summaryFile(
  summary: WholeSummary,
  format: SummaryFormat,
): { readonly name: string; readonly type: string; readonly body: Readable } {
  const number = summaryNumber(summary.number);
  if (format === 'hledger') {
    const body = Readable.from([hledgerJournal(summary, entriesOf(summary))]);
    return { name: `${number}.journal`, type: 'text/plain; charset=utf-8', body };
  }
  const body = Readable.from([
    LAYOUTS[format](summary)
      .map((row) => csvLine(row))
      .join(''),
  ]);
  // Without a byte order mark, which would be part of the first title.
  return { name: `${number}-${format}.csv`, type: 'text/csv', body };
}

/** The entries of a journal by date. Pure. */
export function entriesOf({ number, lines }: Pick<WholeSummary, 'number' | 'lines'>): Entry[] {
  const days = [...Map.groupBy(lines, ({ day }) => day)];
  return days.map(([day, of], index) => ({
    name: `${summaryNumber(number)}${days.length > 1 ? `-${index + 1}` : ''}`,
    day,
    isLate: of.some(({ isLate }) => isLate),
    lines: of,
  }));
}

type Row = readonly string[];

const LAYOUTS: Readonly<
  Record<Exclude<SummaryFormat, 'hledger'>, (summary: WholeSummary) => Row[]>
> = { xero, quickbooks, sage, erpnext };

/** Lines in a file of manual journals. */
const MAX_XERO_LINES = 300;

function xero(summary: WholeSummary): Row[] {
  const taxRate = need(summary, 'taxCode');
  const names = summary.terms.dimensions;
  if (names.length > 2) throw new PlainError('Xero has two tracking categories, not three.');
  const rows = entriesOf(summary).flatMap((entry) =>
    sidesOf(entry).map((side): Row => {
      const options = dimensionsOf(side.line);
      const tracking = [0, 1].flatMap((place) => {
        const [title, value] = options[place] ?? ['', ''];
        return [title, value];
      });
      const amount = formatMoney(side.side === 'debit' ? side.cents : -side.cents);
      const what = [narration(entry), slashed(entry.day, 'dmy'), side.line.account];
      return [...what, side.code, taxRate, amount, ...tracking];
    }),
  );
  if (rows.length > MAX_XERO_LINES) {
    throw new PlainError(
      `Xero takes ${MAX_XERO_LINES} lines in a file, and this journal has ${rows.length}. Sum by fewer dimensions, or by day.`,
    );
  }
  const titles = [
    ...['*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount'],
    ...['TrackingName1', 'TrackingOption1', 'TrackingName2', 'TrackingOption2'],
  ];
  return [titles, ...rows];
}

function quickbooks(summary: WholeSummary): Row[] {
  const titles = ['Journal No', 'Journal Date', 'Account Name', 'Description', 'Debits', 'Credits'];
  const rows = entriesOf(summary).flatMap((entry) =>
    sidesOf(entry).map((side): Row => [
      ...[entry.name, slashed(entry.day, 'mdy'), side.code, describe(entry, side.line)],
      ...amounts(side),
    ]),
  );
  return [titles, ...rows];
}

function sage(summary: WholeSummary): Row[] {
  const taxCode = need(summary, 'taxCode');
  const titles = [
    ...['Type', 'Account Reference', 'Nominal A/C Ref', 'Department Code', 'Date', 'Reference'],
    ...['Details', 'Net Amount', 'Tax Code', 'Tax Amount'],
  ];
  const rows = entriesOf(summary).flatMap((entry) =>
    sidesOf(entry).map((side): Row => [
      ...[side.side === 'debit' ? 'JD' : 'JC', '', side.code, '0', slashed(entry.day, 'dmy')],
      ...[entry.name, describe(entry, side.line).slice(0, 60), formatMoney(side.cents)],
      ...[taxCode, '0.00'],
    ]),
  );
  return [titles, ...rows];
}

/** The first row of an entry has what is the same for all of its rows. */
function erpnext(summary: WholeSummary): Row[] {
  const company = need(summary, 'company');
  const titles = [
    ...['Entry Type', 'Series', 'Company', 'Posting Date', 'Reference Number', 'Reference Date'],
    ...['User Remark', 'Account (Accounting Entries)', 'Debit (Accounting Entries)'],
    ...['Credit (Accounting Entries)', 'User Remark (Accounting Entries)'],
  ];
  const rows = entriesOf(summary).flatMap((entry) =>
    sidesOf(entry).map((side, index): Row => {
      const head = [
        ...['Journal Entry', 'ACC-JV-.YYYY.-', company, entry.day, entry.name, entry.day],
        narration(entry),
      ];
      const own = [side.code, ...amounts(side), describe(entry, side.line)];
      return [...(index === 0 ? head : head.map(() => '')), ...own];
    }),
  );
  return [titles, ...rows];
}

/** Throws: `PlainError`. */
function need({ terms }: WholeSummary, name: 'taxCode' | 'company'): string {
  const value = terms[name];
  if (value !== null) return value;
  const option = name === 'taxCode' ? '--tax-code' : '--company';
  throw new PlainError(`This layout needs ${option}: set it with summary-journal set-terms.`);
}

/** Throws: `PlainError` with the accounts that have no code. */
function sidesOf({ lines }: Entry): Side[] {
  const uncoded = lines.filter(({ code }) => code === null).map(({ account }) => account);
  if (uncoded.length > 0) {
    const names = [...new Set(uncoded)].join(', ');
    throw new PlainError(`No code for ${names}. Set them with summary-journal set-codes.`);
  }
  return lines.flatMap((line) =>
    (['debit', 'credit'] as const).flatMap((side): Side[] => {
      const cents = side === 'debit' ? line.debitCents : line.creditCents;
      return cents === 0n ? [] : [{ line, code: line.code ?? '', side, cents }];
    }),
  );
}

const amounts = ({ side, cents }: Side): string[] =>
  side === 'debit' ? [formatMoney(cents), ''] : ['', formatMoney(cents)];

/** What the line is of besides its account, in words. */
function dimensionsOf({ vid, billerCode, operatorCode }: NamedLine): [string, string][] {
  const all: [string, string | null][] = [
    ['Vendor', vid],
    ['Biller', billerCode],
    ['Operator', operatorCode],
  ];
  return all.filter((each): each is [string, string] => each[1] !== null);
}

const narration = ({ name, isLate }: Entry): string =>
  `Malipo ${name}${isLate ? ', prior period' : ''}`;

const describe = (entry: Entry, line: NamedLine): string =>
  [
    line.account,
    ...dimensionsOf(line).map(([, value]) => value),
    ...(entry.isLate ? ['prior period'] : []),
  ].join(' ');

/** `30/11/2026`, or `11/30/2026`. */
function slashed(day: string, order: 'dmy' | 'mdy'): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return order === 'dmy' ? `${date}/${month}/${year}` : `${month}/${date}/${year}`;
}
