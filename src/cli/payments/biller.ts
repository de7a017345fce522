import { Argument, Option } from 'commander';
import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { changeBillerStatus } from '../../payments/billers/administer.ts';
import type { Availability } from '../../payments/billers/biller.ts';
import { listBillerHealth } from '../../payments/billers/health.ts';
import { AMOUNT_RULES } from '../../payments/billers/product.ts';
import type { AmountRule } from '../../payments/billers/product.ts';
import { BILLER, changeJson } from '../../payments/settings/billers.ts';
import { feePriceFor } from '../../payments/prices/price.ts';
import { feePricesByBiller, listFeePrices } from '../../payments/prices/store.ts';
import type { Pool } from '../../platform/db/pool.ts';
import {
  code,
  command,
  displayName,
  moment,
  moneyAboveZero,
  requireSome,
  wholeNumber,
  wideOption,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { changeSetting, withSetter } from '../parties/setting.ts';
import type { SetterOptions } from '../parties/setting.ts';
import { table } from '../output.ts';
import { addBillerProducts } from './biller-products.ts';
import { formulaText } from '../../payments/prices/text.ts';

export function addBillerCommands(program: Command, cli: Cli): void {
  const biller = program.command('biller').description('Billers: what can be paid.');
  addList(biller, cli);
  addSet(biller, cli);
  addSetStatus(biller, cli);
  addBillerProducts(biller, cli);
}

async function readBillers(pool: Pool) {
  const prices = feePricesByBiller(await listFeePrices(pool, 'recent'));
  return (await listBillerHealth(pool)).map(
    ({ biller: row, routes, availability, obstacle, offlineReason }) => ({
      biller_code: row.billerCode,
      name: row.name,
      category: row.category,
      operator: row.operatorCode,
      minimum: formatMoney(row.minimumCents),
      maximum: row.maximumCents === null ? null : formatMoney(row.maximumCents),
      fee: formulaText(feePriceFor(prices.get(row.billerCode) ?? new Map(), null, Date.now())),
      amounts: row.amounts,
      phone: row.secondaryAccount,
      validates: row.validatesAccounts,
      account_format: row.accountFormat,
      account_label: row.accountLabel,
      // The status that vendors see, the one that people set, and why they may differ.
      status: availability,
      set_status: row.status,
      offline_reason: offlineReason,
      offline_until: row.offlineUntil?.toISOString() ?? null,
      obstacle,
      routes: routes.map((route) => route.operatorCode),
      quarantined: row.quarantined,
      position: row.listPosition,
    }),
  );
}

function addList(biller: Command, cli: Cli): void {
  command(biller, 'list', 'All billers, in the order vendors see them.')
    .addOption(wideOption())
    .action(async (options: { json?: boolean; wide?: boolean }) => {
      await cli.run(options, async ({ pool }) => {
        const billers = await readBillers(pool);
        return {
          json: { billers },
          text: table(
            [
              { title: 'CODE' },
              { title: 'NAME' },
              { title: 'CATEGORY' },
              { title: 'OPERATOR', wide: true },
              { title: 'MINIMUM', align: 'right' },
              { title: 'MAXIMUM', align: 'right' },
              { title: 'FEE', align: 'right' },
              { title: 'AMOUNTS', wide: true },
              { title: 'PHONE', wide: true },
              { title: 'VALIDATES', wide: true },
              { title: 'ACCOUNT', wide: true },
              { title: 'STATUS' },
            ],
            billers.map((row) => [
              row.biller_code,
              row.name,
              row.category,
              row.operator,
              row.minimum,
              row.maximum ?? 'none',
              row.fee,
              row.amounts,
              row.phone ? 'yes' : 'no',
              row.validates ? 'yes' : 'no',
              `${row.account_label}: ${row.account_format}`,
              statusText(row),
            ]),
            'no billers',
            options.wide,
          ),
        };
      });
    });
}

function statusText(row: {
  readonly status: string;
  readonly offline_reason: string | null;
  readonly offline_until: string | null;
}): string {
  if (row.offline_reason === null) return row.status;
  const until = row.offline_until === null ? '' : `, until ${row.offline_until}`;
  return `${row.status} (${row.offline_reason}${until})`;
}

interface SetOptions extends SetterOptions {
  readonly json?: boolean;
  readonly name?: string;
  readonly category?: string;
  readonly operator?: string;
  readonly minimum?: bigint;
  /** false: `--no-maximum`. */
  readonly maximum?: bigint | false;
  readonly amounts?: AmountRule;
  readonly phone?: boolean;
  readonly validates?: boolean;
  readonly accountFormat?: string;
  readonly accountLabel?: string;
  readonly position?: number;
}

function addSet(biller: Command, cli: Cli): void {
  const set = command(biller, 'set', 'Add a biller, or change the settings that are given.')
    .argument('<code>', 'biller code', code)
    .option('--name <name>', 'full name', displayName)
    .option('--category <category>', 'such as airtime, water, tv', displayName)
    .option('--operator <code>', 'operator that executes its payments', code)
    .option('--minimum <amount>', 'minimum amount', moneyAboveZero)
    .option('--maximum <amount>', 'maximum amount', moneyAboveZero)
    .option('--no-maximum', 'no maximum amount')
    .addOption(
      new Option(
        '--amounts <rule>',
        'any, or products: only amounts for which one of its operators sells something',
      ).choices(AMOUNT_RULES),
    )
    .option('--phone', 'a phone number is required in addition to the account')
    .option('--no-phone', 'no phone number is required')
    .option('--validates', 'the operator can validate accounts')
    .option('--no-validates', 'the operator cannot validate accounts')
    .option(
      '--account-format <format>',
      'msisdn for mobile numbers, or an anchored pattern such as ^[0-9]{11}$',
    )
    .option('--account-label <label>', 'what its accounts are called', displayName)
    .option('--position <number>', 'position in the list', wholeNumber(0, 1_000_000));
  withSetter(set).action(async (billerCode: string, options: SetOptions) => {
    const { json: _json, by: _by, note: _note, ...settings } = options;
    requireSome(settings, Object.keys(settings));
    await cli.run(options, async (session) => {
      const change = {
        name: options.name,
        category: options.category,
        operatorCode: options.operator,
        minimumCents: options.minimum,
        maximumCents: options.maximum === false ? null : options.maximum,
        amounts: options.amounts,
        secondaryAccount: options.phone,
        validatesAccounts: options.validates,
        accountFormat: options.accountFormat,
        accountLabel: options.accountLabel,
        position: options.position,
      };
      const asked = { ...options, setting: BILLER, change: changeJson(change) };
      const about = { key: { billerCode }, action: 'biller.set' };
      return await changeSetting(cli, session, { ...asked, ...about }, ({ isNew: added }) => ({
        json: { biller_code: billerCode, added },
        text: `Biller ${billerCode} is ${added ? 'added' : 'changed'}.`,
      }));
    });
  });
}

interface StatusOptions {
  readonly json?: boolean;
  readonly reason?: string;
  readonly until?: string;
}

function addSetStatus(biller: Command, cli: Cli): void {
  command(
    biller,
    'set-status',
    'Take a biller OFFLINE (nothing is created or sent; payments already sent are still verified) or ONLINE.',
  )
    .argument('<code>', 'biller code', code)
    .addArgument(new Argument('<status>').choices(['ONLINE', 'OFFLINE']))
    .option('--reason <text>', 'why it is OFFLINE', displayName)
    .option('--until <time>', 'when it becomes ONLINE again automatically')
    .action(async (billerCode: string, status: Availability, options: StatusOptions) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { reason, until: text } = options;
        const until = text === undefined ? undefined : moment(text, '--until', wireTime);
        await changeBillerStatus(pool, billerCode, status, { reason, until });
        return {
          json: { biller_code: billerCode, set_status: status },
          text: `Biller ${billerCode} is set ${status}.`,
        };
      });
    });
}
