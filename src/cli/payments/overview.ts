import type { Command } from 'commander';
import { createOverviewReader } from '../../payments/overview/overview.ts';
import type { HouseOverview, Overview, Waiting } from '../../payments/overview/overview.ts';
import type { ActivitySums } from '../../payments/overview/activity.ts';
import { createWireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record, table, withWireNames } from '../output.ts';

export function addOverviewCommand(program: Command, cli: Cli): void {
  command(
    program,
    'overview',
    'The current state of the service: payments, time to the final state, open payments, floats, billers, cases.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool, config }) => {
      const wireTime = createWireTime(config.timeZone);
      const overview = await createOverviewReader({ pool, wireTime }).read(new Date());
      return { json: jsonOf(overview), text: textOf(overview) };
    });
  });
}

function jsonOf({ house, ...overview }: Overview): object {
  return {
    at: overview.at.toISOString(),
    today_since: overview.todaySince.toISOString(),
    today: withWireNames(overview.today),
    last_hour_since: overview.lastHourSince.toISOString(),
    last_hour: withWireNames(overview.lastHour),
    queued: withWireNames(overview.queued),
    unknown: withWireNames(overview.unknown),
    open_cases: house && withWireNames(house.cases),
    floats: house?.floats.map((float) => ({
      operator: float.operatorCode,
      balance: float.balanceCents === null ? null : formatMoney(float.balanceCents),
      state: float.state,
      hours_left: float.hoursLeft,
    })),
    billers: house?.billers.map((one) => ({
      biller_code: one.biller.billerCode,
      status: one.availability,
      obstacle: one.obstacle,
      last_hour: withWireNames(one.lastHour),
    })),
  };
}

function textOf({ today, lastHour, queued, unknown, house }: Overview): string {
  const figures = record([
    ['Payments today', `${today.created} (${lastHour.created} in the last hour)`],
    ['Success rate today', percent(today.successRate)],
    [
      'Time to the final state',
      `median ${seconds(today.p50Seconds)}, 95th percentile ${seconds(today.p95Seconds)}`,
    ],
    ['Queued', waiting(queued)],
    ['Result unknown', waiting(unknown)],
    ...(house === undefined ? [] : [['Open cases', waiting(house.cases)] as const]),
  ]);
  return house === undefined ? figures : `${figures}\n${floatsOf(house)}\n${billersOf(house)}`;
}

function floatsOf({ floats }: HouseOverview): string {
  return table(
    [
      { title: 'OPERATOR' },
      { title: 'BALANCE', align: 'right' },
      { title: 'STATE' },
      { title: 'HOURS LEFT', align: 'right' },
    ],
    floats.map((float) => [
      float.operatorCode,
      float.balanceCents === null ? 'not known' : formatMoney(float.balanceCents),
      float.state,
      float.hoursLeft === null ? 'not known' : float.hoursLeft.toFixed(1),
    ]),
    'no operator has reported our float',
  );
}

function billersOf({ billers }: HouseOverview): string {
  return table(
    [
      { title: 'BILLER' },
      { title: 'STATUS' },
      { title: 'LAST HOUR', align: 'right' },
      { title: 'SUCCESS', align: 'right' },
      { title: '95 %', align: 'right' },
    ],
    billers.map(({ biller, availability, obstacle, lastHour }) => [
      biller.billerCode,
      obstacle === null ? availability : `${availability} (${obstacle})`,
      String(lastHour.created),
      percent(lastHour.successRate),
      seconds(lastHour.p95Seconds),
    ]),
    'no billers',
  );
}

function percent(rate: ActivitySums['successRate']): string {
  return rate === null ? '-' : `${(rate * 100).toFixed(2)} %`;
}

function seconds(value: number | null): string {
  return value === null ? '-' : `${value < 10 ? Number(value.toPrecision(2)) : value.toFixed(0)} s`;
}

function waiting({ count, oldestSeconds }: Waiting): string {
  return count === 0 ? '0' : `${count}, the oldest for ${seconds(oldestSeconds)}`;
}
