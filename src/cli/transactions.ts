import { Option } from 'commander';
import type { Command } from 'commander';
import { Refusal } from '../base/errors.ts';
import { decodeReference } from '../base/ids.ts';
import type { Queryable } from '../db/pool.ts';
import * as fields from '../http/merchant/fields.ts';
import { readArchivedTransaction } from '../transactions/archive-store.ts';
import {
  listTransactions,
  readTransaction,
  readTransactionByReference,
} from '../transactions/store.ts';
import type { TransactionRow } from '../transactions/store.ts';
import { TRANSACTION_STATUSES } from '../transactions/transaction.ts';
import type { TransactionStatus } from '../transactions/transaction.ts';
import { command, like, signerName, wholeNumber } from './arguments.ts';
import type { Cli } from './cli.ts';
import { UsageError } from './failure.ts';
import { table } from './output.ts';
import { transactionJson, transactionText } from './transaction-view.ts';
import { requireVendor } from './vendors.ts';

interface StatusOptions {
  readonly json?: boolean;
  readonly vid: string;
  readonly reference?: string;
  readonly merchantReference?: string;
}

export function addStatusCommand(program: Command, cli: Cli): void {
  command(program, 'status', 'What became of a transaction.')
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
        throw new UsageError('Give --reference or --merchant-reference.');
      }
      await cli.run(options, async ({ pool, wireTime }) => {
        const vendor = await requireVendor(pool, options.vid);
        const row = await findTransaction(pool, vendor.vendor_id, options);
        if (row === undefined) {
          const field = options.reference === undefined ? 'merchant_reference' : 'reference';
          throw new Refusal('unknown_reference', { field });
        }
        return {
          json: transactionJson(row, options.vid),
          text: transactionText(row, options.vid, wireTime),
        };
      });
    });
}

async function findTransaction(
  db: Queryable,
  vendorId: number,
  options: StatusOptions,
): Promise<TransactionRow | undefined> {
  if (options.merchantReference !== undefined) {
    const key = { vendorId, merchantReference: options.merchantReference };
    return (
      (await readTransactionByReference(db, vendorId, key.merchantReference)) ??
      (await readArchivedTransaction(db, key))
    );
  }
  const place = decodeReference(options.reference ?? '');
  if (place?.vendorId !== vendorId) return undefined;
  return (
    (await readTransaction(db, vendorId, place.transactionId)) ??
    (await readArchivedTransaction(db, place))
  );
}

interface ListOptions {
  readonly json?: boolean;
  readonly vid: string;
  readonly status?: TransactionStatus;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 20;
const MOST_LISTED = 1000;

export function addTransactionsCommand(program: Command, cli: Cli): void {
  command(program, 'transactions', 'A vendor’s transactions, newest first.')
    .requiredOption('--vid <vid>', 'vendor ID', signerName)
    .addOption(new Option('--status <status>', 'only these').choices(TRANSACTION_STATUSES))
    .option('--limit <count>', 'most rows (default 20)', wholeNumber(1, MOST_LISTED))
    .action(async (options: ListOptions) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const vendor = await requireVendor(pool, options.vid);
        const rows = await listTransactions(pool, vendor.vendor_id, {
          status: options.status,
          limit: options.limit ?? DEFAULT_LIMIT,
        });
        const transactions = rows.map((row) => transactionJson(row, options.vid));
        return {
          json: { transactions },
          text: table(
            [
              { title: 'CREATED' },
              { title: 'REFERENCE' },
              { title: 'MERCHANT REFERENCE' },
              { title: 'BILLER' },
              { title: 'ACCOUNT' },
              { title: 'AMOUNT', align: 'right' },
              { title: 'STATUS' },
              { title: 'MESSAGE' },
            ],
            transactions.map((view, index) => [
              wireTime.format(rows[index]?.created_at ?? new Date(0)),
              view.ipay_reference,
              view.merchant_reference ?? '',
              view.biller_name,
              view.account,
              view.amount,
              view.transaction_status,
              view.transaction_message ?? '',
            ]),
            'no transactions',
          ),
        };
      });
    });
}
