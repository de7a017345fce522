import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { setFloatLimits } from '../../payments/billers/administer-float.ts';
import { listFloatForecasts } from '../../payments/billers/float-forecasts.ts';
import { code, command, moneyAboveZero, requireSome } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';

/** `operator floats` and `operator set-float`. */
export function addFloats(operator: Command, cli: Cli): void {
  addList(operator, cli);
  addSet(operator, cli);
}

function addList(operator: Command, cli: Cli): void {
  command(
    operator,
    'floats',
    'Our float with each operator as it reports it, its limits, and how long it lasts.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool }) => {
      const floats = (await listFloatForecasts(pool, new Date())).map((row) => ({
        operator: row.operatorCode,
        balance: money(row.balanceCents),
        polled_at: row.polledAt?.toISOString() ?? null,
        state: row.state,
        low: money(row.lowCents),
        stop: money(row.stopCents),
        resume: money(row.resumeCents),
        hours_left: row.hoursLeft,
      }));
      return {
        json: { floats },
        text: table(
          [
            { title: 'OPERATOR' },
            { title: 'BALANCE', align: 'right' },
            { title: 'STATE' },
            { title: 'HOURS LEFT', align: 'right' },
            { title: 'LOW', align: 'right' },
            { title: 'STOP', align: 'right' },
            { title: 'RESUME', align: 'right' },
          ],
          floats.map((row) => [
            row.operator,
            row.balance ?? 'not known',
            row.state,
            row.hours_left === null ? 'not known' : row.hours_left.toFixed(1),
            row.low ?? 'not set',
            row.stop ?? 'not set',
            row.resume ?? 'not set',
          ]),
          'no operator has reported our float',
        ),
      };
    });
  });
}

function money(cents: bigint | null): string | null {
  return cents === null ? null : formatMoney(cents);
}

interface SetOptions {
  readonly json?: boolean;
  /** false: `--no-low`. The same for `stop`. */
  readonly low?: bigint | false;
  readonly stop?: bigint | false;
  readonly resume?: bigint;
}

function addSet(operator: Command, cli: Cli): void {
  command(operator, 'set-float', 'Set the limits of our float with an operator.')
    .argument('<code>', 'operator code', code)
    .option('--low <amount>', 'below this balance people are alerted', moneyAboveZero)
    .option('--no-low', 'no alert')
    .option(
      '--stop <amount>',
      'at this balance or below, nothing more is sent through it',
      moneyAboveZero,
    )
    .option('--no-stop', 'send until the operator refuses')
    .option(
      '--resume <amount>',
      'from this balance on it is used again; above --stop',
      moneyAboveZero,
    )
    .action(async (operatorCode: string, options: SetOptions) => {
      const { json: _json, ...limits } = options;
      requireSome(limits, Object.keys(limits));
      await cli.run(options, async ({ pool }) => {
        await setFloatLimits(pool, operatorCode, {
          lowCents: options.low === false ? null : options.low,
          stopCents: options.stop === false ? null : options.stop,
          resumeCents: options.resume,
        });
        return {
          json: { operator: operatorCode },
          text: `The limits of our float with ${operatorCode} are set.`,
        };
      });
    });
}
