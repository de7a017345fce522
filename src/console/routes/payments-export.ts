import { allPages } from '../../payments/timeline/query.ts';
import type { PaymentPage, PaymentQuery, QueriedPayment } from '../../payments/timeline/query.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { ReadPart } from '../../platform/base/long-reads.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Cell, ExportTable } from '../../platform/export/rows.ts';
import { PAYMENT_COLUMNS } from '../answers.ts';
import type { ListedPayment, PaymentColumn } from '../answers.ts';
import { listedPayment } from './listed-payment.ts';

/** Payments of one export. A longer one says in its last line that it is not complete. */
export const MAX_EXPORT_ROWS = 100_000;

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

/**
 * The payments of the list as a table, read page by page while it is sent. The first page is read before,
 * because it may be refused.
 */
export async function paymentsTable(
  pool: Pool,
  query: PaymentQuery,
  options: {
    readonly columns: readonly PaymentColumn[];
    readonly timeZone: string;
    readonly maxRows?: number;
    /** Runs the reading of one page. */
    readonly read?: ReadPart;
  },
): Promise<ExportTable> {
  const { columns, timeZone, maxRows = MAX_EXPORT_ROWS, read } = options;
  const titles = columns.map((column) => titleOf(column, timeZone));
  const pages = allPages(pool, query, { maxRows, ...(read === undefined ? {} : { read }) });
  const first = await pages.next();
  return { titles, rows: rowsOf(first, pages, { columns, maxRows }) };
}

async function* rowsOf(
  first: IteratorResult<PaymentPage>,
  others: AsyncIterator<PaymentPage>,
  { columns, maxRows }: { readonly columns: readonly PaymentColumn[]; readonly maxRows: number },
): AsyncGenerator<Cell[][]> {
  let isComplete = true;
  for (let page = first; page.done !== true; page = await others.next()) {
    const { payments, next } = page.value;
    isComplete = next === null;
    yield payments.map((row) => cellsOf(row, columns));
  }
  if (!isComplete) {
    yield [[`Not complete: an export has at most ${maxRows} payments. Choose a shorter period.`]];
  }
}

function titleOf(column: PaymentColumn, timeZone: string): string {
  const isTime = column === 'created' || column === 'settled';
  return isTime ? `${TITLES[column]} (${timeZone})` : TITLES[column];
}

function cellsOf(row: QueriedPayment, columns: readonly PaymentColumn[]): Cell[] {
  const listed = listedPayment(row);
  return columns.map((column) => cellOf(row, listed, column));
}

function cellOf(row: QueriedPayment, listed: ListedPayment, column: PaymentColumn): Cell {
  switch (column) {
    case 'created':
      return row.createdAt;
    case 'settled':
      return row.settledAt;
    case 'amount':
      return row.amountCents;
    case 'fee':
      return row.feeCents;
    case 'vendor':
      return row.vid;
    default:
      return listed[column];
  }
}
