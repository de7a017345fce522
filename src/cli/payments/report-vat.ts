import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { reportVat } from '../../payments/reports/vat.ts';
import type { VatReport, VatSums } from '../../payments/reports/vat.ts';
import { periodOfMonth } from '../../platform/base/clock.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { UsageError } from '../failure.ts';
import { record, table } from '../output.ts';
import { csvAnswer, requireOneFormat } from './report-output.ts';
import type { ReportFormat } from './report-output.ts';

function month(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a month, YYYY-MM.');
}

export function addVat(report: Command, cli: Cli): void {
  command(
    report,
    'vat',
    'The VAT of a month by vendor: charged with fees, less what corrections gave back. The fees are the taxable base: those that VAT was charged on, without it. Exits with 1 unless the total agrees with the ledger’s account.',
  )
    .requiredOption('--month <month>', 'YYYY-MM', month)
    .option('--csv', 'CSV')
    .action(async (options: ReportFormat & { readonly month: string }) => {
      requireOneFormat(options);
      await cli.run(options, async ({ pool, wireTime }) => {
        const period = periodOfMonth(options.month, wireTime);
        if (period === undefined) throw new UsageError('--month must be a month, YYYY-MM.');
        const found = await reportVat(pool, period);
        const exitCode = found.isEqual ? EXIT.done : EXIT.failed;
        if (options.csv === true) return csvAnswer(rowsOf(found), exitCode);
        return {
          json: {
            month: options.month,
            vendors: found.vendors.map((row) => ({ vid: row.vid, ...sumsJson(row) })),
            ...sumsJson(found.total),
            opening: formatMoney(found.openingCents),
            paid: formatMoney(found.paidCents),
            closing: formatMoney(found.closingCents),
            is_equal: found.isEqual,
          },
          text: textOf(found),
          exitCode,
        };
      });
    });
}

function sumsJson(sums: VatSums) {
  return {
    charges: sums.charges,
    fees: formatMoney(sums.feesCents),
    charged: formatMoney(sums.chargedCents),
    returned: formatMoney(sums.returnedCents),
    vat: formatMoney(sums.vatCents),
  };
}

function rowsOf({ vendors, total }: VatReport): string[][] {
  return [
    ['vendor', ...Object.keys(sumsJson(total))],
    ...[...vendors, { vid: 'total', ...total }].map((row) => [
      row.vid,
      ...Object.values(sumsJson(row)).map(String),
    ]),
  ];
}

function textOf(found: VatReport): string {
  const [titles = [], ...rows] = rowsOf(found);
  const columns = titles.map((name, index) => ({
    title: name.toUpperCase(),
    ...(index === 0 ? {} : { align: 'right' as const }),
  }));
  const account = record([
    ['owed before', formatMoney(found.openingCents)],
    ['VAT of the month', formatMoney(found.total.vatCents)],
    ['paid', formatMoney(found.paidCents)],
    ['owed at the end', formatMoney(found.closingCents)],
    ['ledger', found.isEqual ? 'the same' : 'DIFFERENT: run ledger check'],
  ]);
  return `${table(columns, rows)}\n${account}`;
}
