import { Option } from 'commander';
import type { Command } from 'commander';
import {
  endFeePrice,
  setFeePrice,
  setOperatorPrice,
} from '../../payments/billers/administer-prices.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { formulaFields } from '../../payments/prices/describe.ts';
import { listFeePricesAfter } from '../../payments/prices/store.ts';
import type { FeePriceRow, NewSetting } from '../../payments/prices/store.ts';
import { code, command, money, moneyAboveZero, periodStart, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { asPerson } from '../parties/as-person.ts';
import type { Act } from '../parties/as-person.ts';
import { requireVendor } from '../parties/vendors.ts';
import { formulaFrom, percent, rateFrom, tiers } from './price-input.ts';
import type { FormulaOptions } from './price-input.ts';
import { addList, addShow, settingJson } from './price-lists.ts';
import { formulaText, termsText } from './price-view.ts';

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

interface SettingOptions {
  readonly json?: boolean;
  readonly by: string;
  readonly from?: string;
}

function withSetting(added: Command): Command {
  return added
    .option('--from <time>', 'a later time or day from which it counts (default: now)')
    .requiredOption('--by <name>', 'who sets it');
}

function settingOf({ by, from }: SettingOptions, wireTime: WireTime): NewSetting {
  const validFrom = from === undefined ? null : periodStart(from, '--from', wireTime);
  return { validFrom, setBy: by };
}

const vendorOption = (): Option =>
  new Option(
    '--vid <vid>',
    'only of this vendor (default: of every vendor without its own)',
  ).argParser(signerName);

async function keyOf(pool: Pool, billerCode: string, vid: string | undefined) {
  const vendorId = vid === undefined ? null : (await requireVendor(pool, vid)).vendorId;
  return { billerCode, vendorId };
}

/** A price decides what is booked, so its name has to be proven where staff sign in with codes. */
function priceAct(action: string, { by }: SettingOptions, target: string): Act {
  return { by, permission: 'finance.act', action, target };
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
      const act = priceAct('price.set', options, whose(billerCode, options.vid));
      const version = await asPerson(cli, session, act, async (by) => {
        const setting = settingOf({ ...options, by }, wireTime);
        return await setFeePrice(pool, key, formula, setting);
      });
      return {
        json: { biller_code: billerCode, vid: options.vid ?? null, version },
        text: `The fee of ${whose(billerCode, options.vid)} is ${formulaText(formula)} (version ${version}).`,
      };
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
        const act = priceAct('price.remove', options, whose(billerCode, options.vid));
        const setting = settingOf(options, wireTime);
        const version = await asPerson(
          cli,
          session,
          act,
          async (by) => await endFeePrice(pool, key, { ...setting, setBy: by }),
        );
        const later = await listFeePricesAfter(pool, key, version);
        const since = setting.validFrom && ` from ${wireTime.format(setting.validFrom)} on`;
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
        const act = priceAct('price.set_operator', options, `${operatorCode} for ${billerCode}`);
        const version = await asPerson(cli, session, act, async (by) => {
          const setting = settingOf({ ...options, by }, wireTime);
          return await setOperatorPrice(pool, key, terms, setting);
        });
        return {
          json: { biller_code: billerCode, operator: operatorCode, version },
          text: `The price of ${operatorCode} for ${billerCode} is ${termsText(terms)} (version ${version}).`,
        };
      });
    },
  );
}
