import { Option } from 'commander';
import type { Command } from 'commander';
import { Refusal } from '../../platform/base/errors.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { decodeReference } from '../../parties/reference.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import * as fields from '../../payments/operations/fields.ts';
import { readArchivedPayment } from '../../payments/archive/archive-store.ts';
import { readPayment, readPaymentByReference, readPayments } from '../../payments/create/store.ts';
import type { PaymentRow } from '../../payments/create/store.ts';
import { PAYMENT_STATUSES } from '../../payments/create/payment.ts';
import type { PaymentStatus } from '../../payments/create/payment.ts';
import { allPages } from '../../payments/timeline/query.ts';
import type { PaymentQuery } from '../../payments/timeline/query.ts';
import {
  command,
  dayPeriod,
  fromDayOption,
  like,
  signerName,
  toDayOption,
  wholeNumber,
  wideOption,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { table } from '../output.ts';
import { paymentJson, paymentText } from './payment-view.ts';
import { requireVendor } from '../parties/vendors.ts';

interface StatusOptions {
  readonly json?: boolean;
  readonly vid: string;
  readonly reference?: string;
  readonly merchantReference?: string;
}

export function addStatusCommand(program: Command, cli: Cli): void {
  command(program, 'status', 'Show the status of a payment.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .addOption(
      new Option('--reference <reference>', 'the ipay_reference that create returned').conflicts(
        'merchantReference',
      ),
    )
    .option(
      '--merchant-reference <reference>',
      'the vendor’s own reference',
      like(fields.merchantReference),
    )
    .action(async (options: StatusOptions) => {
      if ((options.reference ?? options.merchantReference) === undefined) {
        throw new UsageError('--reference or --merchant-reference is required.');
      }
      await cli.run(options, async ({ pool, wireTime }) => {
        const vendor = await requireVendor(pool, options.vid);
        const row = await findPayment(pool, vendor.vendorId, options);
        if (row === undefined) {
          const field = options.reference === undefined ? 'merchant_reference' : 'reference';
          throw new Refusal('unknown_reference', {
            field,
            text: 'This vendor has no payment with this reference',
          });
        }
        return {
          json: paymentJson(row, options.vid),
          text: paymentText(row, options.vid, wireTime),
        };
      });
    });
}

async function findPayment(
  db: Queryable,
  vendorId: number,
  options: StatusOptions,
): Promise<PaymentRow | undefined> {
  if (options.merchantReference !== undefined) {
    const key = { vendorId, merchantReference: options.merchantReference };
    return (
      (await readPaymentByReference(db, vendorId, key.merchantReference)) ??
      (await readArchivedPayment(db, key))
    );
  }
  const location = decodeReference(options.reference ?? '');
  if (location?.vendorId !== vendorId) return undefined;
  return (
    (await readPayment(db, vendorId, location.paymentId)) ??
    (await readArchivedPayment(db, location))
  );
}

interface ListOptions {
  readonly json?: boolean;
  readonly vid: string;
  readonly status?: PaymentStatus;
  readonly from?: string;
  readonly to?: string;
  readonly wide?: boolean;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 20;
const MAX_LISTED = 1000;
/** The clocks of other processes may be ahead. */
const AHEAD_MS = 60_000;

export function addPaymentsCommand(program: Command, cli: Cli): void {
  command(program, 'payments', 'A vendor’s payments, newest first.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .addOption(
      new Option('--status <status>', 'only payments with this status').choices(PAYMENT_STATUSES),
    )
    .addOption(fromDayOption())
    .addOption(toDayOption())
    .addOption(wideOption())
    .option('--limit <count>', 'at most this many rows (default 20)', wholeNumber(1, MAX_LISTED))
    .action(async (options: ListOptions) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const period = dayPeriod(options, wireTime);
        const vendor = await requireVendor(pool, options.vid);
        const rows = await listPayments(pool, {
          filter: { vendorId: vendor.vendorId, status: options.status },
          from: period.from ?? new Date(0),
          to: period.to ?? new Date(Date.now() + AHEAD_MS),
          limit: options.limit ?? DEFAULT_LIMIT,
        });
        return {
          json: { payments: rows.map((row) => paymentJson(row, options.vid)) },
          text: listText(rows, options, wireTime),
        };
      });
    });
}

/** With what the status of each payment shows. */
async function listPayments(
  pool: Pool,
  { limit, ...query }: Omit<PaymentQuery, 'term'> & { readonly limit: number },
): Promise<PaymentRow[]> {
  const rows: PaymentRow[] = [];
  for await (const page of allPages(pool, { ...query, term: undefined }, { maxRows: limit })) {
    const ids = page.payments.map(({ paymentId }) => paymentId);
    const read = await readPayments(pool, query.filter.vendorId ?? 0, ids);
    const byId = new Map(read.map((row) => [row.paymentId, row]));
    rows.push(...ids.flatMap((id) => byId.get(id) ?? []));
  }
  return rows;
}

/** Without `--wide` it fits into 100 columns. */
function listText(
  rows: readonly PaymentRow[],
  { vid, wide = false }: ListOptions,
  wireTime: WireTime,
): string {
  return table(
    [
      { title: 'CREATED' },
      { title: 'REFERENCE' },
      { title: 'MERCHANT REFERENCE', wide: true },
      { title: 'BILLER' },
      { title: 'ACCOUNT' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'STATUS' },
      { title: 'MESSAGE', wide: true },
    ],
    rows.map((row) => {
      const view = paymentJson(row, vid);
      const created = wireTime.format(row.createdAt);
      return [
        wide ? created : created.slice(0, -':00'.length),
        view.ipay_reference,
        view.merchant_reference ?? '',
        view.biller_name,
        view.account,
        view.amount,
        view.transaction_status,
        view.transaction_message ?? '',
      ];
    }),
    'no payments',
    wide,
  );
}
