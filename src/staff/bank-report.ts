import { Type } from 'typebox';
import type { BankMovement } from '../payments/receipts/compare-bank.ts';
import { formatMoney } from '../platform/base/money.ts';
import { view } from './definition.ts';
import type { Definition } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, money, text, textOrNull, time, timeOrNull, titled } from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../platform/base/period.ts')),
  ...(await import('../payments/receipts/bank-report.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const input = {
  bank: fields.code({
    description: 'code of the account of ours, as in bank:<code>',
    argument: true,
  }),
  ...fields.bookPeriod,
};

const head = {
  from: time(),
  to: time({ description: 'not included' }),
  since: timeOrNull({
    title: 'Statements since',
    description: 'null: none was imported, so that nothing can be compared',
  }),
  opening: money({
    title: 'Difference before',
    description: 'the sum of the bank’s lines less our bookings, since the first statement',
  }),
};

async function compared(
  loaded: Core,
  asked: { readonly bank: string; readonly from?: string; readonly to?: string },
  { pool, wireTime, clock }: StaffDeps,
) {
  const period = loaded.readBookPeriod(asked, { wireTime, now: clock.now() });
  const dayOf = (at: Date): string => wireTime.format(at).slice(0, 10);
  const { since, openingCents, ...found } = await loaded.reportBank(
    pool,
    asked.bank,
    period,
    dayOf,
  );
  const shown = { ...period, since, openingCents };
  return { head: wireOf(shown), ...found };
}

/** Our bank accounts, compared with their statements. */
export const BANK_REPORTS: readonly Definition[] = [
  view(core, {
    name: 'report.bank-days',
    summary:
      'An account of ours on each day of a period: what the bank’s statements list, what our books have, and the difference at the end of the day, by the time at which money moved.',
    route: 'GET /banks/:bank/days',
    permission: 'finance.read',
    isLong: true,
    input: inputOf(input),
    output: Type.Object({
      ...head,
      days: Type.Array(
        Type.Object({
          day: text({ title: 'Day' }),
          ...titled({ listed: money, booked: money }),
          difference: money({
            title: 'Difference',
            description: 'lines less bookings, since the first statement',
          }),
        }),
      ),
    }),
    rows: 'days',
    empty: 'nothing was listed and nothing booked',
    handle: async ({ core: loaded, input: asked, deps }) => {
      const { head: shown, days } = await compared(loaded, asked, deps);
      return { ...shown, days: days.map((day) => wireOf(day)) };
    },
  }),
  view(core, {
    name: 'report.bank',
    summary:
      'What explains the difference between an account of ours and its bank’s statements: lines without a booking, bookings without a line, and those that are on two days.',
    route: 'GET /banks/:bank',
    permission: 'finance.read',
    isLong: true,
    input: inputOf(input),
    output: Type.Object({
      ...head,
      items: Type.Array(
        Type.Object({
          what: Type.Enum(['not_booked', 'not_listed', 'other_day'], { title: 'What' }),
          ...titled({ listed_at: timeOrNull, booked_at: timeOrNull }),
          amount: money({ title: 'Amount', description: 'below 0: it left the account' }),
          ...titled({ line: textOrNull, booking: textOrNull }),
          reference: text({ title: 'Reference' }),
        }),
      ),
    }),
    rows: 'items',
    empty: 'the statements and the books agree',
    handle: async ({ core: loaded, input: asked, deps }) => {
      const { head: shown, items } = await compared(loaded, asked, deps);
      return {
        ...shown,
        items: items.map(({ line, booking }) => ({
          what: booking === null ? ('not_booked' as const) : whatIs(line),
          listed_at: line?.at.toISOString() ?? null,
          booked_at: booking?.at.toISOString() ?? null,
          amount: formatMoney((line ?? booking)?.amountCents ?? 0n),
          ...{ line: line?.kind ?? null, booking: booking?.kind ?? null },
          reference: (line ?? booking)?.reference ?? '',
        })),
      };
    },
  }),
];

const whatIs = (line: BankMovement | null): 'not_listed' | 'other_day' =>
  line === null ? 'not_listed' : 'other_day';
