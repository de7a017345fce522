import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { AGES, ageCell } from '../../payments/reports/ages.ts';
import type { ByAge } from '../../payments/reports/ages.ts';
import { reportExposure, reportReceivables } from '../../payments/reports/receivables.ts';
import type {
  ExposureReport,
  Receivable,
  ReceivablesReport,
} from '../../payments/reports/receivables.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import type { Session } from '../session.ts';
import { csvAnswer, requireOneFormat } from './report-output.ts';
import type { ReportFormat } from './report-output.ts';

export function addReceivables(report: Command, cli: Cli): void {
  command(
    report,
    'receivables',
    'What vendors and operators owe us now, each debt with its age, payment and case. Sums to the ledger’s accounts.',
  )
    .option('--csv', 'CSV')
    .action(async (options: ReportFormat) => {
      requireOneFormat(options);
      await cli.run(options, async (session) => {
        const found = await reportReceivables(session.pool, new Date());
        const items = found.items.map(itemJson);
        if (options.csv === true) {
          const rows = items
            .map((item) => ({ ...item, age_days: ageCell(item.age_days) }))
            .map((item) => TITLES.map((title) => item[title] ?? ''));
          return csvAnswer([TITLES, ...rows]);
        }
        return {
          json: {
            at: found.at.toISOString(),
            items,
            by_age: byAgeJson(found.byAge),
            total: formatMoney(found.totalCents),
          },
          text: receivablesText(found, session),
        };
      });
    });
}

// oxfmt-ignore
const TITLES = [
  'debtor', 'name', 'since', 'age_days', 'amount', 'owed', 'reference', 'case', 'open_case',
] as const satisfies readonly (keyof ReturnType<typeof itemJson>)[];

function itemJson(item: Receivable) {
  return {
    debtor: item.debtor,
    name: item.name,
    since: item.since?.toISOString() ?? null,
    age_days: item.age,
    amount: formatMoney(item.amountCents),
    owed: formatMoney(item.owedCents),
    reference: item.reference,
    case: item.caseId,
    open_case: item.openCaseId,
  };
}

function byAgeJson(sums: ByAge): Record<string, string> {
  return Object.fromEntries(AGES.map((age, index) => [age, formatMoney(sums[index] ?? 0n)]));
}

function receivablesText(found: ReceivablesReport, { wireTime }: Session): string {
  const rows = found.items.map((item) => [
    item.name,
    item.since === null ? '' : wireTime.format(item.since),
    item.age,
    formatMoney(item.amountCents),
    item.reference ?? '',
    item.caseId ?? '',
  ]);
  const items = table(
    [
      { title: 'DEBTOR' },
      { title: 'SINCE' },
      { title: 'DAYS' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'PAYMENT' },
      { title: 'CASE' },
    ],
    rows,
    'nobody owes us anything',
  );
  return `${items}\n${ageTable([['receivables', found.byAge]])}`;
}

function ageTable(rows: readonly (readonly [string, ByAge])[]): string {
  const days = AGES.map((age) => ({ title: `${age} DAYS`, align: 'right' as const }));
  return table(
    [{ title: 'WHAT' }, ...days, { title: 'TOTAL', align: 'right' }],
    rows.map(([name, sums]) => {
      const total = sums.reduce((sum, cents) => sum + cents, 0n);
      return [name, ...sums.map(formatMoney), formatMoney(total)];
    }),
  );
}

export function addExposure(report: Command, cli: Cli): void {
  command(
    report,
    'exposure',
    'Payments whose outcome is unknown, by operator, and credited income that was taken back later; each by age.',
  )
    .option('--csv', 'CSV')
    .action(async (options: ReportFormat) => {
      requireOneFormat(options);
      await cli.run(options, async (session) => {
        const found = await reportExposure(session.pool, new Date());
        if (options.csv === true) return csvAnswer(exposureRows(found));
        return { json: exposureJson(found), text: exposureText(found, session) };
      });
    });
}

function exposureJson(found: ExposureReport) {
  return {
    at: found.at.toISOString(),
    unknown: found.unknown.map(({ operator, count, amountCents, ages }) => ({
      ...{ operator, count, amount: formatMoney(amountCents) },
      by_age: AGES.map((age, index) => {
        const { count: number = 0, amountCents: cents = 0n } = ages[index] ?? {};
        return { age_days: age, count: number, amount: formatMoney(cents) };
      }),
    })),
    unknown_total: formatMoney(found.unknownCents),
    reversed: found.reversed.map((row) => ({
      vid: row.vid,
      issuer: row.issuer,
      receipt: row.receipt,
      since: row.since.toISOString(),
      age_days: row.age,
      amount: formatMoney(row.amountCents),
      case: row.caseId,
    })),
    reversed_by_age: byAgeJson(found.reversedByAge),
    reversed_total: formatMoney(found.reversedCents),
  };
}

/** One line for each figure. */
function exposureRows(found: ExposureReport): string[][] {
  return [
    ['what', 'operator', 'vendor', 'receipt', 'case', 'age_days', 'count', 'amount'],
    ...found.unknown.flatMap(({ operator, ages }) =>
      ages.map(({ count, amountCents }, index) => [
        ...['unknown', operator, '', '', '', ageCell(AGES[index] ?? '')],
        ...[String(count), formatMoney(amountCents)],
      ]),
    ),
    ...found.reversed.map((row) => [
      ...['reversed', '', row.vid, row.receipt ?? '', row.caseId, ageCell(row.age)],
      ...['1', formatMoney(row.amountCents)],
    ]),
  ];
}

function exposureText(found: ExposureReport, { wireTime }: Session): string {
  const sums = ageTable([
    ...found.unknown.map(
      ({ operator, count, ages }) =>
        [`unknown with ${operator} (${count})`, amountsOf(ages)] as const,
    ),
    ['taken back', found.reversedByAge],
  ]);
  const reversed = table(
    [
      { title: 'TAKEN BACK FROM' },
      { title: 'SINCE' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'RECEIPT' },
      { title: 'CASE' },
    ],
    found.reversed.map((row) => [
      row.vid,
      wireTime.format(row.since),
      formatMoney(row.amountCents),
      row.receipt ?? '',
      row.caseId,
    ]),
    'nothing was taken back',
  );
  return `${sums}\n${reversed}`;
}

function amountsOf(ages: ExposureReport['unknown'][number]['ages']): ByAge {
  const [first, second, third, fourth] = ages.map(({ amountCents }) => amountCents);
  return [first ?? 0n, second ?? 0n, third ?? 0n, fourth ?? 0n];
}
