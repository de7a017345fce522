import { Option } from 'commander';
import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Availability } from '../../payments/billers/biller.ts';
import { listRouteRows, routeOf } from '../../payments/billers/routes-store.ts';
import type { RouteRow } from '../../payments/billers/routes-store.ts';
import { changeJson, ROUTE } from '../../payments/settings/billers.ts';
import { tryRoutes } from '../../payments/dispatch/try-route.ts';
import { code, command, moneyAboveZero, requireSome, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { changeSetting, withSetter } from '../parties/setting.ts';
import type { SetterOptions } from '../parties/setting.ts';
import { table } from '../output.ts';

export function addRouteCommands(program: Command, cli: Cli): void {
  const route = program
    .command('route')
    .description('Routes: the operators that may execute a biller’s payments.');
  addTry(route, cli);
  addList(route, cli);
  addSet(route, cli);
  addRemove(route, cli);
}

/** `malipo route BILLER AMOUNT`. */
function addTry(route: Command, cli: Cli): void {
  route
    .command('try', { isDefault: true })
    .description(
      'Show where a payment would go now, and why. Changes nothing; `try` may be left out. Does not consider how busy the operators are.',
    )
    .option('--json', 'one JSON document instead of a table')
    .argument('<biller>', 'biller code', code)
    .argument('<amount>', 'amount of the payment', moneyAboveZero)
    .action(async (billerCode: string, amountCents: bigint, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool, config }) => {
        const result = await tried(pool, { billerCode, amountCents }, config.timeZone);
        return { json: result, text: textOf(result) };
      });
    });
}

interface Tried {
  readonly biller_code: string;
  readonly status: Availability;
  /** Null: nothing would be sent. */
  readonly operator: string | null;
  readonly reason: string | null;
  readonly routes: readonly {
    readonly operator: string;
    readonly position: number;
    readonly weight: number;
    readonly obstacle: string | null;
    /** Its circuit breaker lets only a few payments through. */
    readonly on_trial: boolean;
  }[];
}

/** Throws: `PlainError` if the biller does not exist. */
async function tried(
  pool: Pool,
  payment: { readonly billerCode: string; readonly amountCents: bigint },
  timeZone: string,
): Promise<Tried> {
  const { availability, operatorCode, reason, routes } = await tryRoutes(pool, payment, timeZone);
  return {
    biller_code: payment.billerCode,
    status: availability,
    operator: operatorCode,
    reason,
    routes: routes.map(({ operatorCode: through, isOnTrial, ...route }) => ({
      operator: through,
      ...route,
      on_trial: isOnTrial,
    })),
  };
}

function textOf({ biller_code: billerCode, status, operator, reason, routes }: Tried): string {
  const listed = table(
    [
      { title: 'OPERATOR' },
      { title: 'POSITION', align: 'right' },
      { title: 'WEIGHT', align: 'right' },
      { title: 'NOW' },
    ],
    routes.map((one) => [
      one.operator,
      String(one.position),
      String(one.weight),
      one.operator === operator ? 'chosen' : (one.obstacle ?? usableText(one.on_trial)),
    ]),
    'no routes',
  );
  const answer =
    operator === null
      ? `Nothing would be sent: ${billerCode} is ${status} and waits for a route.`
      : `It would go through ${operator}${reason === null ? '' : ` (${reason})`}.`;
  return `${listed}\n${answer}`;
}

function usableText(isOnTrial: boolean): string {
  return isOnTrial ? 'on trial' : 'usable';
}

function addList(route: Command, cli: Cli): void {
  command(route, 'list', 'All routes, by biller and in the order in which they are tried.')
    .option('--biller <code>', 'only this biller', code)
    .action(async (options: { json?: boolean; biller?: string }) => {
      await cli.run(options, async ({ pool }) => {
        const rows = (await listRouteRows(pool)).filter(
          ({ billerCode }) => options.biller === undefined || billerCode === options.biller,
        );
        return {
          json: { routes: rows.map(jsonOf) },
          text: table(
            [
              { title: 'BILLER' },
              { title: 'OPERATOR' },
              { title: 'POSITION', align: 'right' },
              { title: 'WEIGHT', align: 'right' },
              { title: 'AMOUNTS' },
              { title: 'PER DAY', align: 'right' },
              { title: 'STATUS' },
            ],
            rows.map((row) => [
              row.billerCode,
              row.operatorCode,
              String(row.position),
              String(row.weight),
              rangeOf(row),
              row.dailyLimitCents === null ? 'no limit' : formatMoney(row.dailyLimitCents),
              routeOf(row).obstacleReason ?? usableText(row.trialSince !== null),
            ]),
            'no routes',
          ),
        };
      });
    });
}

function rangeOf({ minimumCents: minimum, maximumCents: maximum }: RouteRow): string {
  if (minimum === null && maximum === null) return 'all';
  const from = minimum === null ? '' : `from ${formatMoney(minimum)}`;
  const to = maximum === null ? '' : `to ${formatMoney(maximum)}`;
  return `${from} ${to}`.trim();
}

function money(cents: bigint | null): string | null {
  return cents === null ? null : formatMoney(cents);
}

function jsonOf(row: RouteRow): object {
  return {
    biller_code: row.billerCode,
    operator: row.operatorCode,
    position: row.position,
    weight: row.weight,
    minimum: money(row.minimumCents),
    maximum: money(row.maximumCents),
    daily_limit: money(row.dailyLimitCents),
    set_status: row.status,
    obstacle: routeOf(row).obstacleReason,
    on_trial: row.trialSince !== null,
  };
}

interface SetOptions extends SetterOptions {
  readonly json?: boolean;
  readonly position?: number;
  readonly weight?: number;
  /** false: `--no-minimum`. The same for the others. */
  readonly minimum?: bigint | false;
  readonly maximum?: bigint | false;
  readonly dailyLimit?: bigint | false;
  readonly status?: Availability;
}

function addSet(route: Command, cli: Cli): void {
  const set = command(route, 'set', 'Add a route to a biller, or change the terms that are given.')
    .argument('<biller>', 'biller code', code)
    .argument('<operator>', 'operator code', code)
    .option('--position <number>', 'lower positions are tried first', wholeNumber(0, 1_000))
    .option('--weight <number>', 'share among routes of the same position', wholeNumber(1, 1_000))
    .option('--minimum <amount>', 'smallest amount that it takes', moneyAboveZero)
    .option('--no-minimum', 'no smallest amount')
    .option('--maximum <amount>', 'largest amount that it takes', moneyAboveZero)
    .option('--no-maximum', 'no largest amount')
    .option(
      '--daily-limit <amount>',
      'how much may be sent through it in a day of TIME_ZONE',
      moneyAboveZero,
    )
    .option('--no-daily-limit', 'no daily limit')
    .addOption(
      new Option('--status <status>', 'whether payments may go through it').choices([
        'ONLINE',
        'OFFLINE',
      ]),
    );
  withSetter(set).action(async (billerCode: string, operatorCode: string, options: SetOptions) => {
    const { json: _json, by: _by, note: _note, ...terms } = options;
    requireSome(terms, Object.keys(terms));
    await cli.run(options, async (session) => {
      const change = changeJson({
        position: options.position,
        weight: options.weight,
        minimumCents: options.minimum === false ? null : options.minimum,
        maximumCents: options.maximum === false ? null : options.maximum,
        dailyLimitCents: options.dailyLimit === false ? null : options.dailyLimit,
        status: options.status,
      });
      const key = { billerCode, operatorCode };
      const asked = { ...options, key, change: { terms: change }, action: 'route.set' };
      return await changeSetting(
        cli,
        session,
        { ...asked, setting: ROUTE },
        ({ isNew: added }) => ({
          json: { biller_code: billerCode, operator: operatorCode, added },
          text: `The route of ${billerCode} through ${operatorCode} is ${added ? 'added' : 'changed'}.`,
        }),
      );
    });
  });
}

interface RemoveOptions extends SetterOptions {
  readonly json?: boolean;
}

function addRemove(route: Command, cli: Cli): void {
  const remove = command(
    route,
    'remove',
    'Remove a route. Payments already sent through it are still verified with its operator.',
  )
    .argument('<biller>', 'biller code', code)
    .argument('<operator>', 'operator code', code);
  withSetter(remove).action(
    async (billerCode: string, operatorCode: string, options: RemoveOptions) => {
      await cli.run(options, async (session) => {
        const key = { billerCode, operatorCode };
        const asked = { ...options, key, change: { terms: null }, action: 'route.remove' };
        return await changeSetting(cli, session, { ...asked, setting: ROUTE }, () => ({
          json: { biller_code: billerCode, operator: operatorCode, removed: true },
          text: `The route of ${billerCode} through ${operatorCode} is removed.`,
        }));
      });
    },
  );
}
