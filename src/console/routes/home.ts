import type { BalanceReader } from '../../payments/ledger/balance-reader.ts';
import type { Overview } from '../../payments/overview/overview.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { HomeAnswer } from '../operations-answers.ts';
import type { HomeFeed } from '../home-feed.ts';
import { Live, route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import { intervalOf, sumsOf } from '../../staff/activity-view.ts';
import { billerStateOf } from '../../staff/biller-view.ts';
import { floatView } from './operations-views.ts';

export interface HomeRoutesOptions {
  readonly balances: BalanceReader;
  readonly feed: HomeFeed;
}

/** The figures of the first page. */
export function homeRoutes({ balances, feed }: HomeRoutesOptions): AnyRoute[] {
  const answerFor = async (overview: Overview, { vendor }: Viewer): Promise<HomeAnswer> => {
    const float = vendor === undefined ? null : await balances.float(vendor.vendorId);
    return homeAnswer(overview, float);
  };
  return [
    route({
      method: 'GET',
      path: '/home',
      permission: 'home.read',
      handle: async (_input, { viewer }): Promise<HomeAnswer> =>
        await answerFor(await feed.read(viewer.vendor?.vendorId), viewer),
    }),
    route({
      method: 'GET',
      path: '/home/events',
      permission: 'home.read',
      isLive: true,
      handle: async (_input, { viewer }) =>
        new Live((send) =>
          feed.subscribe(viewer.vendor?.vendorId, (overview) => {
            // A figure that cannot be read now is in a later event.
            void answerFor(overview, viewer).then(send, () => undefined);
          }),
        ),
    }),
  ];
}

function homeAnswer(overview: Overview, floatCents: bigint | null): HomeAnswer {
  const { at, todaySince, today, lastHourSince, lastHour, minutes, queued, unknown } = overview;
  const { house } = overview;
  return {
    at: at.toISOString(),
    todaySince: todaySince.toISOString(),
    today: sumsOf(today),
    lastHourSince: lastHourSince.toISOString(),
    lastHour: sumsOf(lastHour),
    minutes: minutes.map(intervalOf),
    queued,
    unknown,
    float: floatCents === null ? null : formatMoney(floatCents),
    house:
      house === undefined
        ? null
        : {
            floats: house.floats.map(floatView),
            billers: house.billers.map((biller) => billerStateOf(biller, biller.lastHour)),
            cases: house.cases,
          },
  };
}
