import { Readable } from 'node:stream';
import { queryPayments } from '../../payments/timeline/query.ts';
import type { PageCursor, PaymentQuery } from '../../payments/timeline/query.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { csvLine } from '../../platform/base/csv.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { PAYMENT_COLUMNS } from '../answers.ts';
import type { ListedPayment, PaymentColumn } from '../answers.ts';
import { listedPayment } from './listed-payment.ts';

/** Payments of one export. A longer one says in its last line that it is not complete. */
export const MAX_EXPORT_ROWS = 100_000;
/** Read at once. */
const PAGE_ROWS = 500;

const TITLES: Readonly<Record<PaymentColumn, string>> = {
  created: 'Created',
  reference: 'Reference',
  merchantReference: 'Vendor’s reference',
  vendor: 'Vendor',
  biller: 'Biller',
  operator: 'Operator',
  account: 'Account',
  phone: 'Phone',
  amount: 'Amount (KES)',
  fee: 'Fee (KES)',
  status: 'Status',
  settled: 'Final since',
};

/** Throws: `invalid_field` for an unknown column. */
export function readColumns(text: string | undefined): readonly PaymentColumn[] {
  if (text === undefined || text === '') return PAYMENT_COLUMNS;
  return text.split(',').map((name) => {
    const column = PAYMENT_COLUMNS.find((known) => known === name);
    if (column !== undefined) return column;
    throw new Refusal('invalid_field', { field: 'columns', text: `Unknown column ${name}` });
  });
}

/** The payments of the list as CSV, page by page while it is sent. */
export function exportPayments(
  pool: Pool,
  query: PaymentQuery,
  options: {
    readonly columns: readonly PaymentColumn[];
    readonly wireTime: WireTime;
    readonly timeZone: string;
    readonly maxRows?: number;
  },
): Readable {
  return Readable.from(linesOf(pool, query, options));
}

async function* linesOf(
  pool: Pool,
  query: PaymentQuery,
  { columns, wireTime, timeZone, maxRows = MAX_EXPORT_ROWS }: Parameters<typeof exportPayments>[2],
): AsyncGenerator<string> {
  // The byte order mark, by which spreadsheets recognise UTF-8.
  yield `\ufeff${csvLine(columns.map((column) => titleOf(column, timeZone)))}`;
  let left = maxRows;
  let after: PageCursor | undefined;
  do {
    const page = await queryPayments(pool, query, { after, limit: Math.min(PAGE_ROWS, left) });
    left -= page.payments.length;
    yield page.payments
      .map((row) => csvLine(columns.map((column) => valueOf(listedPayment(row), column, wireTime))))
      .join('');
    after = page.next ?? undefined;
  } while (after !== undefined && left > 0);
  if (after !== undefined) {
    yield csvLine([
      `Not complete: an export has at most ${maxRows} payments. Choose a shorter period.`,
    ]);
  }
}

function titleOf(column: PaymentColumn, timeZone: string): string {
  const isTime = column === 'created' || column === 'settled';
  return isTime ? `${TITLES[column]} (${timeZone})` : TITLES[column];
}

function valueOf(payment: ListedPayment, column: PaymentColumn, wireTime: WireTime): string {
  switch (column) {
    case 'created':
      return wireTime.format(new Date(payment.createdAt));
    case 'settled':
      return payment.settledAt === null ? '' : wireTime.format(new Date(payment.settledAt));
    case 'vendor':
      return payment.vid;
    default:
      return payment[column] ?? '';
  }
}
