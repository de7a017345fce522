import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { ComparedFloat } from '../payments/reconciliation/compare-day.ts';
import type { DayReport, Day } from '../payments/reconciliation/days.ts';
import { periodOfDay } from '../platform/base/clock.ts';
import type { WireTime } from '../platform/base/clock.ts';
import { Refusal } from '../platform/base/errors.ts';
import { formatMoney } from '../platform/base/money.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { count, inputOf, money, moneyOrNull, orNull, text, textOrNull, titled } from './fields.ts';
import { statementView, statementViewOf } from './statements.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../connectors/registry.ts')),
  ...(await import('../payments/reconciliation/compare-day.ts')),
  ...(await import('../payments/reconciliation/days.ts')),
});

interface Closed {
  readonly closed_by: string | null;
}

const closedText = (
  at: string | null,
  { closed_by: by }: Closed,
  time: (iso: string) => string,
): string => (at === null ? 'open; the totals so far' : `closed by ${by} at ${time(at)}`);

const head = {
  day: text({ title: 'Day' }),
  from: fields.time(),
  /** Not included. */
  to: fields.time(),
  /** Null: it is open. */
  closed_at: fields.timeOrNull({ title: 'State', text: closedText }),
  closed_by: textOrNull(),
  /** What was missing when it was closed, and why it was closed nevertheless. */
  exceptions: Type.Record(Type.String(), Type.Unknown(), { title: '', spread: true }),
  /** About something before the end of the day. */
  open_cases: count({ title: 'Cases open now' }),
};

const float = Type.Object({
  operator: text({ title: 'Operator' }),
  booked: money({ title: 'In our books now' }),
  /** Null: the operator has reported no balance. The parts sum to the difference. */
  report: orNull(
    Type.Object({
      balance: money(),
      at: fields.time(),
      difference: money(),
      in_flight: money(),
      settled_since: money(),
      not_booked: money(),
      unexplained: money(),
    }),
    {
      title: 'Unexplained',
      text: (report: { unexplained: string } | null) => report?.unexplained ?? '',
    },
  ),
  /** Null: no statement has a balance. */
  statement: orNull(
    Type.Object({ at: fields.time(), closing: money(), booked: money(), difference: money() }),
    {
      title: 'Difference of the statement',
      text: (statement: { difference: string } | null) => statement?.difference ?? '',
    },
  ),
});
export type DayFloat = Static<typeof float>;

const compared = Type.Object({
  ...head,
  /** The last closed day; null: none is closed. */
  last_closed: textOrNull({ title: 'Last closed day', isOptional: true }),
  /** Operators that were paid through, and whose complete statements do not cover the day. */
  missing: Type.Array(text(), {
    title: 'Statements missing',
    text: (missing: readonly string[]) => missing.join(', '),
  }),
  /** What was paid through each operator, by our ledger and by its statements. */
  compared: Type.Array(
    Type.Object({
      ...titled({ operator: text, ours: money, theirs: moneyOrNull, difference: moneyOrNull }),
    }),
    { title: 'Paid through operators' },
  ),
  /** The operators’ statements that have a part of the day. */
  statements: Type.Array(statementView, { title: 'Statements' }),
  /** Our float with each operator, in our books, against what it reported and its last statement. */
  floats: Type.Array(float, { title: 'Floats' }),
  /** Operators whose statements can be imported. */
  importable: Type.Array(text()),
});
export type ComparedDay = Static<typeof compared>;

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
] as const;
type AmountName = (typeof AMOUNTS)[number];

/** @param zero what nothing of this kind ever has, so that it is no column. */
const amounts = (...zero: readonly AmountName[]) =>
  Object.fromEntries(
    AMOUNTS.map((name) => {
      const title = name === 'vat' ? 'VAT' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      return [name, money(zero.includes(name) ? {} : { title })];
    }),
  ) as Record<AmountName, ReturnType<typeof money>>;

const OF_VENDORS = amounts('costs', 'commissions');

const totals = Type.Object({
  ...head,
  vendors: Type.Array(
    Type.Object({ vid: textOrNull({ title: 'Vendor', nullText: 'house' }), ...OF_VENDORS }),
    { title: 'Vendors' },
  ),
  total: orNull(Type.Object(OF_VENDORS), { title: 'All vendors and the house' }),
  /** What our ledger paid through each operator. */
  operators: Type.Array(
    Type.Object({
      operator: text({ title: 'Operator' }),
      ...amounts('in', 'fees', 'vat', 'payouts'),
    }),
    { title: 'Paid through operators' },
  ),
  /** What the operators’ statements list. */
  listed: Type.Array(
    Type.Object({
      ...titled({ operator: text, opening: moneyOrNull }),
      top_ups: money({ title: 'Top-ups' }),
      ...titled({ payments: money, reversals: money, charges: money, closing: moneyOrNull }),
    }),
    { title: 'Listed by operators' },
  ),
});

const named = { day: fields.day({ description: 'a day of the service’s time zone' }) };
const READS = { permission: 'reconciliation.read', isLong: true } as const;

export const DAYS: Noun = {
  command: 'day',
  summary: 'Days of our ledger beside the operators’ statements; their totals, and their close.',
  definitions: [
    view(core, {
      ...READS,
      name: 'day.show',
      summary:
        'A day: the statements, what is missing, what was paid through operators, and the floats.',
      route: 'GET /days/:day',
      input: inputOf(named),
      output: compared,
      handle: async ({ core: loaded, input, deps }) => {
        const day = readDay(input.day, deps.wireTime);
        const found = await loaded.compareDay(deps.pool, day);
        const known = (await deps.catalogue()).operators();
        return {
          ...headOf({ ...found, day }),
          last_closed: found.lastClosed,
          missing: [...found.missing],
          compared: found.compared.map((row) => {
            const { oursCents, theirsCents } = row;
            const differenceCents = theirsCents === null ? null : theirsCents - oursCents;
            return wireOf({ ...row, differenceCents });
          }),
          statements: found.statements.map(statementViewOf),
          floats: found.floats.map(floatOf),
          importable: known
            .filter((operator) => loaded.statementFormatOf(operator) !== undefined)
            .map(({ operatorCode }) => operatorCode),
        };
      },
    }),
    view(core, {
      ...READS,
      name: 'day.totals',
      summary: 'The totals of a day: final if it is closed, otherwise preliminary.',
      route: 'GET /days/:day/totals',
      input: inputOf(named),
      output: totals,
      handle: async ({ core: { reportDay }, input, deps }) =>
        totalsOf(await reportDay(deps.pool, readDay(input.day, deps.wireTime))),
    }),
    action(core, {
      name: 'day.close',
      summary:
        'Freeze the totals of a day that is over. Refused while statements are missing or cases are open.',
      route: 'POST /days/:day/close',
      permission: 'reconciliation.act',
      input: inputOf({
        ...named,
        without_statement: Type.Optional(
          fields.listOf(fields.code(), {
            ...{ option: 'without-statement', placeholder: 'operator', form: 'a code' },
            description: 'close although the statement of this operator is missing; repeatable',
            maxItems: 100,
          }),
        ),
        despite_open_cases: Type.Boolean({
          default: false,
          description: 'close although cases are open',
        }),
        reason: Type.Optional(fields.reasonWith({ description: 'why, when something is missing' })),
      }),
      output: totals,
      handle: async ({ core: { closeDay }, input, deps, viewer }) => {
        const closed = await closeDay(deps.pool, {
          ...readDay(input.day, deps.wireTime),
          by: viewer.login,
          withoutStatement: (input.without_statement ?? []).map((code) => code.toLowerCase()),
          despiteOpenCases: input.despite_open_cases,
          note: input.reason ?? null,
        });
        const result = totalsOf(closed);
        return { result, audit: { after: { exceptions: result.exceptions } } };
      },
    }),
  ],
};

/** Throws: `invalid_field`. */
function readDay(day: string, wireTime: WireTime): Day {
  const period = periodOfDay(day, wireTime);
  if (period !== undefined) return { day, ...period };
  const says = `day is ${day}, a day that does not exist.`;
  throw new Refusal('invalid_field', { field: 'day', text: says });
}

function headOf({ day, closed, openCases }: Pick<DayReport, 'day' | 'closed' | 'openCases'>) {
  return {
    day: day.day,
    from: day.from.toISOString(),
    to: day.to.toISOString(),
    closed_at: closed?.closedAt.toISOString() ?? null,
    closed_by: closed?.closedBy ?? null,
    exceptions: { ...closed?.exceptions },
    open_cases: openCases,
  };
}

function floatOf(of: ComparedFloat): DayFloat {
  const { operator, bookedCents, bridge, statement, balanceCents, polledAt: at } = of;
  const hasReport = bridge !== null && balanceCents !== null && at !== null;
  return {
    ...wireOf({ operator, bookedCents }),
    report: hasReport ? wireOf({ balanceCents, at, ...bridge }) : null,
    statement: statement && {
      at: statement.periodEnd.toISOString(),
      closing: formatMoney(statement.closingCents),
      booked: formatMoney(statement.bookedCents),
      difference: formatMoney(statement.closingCents - statement.bookedCents),
    },
  };
}

function totalsOf(report: DayReport): Static<typeof totals> {
  const own = report.totals.filter(({ operatorCode }) => operatorCode === '');
  const operators = Map.groupBy(
    report.totals.filter(({ operatorCode }) => operatorCode !== ''),
    ({ operatorCode }) => operatorCode,
  );
  return {
    ...headOf(report),
    vendors: own.map((row) => ({
      vid: report.vids.get(row.vendorId) ?? null,
      ...summed([row]),
    })),
    total: own.length === 0 ? null : summed(own),
    operators: [...operators].map(([operator, all]) => ({ operator, ...summed(all) })),
    listed: report.operators.map(wireOf),
  };
}

function summed(rows: DayReport['totals']) {
  const sumOf = (name: AmountName): bigint =>
    rows.reduce((sum, row) => sum + row[`${name}Cents`], 0n);
  return Object.fromEntries(AMOUNTS.map((name) => [name, formatMoney(sumOf(name))])) as Record<
    AmountName,
    string
  >;
}
