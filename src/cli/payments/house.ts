import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { listHouseTransfers } from '../../payments/house/store.ts';
import { addTrialBalance } from './trial-balance.ts';
import { command, like, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';

export function addHouseCommands(program: Command, cli: Cli): void {
  const house = program
    .command('house')
    .description('The books of the company that runs this service: floats with operators, banks.');
  addTrialBalance(house, cli);
  addTransfers(house, cli);
}

const ACCOUNT = { pattern: '^[a-z0-9_:-]{1,80}$', form: 'the name of an account' };

function addTransfers(house: Command, cli: Cli): void {
  command(house, 'transfers', 'Transfers of the house, newest first.')
    .option('--account <account>', 'of this account only', like(ACCOUNT))
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 50)
    .action(async (options: { json?: boolean; account?: string; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { account = null, limit } = options;
        const rows = await listHouseTransfers(pool, {
          ...{ account, limit },
          period: null,
          before: null,
        });
        return {
          json: {
            transfers: rows.map((row) => ({
              transfer: row.transferId,
              moved_at: row.movedAt.toISOString(),
              posted_at: row.postedAt.toISOString(),
              debit: row.debitAccount,
              credit: row.creditAccount,
              amount: formatMoney(row.amountCents),
              source: row.source,
              source_id: row.sourceId,
              reference: row.reference,
            })),
          },
          text: table(
            [
              { title: 'MOVED' },
              { title: 'DEBIT' },
              { title: 'CREDIT' },
              { title: 'AMOUNT', align: 'right' },
              { title: 'SOURCE' },
              { title: 'REFERENCE' },
            ],
            rows.map((row) => [
              wireTime.format(row.movedAt),
              row.debitAccount,
              row.creditAccount,
              formatMoney(row.amountCents),
              row.source,
              row.reference ?? '',
            ]),
            'no transfers',
          ),
        };
      });
    });
}
