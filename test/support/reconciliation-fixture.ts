import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { formatMoney } from '../../src/platform/base/money.ts';
import { createStatementFormat } from '../../src/connectors/operators/http-json/statement.ts';
import type { Imported } from '../../src/payments/reconciliation/import.ts';
import { importOperatorStatement } from './import-statements.ts';
import type { ImportRequest } from './import-statements.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { OPERATOR } from './money-fixture.ts';
import type { Books } from './money-fixture.ts';
import { until } from './until.ts';

/** A line of a statement; missing fields get default values. */
export interface Line {
  readonly type?: string;
  readonly at?: Date;
  readonly operatorReference?: string;
  /** The payment that it is about. */
  readonly of?: Pick<NewPayment, 'vendorId' | 'paymentId' | 'amountCents' | 'account'>;
  readonly reference?: string;
  readonly amountCents?: bigint;
}

export const HEADER = 'type,time,operator_reference,reference,biller,account,amount,currency';

export function referenceOf(of: Pick<NewPayment, 'vendorId' | 'paymentId'>): string {
  return encodeReference(of.vendorId, of.paymentId);
}

/** The text of a complete statement of the period with these lines. */
export function statementText(
  lines: readonly Line[],
  period: { readonly from: Date; readonly to: Date; readonly openingCents?: bigint },
): string {
  const openingCents = period.openingCents ?? 100_000_000n;
  let balanceCents = openingCents;
  const rows = lines.map((line) => {
    const { type = 'payment', of } = line;
    const amountCents = line.amountCents ?? of?.amountCents ?? 10_000n;
    balanceCents += ['payment', 'charge'].includes(type) ? -amountCents : amountCents;
    const reference = line.reference ?? (of === undefined ? '' : referenceOf(of));
    const at = line.at ?? new Date(Number(period.to) - 1);
    return `${type},${at.toISOString()},${line.operatorReference ?? `OP-${newId()}`},${reference},,${of?.account ?? ''},${formatMoney(amountCents)},KES`;
  });
  const balance = (type: string, at: Date, cents: bigint): string =>
    `${type},${at.toISOString()},,,,,${formatMoney(cents)},KES`;
  return [
    HEADER,
    balance('opening', period.from, openingCents),
    ...rows,
    balance('closing', period.to, balanceCents),
    '',
  ].join('\r\n');
}

/** Imports a statement of the time that ends now, by the database's clock, and began an hour before. */
export async function importLines(
  books: Books,
  folder: string,
  lines: readonly Line[],
  options: Partial<ImportRequest> & { readonly openingCents?: bigint; readonly text?: string } = {},
): Promise<Imported> {
  const result = await tryImport(books, folder, lines, options);
  if (result.kind === 'imported') return result;
  throw new Error(`refused: ${JSON.stringify(result.problems)}`);
}

export async function tryImport(
  books: Books,
  folder: string,
  lines: readonly Line[],
  options: Partial<ImportRequest> & { readonly openingCents?: bigint; readonly text?: string } = {},
): ReturnType<typeof importOperatorStatement> {
  const { to = await databaseTime(books), openingCents, text, ...others } = options;
  const from = options.from ?? new Date(Number(to) - 3_600_000);
  const file = path.join(folder, `${newId()}.csv`);
  const content = text ?? statementText(lines, { from, to, ...(openingCents && { openingCents }) });
  await writeFile(file, content);
  return await importOperatorStatement({
    pool: books.pool,
    ledgerMac: books.ledgerMac,
    file,
    operator: OPERATOR,
    format: createStatementFormat({
      absenceIsProof: false,
      acceptanceWindowMs: 0,
      payDeadlineMs: 0,
    }),
    complete: true,
    toleranceMs: 0,
    ...others,
    from,
    to,
  });
}

/** A moment after everything written so far, and before everything written from now on. */
export async function databaseTime(books: Books): Promise<Date> {
  // A posting time may be a millisecond ahead.
  const read = await books.pool.query<{ now: Date }>(
    `select date_trunc('milliseconds', clock_timestamp()) + interval '2 milliseconds' as now`,
  );
  const now = read.rows[0]?.now ?? new Date();
  await until('the moment has passed', async () => {
    const asked = await books.pool.query<{ past: boolean }>(
      'select clock_timestamp() > $1::timestamptz as past',
      [now],
    );
    return asked.rows[0]?.past;
  });
  return now;
}
