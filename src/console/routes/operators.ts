import { Type } from 'typebox';
import { listOperators } from '../../payments/billers/store.ts';
import type { OperatorRow } from '../../payments/billers/store.ts';
import { countInstructions } from '../../payments/dispatch/queue-totals-store.ts';
import { intervalsOf, sumActivity } from '../../payments/overview/activity.ts';
import type { OverviewFeed } from '../../payments/overview/feed.ts';
import type { Overview } from '../../payments/overview/overview.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { OperatorDetail, OperatorsAnswer, OperatorView } from '../operations-answers.ts';
import { intervalOf, sumsOf } from '../../staff/activity-view.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { lastDay } from './last-day.ts';
import { floatOf } from '../../staff/float-view.ts';

/** Operators: their breakers, floats and results. */
export function operatorRoutes({
  pool,
  feed,
}: {
  readonly pool: Pool;
  readonly feed: Pick<OverviewFeed, 'read'>;
}): AnyRoute[] {
  const read = async () => {
    const [overview, operators, counts] = await Promise.all([
      feed.read(undefined),
      listOperators(pool),
      countInstructions(pool),
    ]);
    const open = new Map(counts.map(({ operatorCode, count }) => [operatorCode, count]));
    return { overview, operators, open };
  };
  return [
    route({
      method: 'GET',
      path: '/operators',
      permission: 'billers.read',
      handle: async (): Promise<OperatorsAnswer> => {
        const { overview, operators, open } = await read();
        return { operators: operators.map((one) => operatorView(one, overview, open)) };
      },
    }),
    route({
      method: 'GET',
      path: '/operators/:code',
      permission: 'billers.read',
      params: Type.Object({ code: Type.String({ maxLength: 40 }) }),
      handle: async ({ params: { code } }): Promise<OperatorDetail> => {
        const { overview, operators, open } = await read();
        const operator = operators.find(({ operatorCode }) => operatorCode === code);
        if (operator === undefined) throw new Refusal('not_found', { text: 'Unknown operator' });
        const rows = overview.activity.filter(({ operatorCode }) => operatorCode === code);
        return {
          ...operatorView(operator, overview, open),
          maxConcurrency: operator.maxConcurrency,
          maxPerSecond: operator.maxPerSecond,
          intervals: intervalsOf(rows, lastDay(overview.at)).map(intervalOf),
        };
      },
    }),
  ];
}

function operatorView(
  { operatorCode: code, name, connector }: OperatorRow,
  { activity, lastHourSince, house }: Overview,
  open: ReadonlyMap<string, number>,
): OperatorView {
  const routes = (house?.billers ?? []).flatMap(({ biller, routes: all }) =>
    all
      .filter(({ operatorCode }) => operatorCode === code)
      .map((through) => ({ biller: biller.billerCode, obstacle: through.obstacleReason })),
  );
  const float = house?.floats.find(({ operatorCode }) => operatorCode === code);
  return {
    code,
    name,
    connector,
    billers: routes.map(({ biller }) => biller),
    blocked: routes.flatMap(({ biller, obstacle }) =>
      obstacle === null ? [] : [{ biller, obstacle }],
    ),
    float: float === undefined ? null : floatOf(float),
    openInstructions: open.get(code) ?? 0,
    lastHour: sumsOf(
      sumActivity(
        activity.filter(
          ({ operatorCode, begin }) => operatorCode === code && begin >= lastHourSince,
        ),
      ),
    ),
  };
}
