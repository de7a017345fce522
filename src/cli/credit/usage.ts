import type { Command } from 'commander';
import { readUsage } from '../../credit/monitoring/read-usage.ts';
import type { Usage } from '../../credit/monitoring/usage.ts';
import { command, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table, withWireNames } from '../output.ts';

/** Counts enquiries, and those that found somebody. */
export function addUsageCommand(credit: Command, cli: Cli): void {
  command(credit, 'usage', 'Enquiries by day and by vendor: how many found somebody.')
    .option('--days <count>', 'today and the days before it', wholeNumber(1, 92), 14)
    .action(async (options: { json?: boolean; days: number }) => {
      await cli.run(options, async ({ pool, config, wireTime }) => {
        const { timeZone } = config;
        const { days, vendors } = await readUsage(pool, {
          ...{ days: options.days, now: new Date(), timeZone, wireTime },
        });
        return {
          json: { days: days.map(withWireNames), vendors: vendors.map(withWireNames) },
          text: [usageTable('DAY', days), usageTable('VENDOR', vendors)].join('\n'),
        };
      });
    });
}

function usageTable(of: string, rows: readonly Usage[]): string {
  const titles = ['ENQUIRIES', 'ANSWERED', 'NOT FOUND', 'MISMATCHED', 'UNKNOWN'];
  return table(
    [
      { title: of },
      ...[...titles, 'HIT RATE', 'MISMATCH RATE'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ],
    rows.map((row) => [
      row.of,
      ...[row.enquiries, row.answered, row.notFound, row.mismatched, row.unknown].map(String),
      percentText(row.hitRate),
      percentText(row.mismatchRate),
    ]),
    'no enquiries',
  );
}

function percentText(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)} %`;
}
