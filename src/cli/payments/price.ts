import { Option } from 'commander';
import type { Command } from 'commander';
import type { Pool } from '../../platform/db/pool.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { formulaFields } from '../../payments/prices/describe.ts';
import {
  listFeePrices,
  listFeePricesAfter,
  listOperatorPrices,
} from '../../payments/prices/store.ts';
import type { FeePriceRow } from '../../payments/prices/store.ts';
import { FEE, formulaJson, OPERATOR_PRICE, termsJson } from '../../payments/settings/prices.ts';
import { code, command, money, moneyAboveZero, periodStart, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { changeSetting, withSetter } from '../parties/setting.ts';
import type { SetterOptions } from '../parties/setting.ts';
import { requireVendor } from '../parties/vendors.ts';
import { formulaFrom, percent, rateFrom, tiers } from './price-input.ts';
import type { FormulaOptions } from './price-input.ts';
import { addList, addShow, settingJson } from './price-lists.ts';
import { formulaText, termsText } from '../../payments/prices/text.ts';

export function addPriceCommands(program: Command, cli: Cli): void {
  const price = program
    .command('price')
    .description('Prices: what vendors pay for payments, and what operators charge and give us.');
  addList(price, cli);
  addShow(price, cli);
  addSet(price, cli);
  addRemove(price, cli);
  addSetOperator(price, cli);
}

interface SettingOptions extends SetterOptions {
  readonly json?: boolean;
  readonly from?: string;
}

function withSetting(added: Command): Command {
  const from = 'a later time or day from which it counts (default: now, or once it is approved)';
  return withSetter(added.option('--from <time>', from), true);
}

function beginOf({ from }: SettingOptions, wireTime: WireTime): Date | null {
  return from === undefined ? null : periodStart(from, '--from', wireTime);
}

const vendorOption = (): Option =>
  new Option(
    '--vid <vid>',
    'only of this vendor (default: of every vendor without its own)',
  ).argParser(signerName);

async function keyOf(pool: Pool, billerCode: string, vid: string | undefined) {
  if (vid === undefined) return { billerCode, vendor: null };
  const { vendorId } = await requireVendor(pool, vid);
  return { billerCode, vendor: { vendorId, vid } };
}

/** The version of the price that was just set. */
async function lastFee(pool: Pool, { billerCode, vendor }: Awaited<ReturnType<typeof keyOf>>) {
  const vendorId = vendor?.vendorId ?? null;
  const rows = (await listFeePrices(pool, 'all')).filter(
    (row) => row.billerCode === billerCode && row.vendorId === vendorId,
  );
  return rows.reduce((last, { version }) => Math.max(last, version), 0);
}

function whose(billerCode: string, vid: string | undefined): string {
  return vid === undefined ? billerCode : `${billerCode} for ${vid}`;
}

type SetOptions = SettingOptions & FormulaOptions & { readonly vid?: string };

function addSet(price: Command, cli: Cli): void {
  const set = command(
    price,
    'set',
    'Set the fee that is taken in addition to the amount of a biller’s payments. Existing payments keep their fee.',
  )
    .argument('<biller>', 'biller code', code)
    .addOption(vendorOption())
    .option('--flat <amount>', 'a flat fee', money)
    .option('--percent <number>', 'per cent of the amount, with --flat in addition to it', percent)
    .option(
      '--tier <from=fee>',
      'another fee from this amount on, such as 1000=10, 1000=1.5% or 1000=10+1.5%; may be repeated',
      tiers,
    )
    .option('--minimum <amount>', 'the fee is at least this', moneyAboveZero)
    .option('--maximum <amount>', 'the fee is at most this', moneyAboveZero)
    .option('--vat <percent>', 'VAT of the fee, which is added to it', percent)
    .option('--vat-included', 'the fee includes the VAT');
  withSetting(set).action(async (billerCode: string, options: SetOptions) => {
    if (options.vatIncluded === true && options.vat === undefined) {
      throw new UsageError('--vat-included needs --vat.');
    }
    const formula = formulaFrom(options);
    await cli.run(options, async (session) => {
      const { pool, wireTime } = session;
      const key = await keyOf(pool, billerCode, options.vid);
      const validFrom = beginOf(options, wireTime)?.toISOString() ?? null;
      const change = { formula: formulaJson(formula), validFrom };
      const asked = { ...options, setting: FEE, key, change, action: 'price.set' };
      return await changeSetting(cli, session, asked, async () => {
        const version = await lastFee(pool, key);
        return {
          json: { biller_code: billerCode, vid: options.vid ?? null, version },
          text: `The fee of ${whose(billerCode, options.vid)} is ${formulaText(formula)} (version ${version}).`,
        };
      });
    });
  });
}

function addRemove(price: Command, cli: Cli): void {
  const remove = command(
    price,
    'remove',
    'End a fee. Without its own fee, a vendor pays the biller’s. Without a biller’s fee, it pays no fee.',
  )
    .argument('<biller>', 'biller code', code)
    .addOption(vendorOption());
  withSetting(remove).action(
    async (billerCode: string, options: SettingOptions & { readonly vid?: string }) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const key = await keyOf(pool, billerCode, options.vid);
        const begin = beginOf(options, wireTime);
        const change = { formula: null, validFrom: begin?.toISOString() ?? null };
        const asked = { ...options, setting: FEE, key, change, action: 'price.remove' };
        return await changeSetting(cli, session, asked, async () => {
          const version = await lastFee(pool, key);
          const later = await listFeePricesAfter(
            pool,
            { billerCode, vendorId: key.vendor?.vendorId ?? null },
            version,
          );
          const since = begin && ` from ${wireTime.format(begin)} on`;
          return {
            json: {
              ...{ biller_code: billerCode, vid: options.vid ?? null, version },
              scheduled: later.map((row) => ({ ...settingJson(row), ...formulaFields(row) })),
            },
            text: [
              `The fee of ${whose(billerCode, options.vid)} is removed${since ?? ''} (version ${version}).`,
              ...later.map((row) => scheduledText(row, wireTime)),
            ].join('\n'),
          };
        });
      });
    },
  );
}

function scheduledText(row: FeePriceRow, wireTime: WireTime): string {
  const begin = wireTime.format(row.validFrom);
  return `A price that was set before begins at ${begin}: ${formulaText(row)} (version ${row.version}). To remove it as well, repeat this command with --from '${begin}'.`;
}

interface OperatorOptions extends SettingOptions {
  readonly cost?: bigint;
  readonly costPercent?: number;
  readonly commission?: bigint;
  readonly commissionPercent?: number;
  readonly commissionPaid?: 'netted' | 'later';
}

const NOTHING = { flatCents: 0n, bps: 0 };

function addSetOperator(price: Command, cli: Cli): void {
  const set = command(
    price,
    'set-operator',
    'Set what an operator charges us for a biller’s payments, and the commission that it gives us. It counts for instructions from then on.',
  )
    .argument('<biller>', 'biller code', code)
    .argument('<operator>', 'operator code', code)
    .option('--cost <amount>', 'what it charges for a payment', money)
    .option('--cost-percent <number>', 'and per cent of the amount', percent)
    .option('--commission <amount>', 'what it gives for a payment', money)
    .option('--commission-percent <number>', 'and per cent of the amount', percent)
    .addOption(
      new Option(
        '--commission-paid <how>',
        'netted: it takes that much less from our float; later: it pays it afterwards',
      ).choices(['netted', 'later']),
    );
  withSetting(set).action(
    async (billerCode: string, operatorCode: string, options: OperatorOptions) => {
      const cost = rateFrom(options.cost, options.costPercent);
      const commission = rateFrom(options.commission, options.commissionPercent);
      if (cost === undefined && commission === undefined) {
        throw new UsageError('A cost or a commission is required; 0 ends the price (see --help).');
      }
      if ((commission === undefined) !== (options.commissionPaid === undefined)) {
        throw new UsageError('A commission and --commission-paid are required together.');
      }
      const terms = {
        cost: cost ?? NOTHING,
        commission: commission ?? NOTHING,
        commissionNetted: options.commissionPaid !== 'later',
      };
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const key = { billerCode, operatorCode };
        const validFrom = beginOf(options, wireTime)?.toISOString() ?? null;
        const change = { ...termsJson(terms), validFrom };
        const setting = OPERATOR_PRICE;
        const asked = { ...options, setting, key, change, action: 'price.set_operator' };
        return await changeSetting(cli, session, asked, async () => {
          const rows = (await listOperatorPrices(pool, 'all')).filter(
            (row) => row.billerCode === billerCode && row.operatorCode === operatorCode,
          );
          const version = rows.reduce((last, row) => Math.max(last, row.version), 0);
          return {
            json: { biller_code: billerCode, operator: operatorCode, version },
            text: `The price of ${operatorCode} for ${billerCode} is ${termsText(terms)} (version ${version}).`,
          };
        });
      });
    },
  );
}
