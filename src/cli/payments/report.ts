import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { marginOf, reportMargin } from '../../payments/reports/margin.ts';
import type { MarginReport } from '../../payments/reports/margin.ts';
import { DIMENSIONS } from '../../payments/reports/margin-store.ts';
import type { Dimension } from '../../payments/reports/margin-store.ts';
import type { MarginRow, MarginSums } from '../../payments/reports/margin.ts';
import { readVids } from '../../parties/store.ts';
import { command, periodEnd, periodStart } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { table } from '../output.ts';
import { addHouseReport } from './report-house.ts';
import { csvAnswer, requireOneFormat } from './report-output.ts';
import type { ReportFormat } from './report-output.ts';
import { addExposure, addReceivables } from './report-receivables.ts';
import { addVat } from './report-vat.ts';

export function addReportCommands(program: Command, cli: Cli): void {
  const report = program.command('report').description('Reports over a period.');
  addMargin(report, cli);
  addVat(report, cli);
  addReceivables(report, cli);
  addExposure(report, cli);
  addHouseReport(report, cli);
}

function dimensions(text: string): readonly Dimension[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  const known = DIMENSIONS.filter((name) => names.includes(name));
  if (known.length === new Set(names).size) return known;
  throw new InvalidArgumentError(
    `It must be one or more of ${DIMENSIONS.join(', ')}, separated by commas.`,
  );
}

interface MarginOptions extends ReportFormat {
  readonly from: string;
  readonly to: string;
  readonly by: readonly Dimension[];
}

function addMargin(report: Command, cli: Cli): void {
  command(
    report,
    'margin',
    'Income and cost of payments: fees, VAT, operators’ costs and commissions, including corrections. Each amount is the sum of transfers of the period.',
  )
    .requiredOption('--from <time>', 'a day or a time')
    .requiredOption('--to <time>', 'a day (included) or a time (not included)')
    .option('--by <names>', `some of ${DIMENSIONS.join(', ')}, separated by commas`, dimensions, [
      'biller',
    ])
    .option('--csv', 'CSV')
    .action(async (options: MarginOptions) => {
      requireOneFormat(options);
      await cli.run(options, async ({ pool, wireTime, config }) => {
        const from = periodStart(options.from, '--from', wireTime);
        const to = periodEnd(options.to, '--to', wireTime);
        if (to <= from) throw new UsageError('--to must be later than --from.');
        const period = { from, to, timeZone: config.timeZone };
        const margin = await reportMargin(pool, period, new Set(options.by));
        const vids = await readVids(pool);
        const lines = margin.rows.map((row) => ({
          ...keysOf(row, options.by, vids),
          ...amountsOf(row),
        }));
        if (options.csv === true) {
          return csvAnswer(rowsOf(options.by, lines));
        }
        return {
          json: {
            from: from.toISOString(),
            to: to.toISOString(),
            by: options.by,
            rows: lines,
            total: amountsOf(margin.total),
          },
          text: textOf(options.by, lines, margin),
        };
      });
    });
}

function keysOf(
  row: MarginRow,
  by: readonly Dimension[],
  vids: ReadonlyMap<number, string>,
): Partial<Record<Dimension, string>> {
  const all: Record<Dimension, string | null> = {
    biller: row.billerCode,
    operator: row.operatorCode,
    vendor: row.vendorId === null ? null : (vids.get(row.vendorId) ?? null),
    day: row.day,
  };
  return Object.fromEntries(by.map((name) => [name, all[name] ?? '']));
}

const AMOUNTS = ['amount', 'fees', 'vat', 'cost', 'commission', 'margin'] as const;

type Amounts = Readonly<Record<(typeof AMOUNTS)[number], string>> & { readonly payments: number };

function amountsOf(sums: MarginSums): Amounts {
  return {
    payments: sums.payments,
    amount: formatMoney(sums.amountCents),
    fees: formatMoney(sums.feesCents),
    vat: formatMoney(sums.vatCents),
    cost: formatMoney(sums.costCents),
    commission: formatMoney(sums.commissionCents),
    margin: formatMoney(marginOf(sums)),
  };
}

type Line = Partial<Record<Dimension, string>> & Amounts;

function cellsOf(line: Amounts): string[] {
  return [String(line.payments), ...AMOUNTS.map((name) => line[name])];
}

function rowsOf(by: readonly Dimension[], lines: readonly Line[]): string[][] {
  return [
    [...by, 'payments', ...AMOUNTS],
    ...lines.map((line) => [...by.map((name) => line[name] ?? ''), ...cellsOf(line)]),
  ];
}

function textOf(by: readonly Dimension[], lines: readonly Line[], { total }: MarginReport): string {
  const titles = ['payments', ...AMOUNTS].map((name) => ({
    title: name.toUpperCase(),
    align: 'right' as const,
  }));
  return table(
    [...by.map((name) => ({ title: name.toUpperCase() })), ...titles],
    [
      ...lines.map((line) => [...by.map((name) => line[name] ?? ''), ...cellsOf(line)]),
      [...by.map((_, index) => (index === 0 ? 'TOTAL' : '')), ...cellsOf(amountsOf(total))],
    ],
  );
}
