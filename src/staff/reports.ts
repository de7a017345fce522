import { Type } from 'typebox';
import type { Static } from 'typebox';
import { AGES } from '../payments/reports/ages.ts';
import { DIMENSIONS } from '../payments/reports/dimensions.ts';
import type { Dimension } from '../payments/reports/dimensions.ts';
import type { MarginSums } from '../payments/reports/margin.ts';
import { Refusal } from '../platform/base/errors.ts';
import { formatMoney } from '../platform/base/money.ts';
import { BANK_REPORTS } from './bank-report.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { count, inputOf, money, NOTHING, text, textOrNull, time, titled } from './fields.ts';
import { FINANCIAL_STATEMENTS } from './financial-statements.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../platform/base/clock.ts')),
  ...(await import('../platform/base/period.ts')),
  ...(await import('../payments/reports/margin.ts')),
  ...(await import('../payments/reports/vat.ts')),
  ...(await import('../payments/reports/receivables.ts')),
  ...(await import('../payments/reports/corrections.ts')),
  ...(await import('../payments/reconciliation/float-report.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const periodOf = (
  { readBookPeriod }: Core,
  asked: { readonly from?: string; readonly to?: string },
  { wireTime, clock }: StaffDeps,
) => readBookPeriod(asked, { wireTime, now: clock.now() });

const period = { from: time(), to: time({ description: 'not included' }) };

const marginSums = Type.Object({
  ...titled({ payments: count, amount: money }),
  fees: money({ title: 'Fees', description: 'without VAT' }),
  ...titled({ vat: money, cost: money, commission: money }),
  margin: money({ title: 'Margin', description: 'fees and commission less cost' }),
});
const marginLine = Type.Object({
  day: textOrNull({ title: 'Day', isOptional: true }),
  vid: textOrNull({ title: 'Vendor', isOptional: true }),
  biller: textOrNull({ title: 'Biller', isOptional: true }),
  operator: textOrNull({ title: 'Operator', isOptional: true }),
  ...marginSums.properties,
});
const margin = Type.Object({
  ...period,
  by: Type.Array(Type.Enum([...DIMENSIONS])),
  lines: Type.Array(marginLine),
  total: marginSums,
});
export type MarginLine = Static<typeof marginLine>;
export type MarginAnswer = Static<typeof margin>;

const sumsOf = (sums: MarginSums, { marginOf }: Core): Static<typeof marginSums> => {
  return fit(marginSums, wireOf({ ...sums, marginCents: marginOf(sums) }));
};

const vatSums = Type.Object({
  charges: count({ title: 'Charges' }),
  fees: money({ title: 'Taxable fees', description: 'with excise duty, without the VAT' }),
  excise: money({ title: 'Excise duty', description: 'on all fees, with VAT or without' }),
  charged: money({ title: 'Charged' }),
  returned: money({ title: 'Given back', description: 'by corrections' }),
  vat: money({ title: 'VAT' }),
});
const vat = Type.Object({
  ...{ month: text({ description: 'YYYY-MM' }), ...period },
  vendors: Type.Array(Type.Object({ vid: text({ title: 'Vendor' }), ...vatSums.properties })),
  total: vatSums,
  opening: money({ title: 'Owed before' }),
  paid: money({ title: 'Paid' }),
  closing: money({ title: 'Owed at the end' }),
  is_equal: Type.Boolean({ title: 'As in the ledger', description: 'else run ledger check' }),
});
export type VatAnswer = Static<typeof vat>;

const age = Type.Enum([...AGES], { title: 'Days', unit: 'days' });
const byAge = Type.Object(
  { '0-1': money(), '1-7': money(), '7-30': money(), '>30': money() },
  { title: 'By days', spread: true },
);
const byAgeOf = (sums: readonly [bigint, bigint, bigint, bigint]): Static<typeof byAge> => {
  const [first, second, third, fourth] = sums;
  return {
    ...{ '0-1': formatMoney(first), '1-7': formatMoney(second) },
    ...{ '7-30': formatMoney(third), '>30': formatMoney(fourth) },
  };
};

const receivable = Type.Object({
  debtor: Type.Enum(['vendor', 'operator'], { title: 'Debtor' }),
  ...titled({ name: text, since: fields.timeOrNull }),
  age,
  amount: money({ title: 'Left' }),
  owed: money({ title: 'Owed', description: 'at first' }),
  reference: textOrNull({ title: 'Payment' }),
  case: textOrNull({ title: 'Case' }),
  open_case: textOrNull({ title: 'Open case', wide: true }),
});
const receivables = Type.Object({
  at: time(),
  receivables: Type.Array(receivable),
  total: money({ title: 'Total' }),
  by_age: byAge,
});
export type ReceivableView = Static<typeof receivable>;
export type ReceivablesAnswer = Static<typeof receivables>;

const exposed = Type.Object({
  what: Type.Enum(['unknown', 'reversed'], { title: 'What' }),
  ...titled({ operator: textOrNull, vid: textOrNull }),
  issuer: textOrNull({ title: 'Issuer', wide: true }),
  ...titled({ receipt: textOrNull, case: textOrNull }),
  since: fields.timeOrNull({ title: 'Since', wide: true }),
  age,
  count: count({ title: 'Number' }),
  amount: money({ title: 'Amount' }),
});
const exposure = Type.Object({
  at: time(),
  exposure: Type.Array(exposed),
  /** Payments whose outcome is unknown, of every age. */
  unknown: Type.Array(Type.Object({ operator: text(), count: count(), amount: money() })),
  unknown_total: money({ title: 'Without a result' }),
  reversed_total: money({ title: 'Taken back' }),
  reversed_by_age: byAge,
});
export type ExposedView = Static<typeof exposed>;
export type ExposureAnswer = Static<typeof exposure>;

const correction = Type.Object({
  /** Of its transfer. */
  id: text(),
  ...titled({ at: time, vid: textOrNull }),
  reference: textOrNull({ title: 'Payment' }),
  case: text({ title: 'Case', wide: true }),
  kind: textOrNull({ title: 'Kind', wide: true }),
  ...titled({ resolution: text, debit: text, credit: text, amount: money }),
  proposed_by: textOrNull({ title: 'Proposed by', wide: true }),
  approved_by: textOrNull({ title: 'Approved by', wide: true }),
});
const corrections = Type.Object({ ...period, corrections: Type.Array(correction) });
export type CorrectionsAnswer = Static<typeof corrections>;

const moneyOf = (title: string, wide?: true) =>
  fields.moneyOrNull({ title, ...(wide === true && { wide }) });
const float = Type.Object({
  operator: text({ title: 'Operator' }),
  opening: money({ title: 'Opening', wide: true }),
  topped_up: money({ title: 'Topped up', wide: true }),
  charges: money({ title: 'Charges', wide: true }),
  consumed: money({ title: 'Consumed', wide: true }),
  books: money({ title: 'Books' }),
  in_flight: moneyOf('In flight'),
  settled_since: moneyOf('Settled since'),
  not_booked_yet: moneyOf('Not booked yet'),
  unexplained: moneyOf('Unexplained'),
  reported: moneyOf('Reported'),
  reported_at: fields.timeOrNull({ title: 'Reported at', wide: true }),
  difference: moneyOf('Difference', true),
  statement: textOrNull({ title: 'Statement', wide: true }),
  statement_end: fields.timeOrNull({ title: 'Statement end', wide: true }),
  statement_closing: moneyOf('Statement closing'),
  statement_books: moneyOf('Books then', true),
  statement_difference: moneyOf('Statement difference'),
});
export type FloatBooksView = Static<typeof float>;

export const REPORTS: Noun = {
  command: 'report',
  summary: 'Reports about the books.',
  definitions: [
    view(core, {
      name: 'report.margin',
      summary:
        'Income and cost of payments: fees, VAT, operators’ costs and commissions, including corrections. Each amount is the sum of transfers of the period.',
      route: 'GET /margin',
      permission: 'finance.read',
      isLong: true,
      input: inputOf({
        ...fields.bookPeriod,
        by: Type.String({
          default: 'biller',
          pattern: `^(${DIMENSIONS.join('|')})(,(${DIMENSIONS.join('|')}))*$`,
          form: `one or more of ${DIMENSIONS.join(', ')}, separated by commas`,
          description: `one or more of ${DIMENSIONS.join(', ')}, separated by commas`,
          placeholder: 'names',
        }),
      }),
      output: margin,
      rows: 'lines',
      total: 'total',
      empty: 'no payment earned or cost anything',
      handle: async ({ core: loaded, input, deps }) => {
        const by = new Set(input.by.split(',') as Dimension[]);
        const asked = { ...periodOf(loaded, input, deps), timeZone: deps.timeZone };
        const { rows, total } = await loaded.reportMargin(deps.pool, asked, by);
        return {
          ...{ from: asked.from.toISOString(), to: asked.to.toISOString(), by: [...by] },
          lines: rows.map((row) => fit(marginLine, { ...wireOf(row), ...sumsOf(row, loaded) })),
          total: sumsOf(total, loaded),
        };
      },
    }),
    ...FINANCIAL_STATEMENTS,
    ...BANK_REPORTS,
    view(core, {
      name: 'report.vat',
      summary:
        'The VAT of a month by vendor: charged with fees, less what corrections gave back. The fees are the taxable base: those that VAT was charged on, with excise duty and without the VAT. Taxes are rounded to a cent for each payment, and each figure is a sum of these, so a share of the total base may differ from it. Fails unless the total agrees with the ledger’s account.',
      route: 'GET /vat',
      permission: 'finance.read',
      isLong: true,
      input: inputOf({
        month: Type.Optional(fields.month({ description: 'YYYY-MM (default: this month)' })),
      }),
      output: vat,
      rows: 'vendors',
      total: 'total',
      empty: 'no VAT was charged',
      failed: (answer) => !answer.is_equal,
      handle: async ({ core: { periodOfMonth, reportVat }, input, deps }) => {
        const { wireTime, clock, pool } = deps;
        const month = input.month ?? wireTime.format(clock.now()).slice(0, 7);
        const asked = periodOfMonth(month, wireTime);
        if (asked === undefined) {
          const says = 'month must be a month, YYYY-MM';
          throw new Refusal('invalid_field', { field: 'month', text: says });
        }
        const { vendors, total, ...found } = await reportVat(pool, asked);
        return {
          ...{ month, ...wireOf(found) },
          ...{ vendors: vendors.map(wireOf), total: wireOf(total) },
        };
      },
    }),
    view(core, {
      name: 'report.receivables',
      summary:
        'What vendors and operators owe us now, each debt with its age, payment and case. Sums to the ledger’s accounts.',
      route: 'GET /receivables',
      permission: 'finance.read',
      input: NOTHING,
      output: receivables,
      rows: 'receivables',
      empty: 'nobody owes us anything',
      handle: async ({ core: { reportReceivables }, deps: { pool, clock } }) => {
        const { at, items, byAge: sums, totalCents } = await reportReceivables(pool, clock.now());
        return {
          at: at.toISOString(),
          receivables: items.map(({ caseId, openCaseId, ...item }) => ({
            ...wireOf(item),
            ...{ case: caseId, open_case: openCaseId },
          })),
          ...{ total: formatMoney(totalCents), by_age: byAgeOf(sums) },
        };
      },
    }),
    view(core, {
      name: 'report.exposure',
      summary:
        'What we may lose: payments whose outcome is unknown, by operator, and credited income that was taken back later; each by age.',
      route: 'GET /exposure',
      permission: 'finance.read',
      input: NOTHING,
      output: exposure,
      rows: 'exposure',
      empty: 'nothing may be lost',
      handle: async ({ core: { reportExposure }, deps: { pool, clock } }) => {
        const found = await reportExposure(pool, clock.now());
        const byAges = found.unknown.flatMap(({ operator, ages }) =>
          AGES.flatMap((of, index) => {
            const sums = ages[index];
            if (sums === undefined || sums.count === 0) return [];
            return fit(exposed, { what: 'unknown', operator, age: of, ...wireOf(sums) });
          }),
        );
        const reversed = found.reversed.map(({ caseId, ...row }) =>
          fit(exposed, { what: 'reversed', ...wireOf(row), case: caseId, count: 1 }),
        );
        return {
          at: found.at.toISOString(),
          exposure: [...byAges, ...reversed],
          unknown: found.unknown.map(({ operator, count: payments, amountCents }) =>
            wireOf({ operator, count: payments, amountCents }),
          ),
          unknown_total: formatMoney(found.unknownCents),
          reversed_total: formatMoney(found.reversedCents),
          reversed_by_age: byAgeOf(found.reversedByAge),
        };
      },
    }),
    view(core, {
      name: 'report.corrections',
      summary: 'What two people corrected in a period, each transfer with payment and case.',
      route: 'GET /corrections',
      permission: 'finance.read',
      input: inputOf(fields.bookPeriod),
      output: corrections,
      rows: 'corrections',
      empty: 'no corrections',
      handle: async ({ core: loaded, input, deps }) => {
        const asked = periodOf(loaded, input, deps);
        const rows = await loaded.reportCorrections(deps.pool, asked);
        return {
          ...wireOf(asked),
          corrections: rows.map(
            ({ correctionId, leg, caseId, debitAccount, creditAccount, ...row }) => ({
              ...{ id: `${correctionId} ${leg}`, case: caseId, debit: debitAccount },
              ...{ credit: creditAccount, ...wireOf(row) },
            }),
          ),
        };
      },
    }),
    view(core, {
      name: 'report.floats',
      summary:
        'Our float with each operator in our books, the balance that it reported, and its last statement, with each part of the difference.',
      route: 'GET /floats',
      permission: 'finance.read',
      input: inputOf({
        operator: Type.Optional(fields.code({ description: 'of this operator only' })),
      }),
      output: Type.Object({ floats: Type.Array(float) }),
      rows: 'floats',
      empty: 'no float is booked',
      handle: async ({ core: { reportFloats }, input, deps: { pool } }) => ({
        floats: (await reportFloats(pool, input.operator?.toLowerCase() ?? null)).map(floatOf),
      }),
    }),
  ],
};

function floatOf(of: Awaited<ReturnType<Core['reportFloats']>>[number]): FloatBooksView {
  const { operator, booked, bookedCents, bridge, statement, ...reported } = of;
  const bridged = bridge && {
    ...wireOf(bridge),
    not_booked_yet: formatMoney(bridge.notBookedCents),
  };
  const listed =
    statement &&
    wireOf({
      ...{ statement: statement.statementId, statementEnd: statement.periodEnd },
      ...{ statementClosingCents: statement.closingCents },
      statementBooksCents: statement.bookedCents,
      statementDifferenceCents: statement.closingCents - statement.bookedCents,
    });
  return fit(float, {
    ...{ operator, ...wireOf(booked), books: formatMoney(bookedCents) },
    ...{ ...bridged, ...wireOf(reported), ...listed },
  });
}
