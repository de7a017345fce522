import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Overview } from '../payments/overview/overview.ts';
import { formatMoney } from '../platform/base/money.ts';
import { interval, intervalOf, secondsText, sums, sumsOf, sumsText } from './activity-view.ts';
import { billerState, billerStateOf } from './biller-view.ts';
import { stream, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { moneyOrNull, NOTHING, orNull, time } from './fields.ts';
import type { Options } from './fields.ts';
import { floatOf, floatView } from './float-view.ts';
import { wireOf } from './wire.ts';

const core = async () => ({});

/** Number of those that wait, and the age of the oldest. */
const waiting = (options: Options = {}) =>
  Type.Object({ count: Type.Integer(), oldest_seconds: Type.Number() }, options);
const waitingView = waiting();
export type WaitingCount = Static<typeof waitingView>;

const waitingText = ({ count, oldest_seconds: oldest }: WaitingCount): string =>
  count === 0 ? '0' : `${count}, the oldest for ${secondsText(oldest)}`;
const overview = Type.Object({
  at: time(),
  today_since: time(),
  today: sums({ title: 'Payments today', text: sumsText }),
  last_hour_since: time(),
  last_hour: sums({ title: 'Payments in the last hour', text: sumsText }),
  /** The last hour. */
  minutes: Type.Array(interval),
  queued: waiting({ title: 'Queued', text: waitingText }),
  unknown: waiting({ title: 'Result unknown', text: waitingText }),
  /** Of the vendor whose people look. */
  float: moneyOrNull({ title: 'Float', isOptional: true }),
  /** Null for a vendor’s people, who see nothing of what follows. */
  open_cases: orNull(waiting(), {
    title: 'Open cases',
    text: (cases: WaitingCount | null) => (cases === null ? '-' : waitingText(cases)),
  }),
  floats: Type.Array(floatView, { title: 'floats with operators' }),
  billers: Type.Array(billerState),
});
export type OverviewAnswer = Static<typeof overview>;

export const OVERVIEW: Noun = {
  command: 'overview',
  summary: 'How the service is doing now.',
  definitions: [
    view(core, {
      name: 'overview.show',
      summary:
        'The current state of the service: payments, time to the final state, open payments, floats, billers, cases.',
      route: 'GET /home',
      permission: 'home.read',
      ownVendor: true,
      isUsual: true,
      isWatched: true,
      input: NOTHING,
      output: overview,
      handle: async ({ viewer, deps }) =>
        answerOf(await (await deps.overview()).read(viewer.vendor?.vendorId)),
    }),
    stream(core, {
      name: 'overview.follow',
      summary: 'The same, again every few seconds.',
      route: 'GET /home/events',
      permission: 'home.read',
      ownVendor: true,
      input: NOTHING,
      handle: async ({ viewer, deps }) => {
        const feed = await deps.overview();
        return {
          subscribe: (send) =>
            feed.subscribe(viewer.vendor?.vendorId, (found) => send(answerOf(found))),
        };
      },
    }),
  ],
};

function answerOf({ house, ...found }: Overview): OverviewAnswer {
  const { at, todaySince, lastHourSince, minutes, queued, unknown, floatCents } = found;
  return {
    ...wireOf({ at, todaySince, lastHourSince }),
    ...{ today: sumsOf(found.today), last_hour: sumsOf(found.lastHour) },
    minutes: minutes.map(intervalOf),
    ...{ queued: wireOf(queued), unknown: wireOf(unknown) },
    float: floatCents === null ? null : formatMoney(floatCents),
    open_cases: house === undefined ? null : wireOf(house.cases),
    floats: (house?.floats ?? []).map(floatOf),
    billers: (house?.billers ?? []).map((of) => billerStateOf(of, of.lastHour)),
  };
}
