import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { closeDay, reportDay } from '../../payments/reconciliation/days.ts';
import type { Day, DayReport } from '../../payments/reconciliation/days.ts';
import type { DayTotal } from '../../payments/reconciliation/days-store.ts';
import { readVids } from '../../parties/store.ts';
import { asPerson } from '../parties/as-person.ts';
import { code, command, oneDay } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';

interface CloseOptions {
  readonly json?: boolean;
  readonly by: string;
  readonly withoutStatement: readonly string[];
  readonly despiteOpenCases?: boolean;
  readonly note?: string;
}

export function addCloseCommand(reconcile: Command, cli: Cli): void {
  command(
    reconcile,
    'close <day>',
    'Freeze the totals of a day (YYYY-MM-DD) that is over. Refused while statements are missing or cases are open.',
  )
    .requiredOption('--by <name>', 'who closes it')
    .option(
      '--without-statement <operator>',
      'close although the statement of this operator is missing; may be repeated',
      (text: string, given: readonly string[]) => [...given, code(text)],
      [],
    )
    .option('--despite-open-cases', 'close although cases are open')
    .option('--note <text>', 'why, when something is missing')
    .action(async (text: string, options: CloseOptions) => {
      await cli.run(options, async (session) => {
        const { note = null, withoutStatement } = options;
        const day = readDay(text, session);
        const by = { by: options.by, permission: 'reconciliation.act' } as const;
        const act = { ...by, action: 'day.close', target: text, reason: note ?? undefined };
        const despiteOpenCases = options.despiteOpenCases === true;
        const closed = await asPerson(cli, session, act, (closer) =>
          closeDay(session.pool, { ...day, by: closer, withoutStatement, despiteOpenCases, note }),
        );
        return await reportAnswer(session, closed);
      });
    });
}

export function addDayReport(reconcile: Command, cli: Cli): void {
  command(
    reconcile,
    'report <day>',
    'The totals of a day: final if it is closed, otherwise preliminary.',
  ).action(async (text: string, options: { json?: boolean }) => {
    await cli.run(options, async (session) =>
      reportAnswer(session, await reportDay(session.pool, readDay(text, session))),
    );
  });
}

function readDay(day: string, { wireTime }: Session): Day {
  return { day, ...oneDay(day, 'The day', wireTime) };
}

const AMOUNTS = [
  'opening',
  'in',
  'payments',
  'fees',
  'vat',
  'payouts',
  'costs',
  'commissions',
  'refunds',
  'corrections',
  'closing',
] as const satisfies readonly string[];
type AmountName = (typeof AMOUNTS)[number];
type Amounts = Readonly<Record<AmountName, bigint>>;
type AmountTexts = Readonly<Record<AmountName, string>>;

/** The columns for people. The others are zero. */
const OF_VENDORS = AMOUNTS.filter((name) => name !== 'costs' && name !== 'commissions');
const OF_OPERATORS = AMOUNTS.filter(
  (name) => name !== 'in' && name !== 'fees' && name !== 'vat' && name !== 'payouts',
);

function amountsOf(row: DayTotal): Amounts {
  return {
    opening: row.openingCents,
    in: row.inCents,
    payments: row.paymentsCents,
    fees: row.feesCents,
    vat: row.vatCents,
    payouts: row.payoutsCents,
    costs: row.costsCents,
    commissions: row.commissionsCents,
    refunds: row.refundsCents,
    corrections: row.correctionsCents,
    closing: row.closingCents,
  };
}

/** Sums by name, in the order in which the names first occur. */
function sums(rows: readonly (readonly [string, Amounts])[]): Map<string, Amounts> {
  const summed = new Map<string, Amounts>();
  for (const [name, amounts] of rows) {
    const before = summed.get(name);
    const entries = AMOUNTS.map((key) => [key, amounts[key] + (before?.[key] ?? 0n)] as const);
    summed.set(name, Object.fromEntries(entries) as Record<AmountName, bigint>);
  }
  return summed;
}

async function reportAnswer(session: Session, report: DayReport): Promise<Answer> {
  const vids = await readVids(session.pool);
  const own = report.totals.filter((row) => row.operatorCode === '');
  const vendors = own.map((row) => ({
    // null: the service itself, not a vendor.
    vid: vids.get(row.vendorId) ?? null,
    ...textOf(amountsOf(row)),
  }));
  const total = sums(own.map((row) => ['total', amountsOf(row)])).get('total');
  const operators = sums(
    report.totals
      .filter((row) => row.operatorCode !== '')
      .map((row) => [row.operatorCode, amountsOf(row)]),
  );
  const { closed } = report;
  const json = {
    day: report.day.day,
    from: report.day.from.toISOString(),
    to: report.day.to.toISOString(),
    closed: closed !== null,
    closed_at: closed?.closedAt.toISOString() ?? null,
    closed_by: closed?.closedBy ?? null,
    exceptions: closed?.exceptions ?? {},
    open_cases: report.openCases,
    vendors,
    total: total === undefined ? null : textOf(total),
    operators: [...operators].map(([operator, amounts]) => ({ operator, ...textOf(amounts) })),
    statements: report.operators.map((row) => ({
      operator: row.operator,
      opening: row.openingCents === null ? null : formatMoney(row.openingCents),
      top_ups: formatMoney(row.topUpsCents),
      payments: formatMoney(row.paymentsCents),
      reversals: formatMoney(row.reversalsCents),
      charges: formatMoney(row.chargesCents),
      closing: row.closingCents === null ? null : formatMoney(row.closingCents),
    })),
  };
  return { json, text: reportText(session, report, json) };
}

function textOf(amounts: Amounts): AmountTexts {
  const entries = AMOUNTS.map((key) => [key, formatMoney(amounts[key])] as const);
  return Object.fromEntries(entries) as Record<AmountName, string>;
}

function right(title: string): { readonly title: string; readonly align: 'right' } {
  return { title, align: 'right' };
}

function titles(names: readonly AmountName[]) {
  return names.map((name) => right(name.toUpperCase()));
}

function cells(row: AmountTexts, names: readonly AmountName[]): string[] {
  return names.map((name) => row[name]);
}

function reportText(
  { wireTime }: Session,
  report: DayReport,
  json: {
    readonly vendors: readonly (AmountTexts & { readonly vid: string | null })[];
    readonly total: AmountTexts | null;
    readonly operators: readonly (AmountTexts & { readonly operator: string })[];
    readonly statements: readonly Readonly<Record<string, string | null>>[];
  },
): string {
  const { closed } = report;
  const statementColumns = ['opening', 'top_ups', 'payments', 'reversals', 'charges', 'closing'];
  const head = record([
    ['day', report.day.day],
    [
      'state',
      closed === null
        ? 'open; the totals so far'
        : `closed by ${closed.closedBy} at ${wireTime.format(closed.closedAt)}`,
    ],
    ...Object.entries(closed?.exceptions ?? {}).map(
      ([name, value]) =>
        [
          name.replaceAll('_', ' '),
          Array.isArray(value) ? value.join(', ') : String(value),
        ] as const,
    ),
    ['cases open now', String(report.openCases)],
  ]);
  const vendors = table(
    [{ title: 'VENDOR' }, ...titles(OF_VENDORS)],
    [
      ...json.vendors.map((row) => [row.vid ?? 'house', ...cells(row, OF_VENDORS)]),
      ...(json.total === null ? [] : [['TOTAL', ...cells(json.total, OF_VENDORS)]]),
    ],
    'no vendor has money here',
  );
  const operators = table(
    [{ title: 'PAID THROUGH' }, ...titles(OF_OPERATORS)],
    json.operators.map((row) => [row.operator, ...cells(row, OF_OPERATORS)]),
    'nothing went to operators',
  );
  const statements = table(
    [
      { title: 'STATEMENTS OF' },
      ...statementColumns.map((name) => right(name.toUpperCase().replace('_', ' '))),
    ],
    json.statements.map((row) => [
      row['operator'] ?? '',
      ...statementColumns.map((name) => row[name] ?? ''),
    ]),
    'no statements',
  );
  return `${head}\n${vendors}\n${operators}\n${statements}`;
}
