import { Option } from 'commander';
import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { ruleJson, TOP_UP } from '../../payments/settings/vendors.ts';
import { setVendorFloat } from '../../payments/vendor-floats/administer.ts';
import type { TopUpKind, TopUpRule } from '../../payments/vendor-floats/rule.ts';
import { listRulesOf, listTopUps } from '../../payments/vendor-floats/rules-store.ts';
import type { RuleRow, TopUpRow } from '../../payments/vendor-floats/rules-store.ts';
import { readVendorFloats } from '../../payments/vendor-floats/read-floats.ts';
import { listVendors } from '../../parties/store.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import {
  code,
  command,
  durationSeconds,
  moneyAboveZero,
  signerName,
  wholeNumber,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { changeSetting, withSetter } from '../parties/setting.ts';
import type { SetterOptions } from '../parties/setting.ts';
import { UsageError } from '../failure.ts';
import { table } from '../output.ts';
import { requireVendor } from '../parties/vendors.ts';

/** `vendor floats`, `vendor set-float` and `vendor top-up`. */
export function addVendorFloats(vendor: Command, cli: Cli): void {
  addList(vendor, cli);
  addSetFloat(vendor, cli);
  const topUp = vendor
    .command('top-up')
    .description('Automatic top-ups of vendors’ floats. Off by default.');
  addFundRule(topUp, cli);
  addPushRule(topUp, cli);
  addOff(topUp, cli);
  addHistory(topUp, cli);
}

const shown = (cents: bigint | null): string | null => (cents === null ? null : formatMoney(cents));

async function readFloats(pool: Pool) {
  const vendors = await listVendors(pool);
  const vendorIds = vendors.map(({ vendorId }) => vendorId);
  const floats = await readVendorFloats(pool, vendorIds, new Date());
  return vendors.flatMap(({ vendorId, vid }) => {
    const float = floats.get(vendorId);
    if (float === undefined) return [];
    return {
      vid,
      float: formatMoney(float.floatCents),
      collected: formatMoney(float.collectedCents),
      low: shown(float.lowCents),
      state: float.state,
      hours_left: float.hoursLeft,
      top_up: float.topUps,
    };
  });
}

function addList(vendor: Command, cli: Cli): void {
  command(
    vendor,
    'floats',
    'The floats of vendors: their limits, how many hours they last, and how they are topped up.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool }) => {
      const floats = await readFloats(pool);
      return {
        json: { floats },
        text: table(
          [
            { title: 'VID' },
            { title: 'FLOAT', align: 'right' },
            { title: 'COLLECTED', align: 'right' },
            { title: 'LOW', align: 'right' },
            { title: 'STATE' },
            { title: 'HOURS LEFT', align: 'right' },
            { title: 'TOP-UP' },
          ],
          floats.map((row) => [
            row.vid,
            row.float,
            row.collected,
            row.low ?? 'not set',
            row.state ?? 'not watched',
            row.hours_left === null ? 'not known' : row.hours_left.toFixed(1),
            row.top_up.join(' '),
          ]),
          'no vendors',
        ),
      };
    });
  });
}

interface SetFloatOptions {
  readonly json?: boolean;
  /** false: `--no-low`. */
  readonly low?: bigint | false;
  readonly by: string;
}

function addSetFloat(vendor: Command, cli: Cli): void {
  command(vendor, 'set-float', 'Set when a vendor gets the event float.low.')
    .argument('<vid>', 'vendor ID', signerName)
    .option('--low <amount>', 'float below which the event is sent', moneyAboveZero)
    .option('--no-low', 'no limit, no event')
    .requiredOption('--by <name>', 'who sets it')
    .action(async (vid: string, options: SetFloatOptions) => {
      const { low, by } = options;
      if (low === undefined) throw new UsageError('Give --low or --no-low.');
      await cli.run(options, async ({ pool }) => {
        const { vendorId } = await requireVendor(pool, vid);
        const lowCents = low === false ? null : low;
        await setVendorFloat(pool, { vendorId, lowCents, by });
        const text =
          lowCents === null
            ? `${vid} gets no events about its float.`
            : `${vid} gets an event when its float falls below ${formatMoney(lowCents)}.`;
        return { json: { vid, low: shown(lowCents) }, text };
      });
    });
}

interface RuleOptions extends SetterOptions {
  readonly json?: boolean;
  readonly below: bigint;
  readonly pause: number;
}

async function setRule(cli: Cli, vid: string, options: RuleOptions, terms: TopUpRule) {
  await cli.run(options, async (session) => {
    const { pool, sealing } = session;
    const { vendorId } = await requireVendor(pool, vid);
    const { kind } = terms;
    const tools = { masterKeys: (await sealing()).masterKeys };
    const asked = {
      ...{ ...options, setting: TOP_UP, key: { vendorId, vid, kind } },
      ...{ change: { rule: ruleJson(terms, vid, tools) }, action: 'vendor.top-up' },
    };
    const what =
      terms.kind === 'fund'
        ? 'collected income is moved into it'
        : `${terms.phone} is asked to pay`;
    const text = `When the float of ${vid} is below ${formatMoney(terms.thresholdCents)}, ${what}.`;
    return await changeSetting(cli, session, asked, async () => {
      const rules = await listRulesOf(pool, vendorId);
      const rule = rules.find((row) => row.kind === kind && row.endedAt === null)?.ruleId;
      return { json: { vid, kind, rule }, text };
    });
  });
}

function addFundRule(topUp: Command, cli: Cli): void {
  const set = command(
    topUp,
    'fund',
    'Move collected income into the float whenever the float is low.',
  )
    .argument('<vid>', 'vendor ID', signerName)
    .requiredOption(
      '--below <amount>',
      'top up while the float is below this amount',
      moneyAboveZero,
    )
    .addOption(
      new Option('--pause <time>', 'minimum time between two top-ups')
        .argParser(durationSeconds)
        .default(60, '60s'),
    );
  withSetter(set, true).action(async (vid: string, options: RuleOptions) => {
    const { below: thresholdCents, pause: pauseSeconds } = options;
    await setRule(cli, vid, options, { kind: 'fund', thresholdCents, pauseSeconds });
  });
}

interface PushOptions extends RuleOptions {
  readonly target: bigint;
  readonly maxAmount: bigint;
  readonly maxPerDay: bigint;
  readonly source: string;
  readonly phone: string;
}

function addPushRule(topUp: Command, cli: Cli): void {
  const set = command(
    topUp,
    'push',
    'Send the vendor’s phone a prompt to pay whenever the float is low (STK push).',
  )
    .argument('<vid>', 'vendor ID', signerName)
    .requiredOption(
      '--below <amount>',
      'send a prompt while float and collected income are below this amount',
      moneyAboveZero,
    )
    .requiredOption('--target <amount>', 'the amount to reach', moneyAboveZero)
    .requiredOption('--max-amount <amount>', 'maximum amount of a prompt', moneyAboveZero)
    .requiredOption(
      '--max-per-day <amount>',
      'maximum amount of all prompts of a day',
      moneyAboveZero,
    )
    .addOption(
      new Option('--pause <time>', 'minimum time between two prompts')
        .argParser(durationSeconds)
        .default(3_600, '1h'),
    )
    .requiredOption('--source <code>', 'the source that sends the prompt', code)
    .requiredOption('--phone <number>', '12 digits; its owner confirms on the phone');
  withSetter(set, true).action(async (vid: string, options: PushOptions) => {
    await setRule(cli, vid, options, {
      kind: 'push',
      thresholdCents: options.below,
      pauseSeconds: options.pause,
      targetCents: options.target,
      maximumCents: options.maxAmount,
      dailyCents: options.maxPerDay,
      sourceCode: options.source,
      phone: options.phone,
    });
  });
}

function addOff(topUp: Command, cli: Cli): void {
  for (const kind of ['fund', 'push'] as const satisfies readonly TopUpKind[]) {
    const off = command(topUp, `${kind}-off`, `Stop topping up by ${kind}.`);
    withSetter(off.argument('<vid>', 'vendor ID', signerName), true).action(
      async (vid: string, options: SetterOptions & { json?: boolean }) => {
        await cli.run(options, async (session) => {
          const { vendorId } = await requireVendor(session.pool, vid);
          const asked = {
            ...{ ...options, setting: TOP_UP, key: { vendorId, vid, kind } },
            ...{ change: { rule: null }, action: 'vendor.top-up' },
          };
          return await changeSetting(cli, session, asked, () => ({
            json: { vid, kind, ended: true },
            text: `The float of ${vid} is no longer topped up by ${kind}.`,
          }));
        });
      },
    );
  }
}

function ruleView(row: RuleRow) {
  return {
    rule: row.ruleId,
    kind: row.kind,
    below: formatMoney(row.thresholdCents),
    target: shown(row.targetCents),
    max_amount: shown(row.maximumCents),
    max_per_day: shown(row.dailyCents),
    pause_seconds: row.pauseSeconds,
    source: row.sourceCode,
    phone: row.phone,
    set_by: row.setBy,
    set_at: row.setAt.toISOString(),
    ended_by: row.endedBy,
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

function topUpJson(row: TopUpRow) {
  return {
    top_up: row.topUpId,
    rule: row.ruleId,
    kind: row.kind,
    set_by: row.setBy,
    at: row.at.toISOString(),
    amount: formatMoney(row.amountCents),
    float: formatMoney(row.floatCents),
    state: row.state,
    reason: row.reason,
  };
}

function addHistory(topUp: Command, cli: Cli): void {
  command(topUp, 'show', 'The rules of a vendor, and what they did, newest first.')
    .argument('<vid>', 'vendor ID', signerName)
    .option('--limit <count>', 'at most this many top-ups', wholeNumber(1, 10_000), 20)
    .action(async (vid: string, options: { json?: boolean; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const { vendorId } = await requireVendor(pool, vid);
        const rules = await listRulesOf(pool, vendorId);
        const topUps = await listTopUps(pool, vendorId, options.limit);
        return {
          json: { vid, rules: rules.map(ruleView), top_ups: topUps.map(topUpJson) },
          text: `${rulesText(rules, wireTime)}\n${topUpsText(topUps, wireTime)}`,
        };
      });
    });
}

function rulesText(rules: readonly RuleRow[], wireTime: WireTime): string {
  return table(
    [
      { title: 'KIND' },
      { title: 'BELOW', align: 'right' },
      { title: 'TARGET', align: 'right' },
      { title: 'AT ONCE', align: 'right' },
      { title: 'A DAY', align: 'right' },
      { title: 'PHONE' },
      { title: 'SET' },
      { title: 'ENDED' },
    ],
    rules.map((row) => [
      row.kind,
      formatMoney(row.thresholdCents),
      shown(row.targetCents) ?? '',
      shown(row.maximumCents) ?? '',
      shown(row.dailyCents) ?? '',
      row.phone ?? '',
      `${wireTime.format(row.setAt)} by ${row.setBy}`,
      row.endedAt === null ? '' : `${wireTime.format(row.endedAt)} by ${row.endedBy}`,
    ]),
    'no rules',
  );
}

function topUpsText(topUps: readonly TopUpRow[], wireTime: WireTime): string {
  return table(
    [
      { title: 'AT' },
      { title: 'KIND' },
      { title: 'AMOUNT', align: 'right' },
      { title: 'FLOAT', align: 'right' },
      { title: 'STATE' },
      { title: 'REASON' },
    ],
    topUps.map((row) => [
      wireTime.format(row.at),
      row.kind,
      formatMoney(row.amountCents),
      formatMoney(row.floatCents),
      row.state,
      row.reason ?? '',
    ]),
    'no top-ups',
  );
}
