import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { RuleRow, TopUpRow } from '../payments/vendor-floats/read-rules.ts';
import type { TopUpKind, TopUpRule } from '../payments/vendor-floats/rule.ts';
import { parseMoney } from '../platform/base/money.ts';
import { view } from './definition.ts';
import type { AnyAction, Asked, Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, moneyOrNull, text, textOrNull, titled } from './fields.ts';
import { setting } from './proposing.ts';
import { secondsOf } from '../platform/base/times.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/read-vendors.ts')),
  ...(await import('../payments/settings/vendors.ts')),
  ...(await import('../payments/vendor-floats/read-rules.ts')),
  ...(await import('../parties/require-vendor.ts')),
});
type Loaded = Awaited<ReturnType<typeof core>>;

const vid = fields.vid({ argument: true });

type TimeText = (iso: string) => string;
interface Ended {
  readonly set_by: string;
  readonly ended_by: string;
}

const ruleView = Type.Object({
  rule: text(),
  kind: Type.Enum(['fund', 'push'], { title: 'Kind' }),
  ...titled({ below: fields.money, target: moneyOrNull }),
  max_amount: moneyOrNull({ title: 'At once' }),
  max_per_day: moneyOrNull({ title: 'A day' }),
  pause_seconds: Type.Integer(),
  source: textOrNull(),
  phone: textOrNull({ title: 'Phone' }),
  set_by: text(),
  set_at: fields.time({
    title: 'Set',
    text: (at: string, row: Ended, time: TimeText) => `${time(at)} by ${row.set_by}`,
  }),
  ended_by: textOrNull(),
  ended_at: fields.timeOrNull({
    title: 'Ended',
    text: (at: string | null, row: Ended, time: TimeText) =>
      at === null ? '' : `${time(at)} by ${row.ended_by}`,
  }),
});

const topUpView = Type.Object({
  top_up: text(),
  rule: text(),
  at: fields.time({ title: 'At' }),
  kind: Type.Enum(['fund', 'push'], { title: 'Kind' }),
  set_by: text(),
  ...titled({ amount: fields.money, float: fields.money }),
  /** `started`, `unknown`: nobody knows whether it was carried out. */
  state: Type.Enum(['started', 'funded', 'sent', 'refused', 'unknown'], { title: 'State' }),
  reason: textOrNull({ title: 'Reason' }),
});

/** With the vendor, in lists of all vendors. */
const OF_VENDOR = { vid: text({ title: 'Vendor' }) };
const list = Type.Object({
  rules: Type.Array(Type.Object({ ...OF_VENDOR, ...ruleView.properties }), { title: 'Rules' }),
  top_ups: Type.Array(Type.Object({ ...OF_VENDOR, ...topUpView.properties }), {
    title: 'Top-ups',
  }),
});
export type TopUpList = Static<typeof list>;

const limit = (usual: number) =>
  Type.Integer({
    ...{ minimum: 1, maximum: 10_000, default: usual, placeholder: 'count' },
    description: 'at most this many top-ups',
  });

const SETS = { permission: 'finance.act', proposes: 'money_in_setting' } as const;

/** @param rule null: it ends. */
async function changeOfRule(
  { core: loaded, input, deps }: Asked<Loaded, { readonly vid: string }>,
  kind: TopUpKind,
  rule: TopUpRule | null,
) {
  const { vendorId, vid: named } = await loaded.requireVendor(deps.pool, input.vid);
  const tools = { masterKeys: await deps.masterKeys() };
  return {
    ...{ setting: loaded.TOP_UP, key: { vendorId, vid: named, kind } },
    change: { rule: rule === null ? null : loaded.ruleJson(rule, named, tools) },
  };
}

const above = (what: string, option?: string) =>
  fields.amount({ description: what, placeholder: 'amount', ...(option && { option }) });

export const TOP_UPS: Noun = {
  command: 'vendor top-up',
  summary: 'Automatic top-ups of vendors’ floats. Off by default.',
  definitions: [
    setting(core, {
      ...SETS,
      name: 'top-up.fund',
      summary: 'Move collected income into the float whenever the float is low.',
      route: 'POST /vendors/:vid/top-ups/fund',
      input: {
        vid,
        below: above('top up while the float is below this amount'),
        pause: fields.duration({ default: '60s', description: 'minimum time between two top-ups' }),
      },
      change: async (asked) => {
        const thresholdCents = parseMoney(asked.input.below, 'below');
        const pauseSeconds = secondsOf(asked.input.pause, 'pause');
        return await changeOfRule(asked, 'fund', { kind: 'fund', thresholdCents, pauseSeconds });
      },
    }),
    setting(core, {
      ...SETS,
      name: 'top-up.push',
      summary: 'Send the vendor’s phone a prompt to pay whenever the float is low (STK push).',
      route: 'POST /vendors/:vid/top-ups/push',
      input: {
        vid,
        below: above('send a prompt while float and collected income are below this amount'),
        target: above('the amount to reach'),
        max_amount: above('maximum amount of a prompt'),
        max_per_day: above('maximum amount of all prompts of a day'),
        pause: fields.duration({ default: '1h', description: 'minimum time between two prompts' }),
        source: fields.code({
          description: 'the source that sends the prompt',
          placeholder: 'code',
        }),
        phone: fields.line(20, {
          description: '12 digits; its owner confirms on the phone',
          placeholder: 'number',
        }),
      },
      change: async (asked) => {
        const { input } = asked;
        return await changeOfRule(asked, 'push', {
          kind: 'push',
          thresholdCents: parseMoney(input.below, 'below'),
          pauseSeconds: secondsOf(input.pause, 'pause'),
          targetCents: parseMoney(input.target, 'target'),
          maximumCents: parseMoney(input.max_amount, 'max_amount'),
          dailyCents: parseMoney(input.max_per_day, 'max_per_day'),
          sourceCode: input.source,
          phone: input.phone,
        });
      },
    }),
    offAction('fund'),
    offAction('push'),
    view(core, {
      name: 'top-up.list',
      summary: 'The rules in force of all vendors, and the newest top-ups.',
      route: 'GET /top-ups',
      permission: 'finance.read',
      input: inputOf({ limit: limit(200) }),
      output: list,
      isWatched: true,
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const vids = await loaded.readVids(pool);
        const rules = await loaded.listActiveRules(pool);
        const topUps = await loaded.listNewestTopUps(pool, input.limit);
        const vidOf = ({ vendorId }: { readonly vendorId: number }) => ({
          vid: vids.get(vendorId) ?? '',
        });
        return {
          rules: rules.map((row) => ({ ...vidOf(row), ...ruleViewOf(row) })),
          top_ups: topUps.map((row) => ({ ...vidOf(row), ...topUpViewOf(row) })),
        };
      },
    }),
    view(core, {
      name: 'top-up.show',
      summary: 'The rules of a vendor, and what they did, newest first.',
      route: 'GET /vendors/:vid/top-ups',
      permission: 'finance.read',
      input: inputOf({
        vid,
        limit: limit(20),
      }),
      output: Type.Object({
        vid: text(),
        rules: Type.Array(ruleView, { title: 'Rules' }),
        top_ups: Type.Array(topUpView, { title: 'Top-ups' }),
      }),
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const { vendorId, vid: named } = await loaded.requireVendor(pool, input.vid);
        const rules = await loaded.listRulesOf(pool, vendorId);
        const topUps = await loaded.listTopUps(pool, vendorId, input.limit);
        return {
          vid: named,
          rules: rules.map((row) => ruleViewOf(row)),
          top_ups: topUps.map((row) => topUpViewOf(row)),
        };
      },
    }),
  ],
};

function offAction(kind: TopUpKind): AnyAction {
  return setting(core, {
    ...SETS,
    name: `top-up.${kind}-off`,
    summary: `Stop topping up by ${kind}.`,
    route: `POST /vendors/:vid/top-ups/${kind}-off`,
    input: { vid },
    change: async (asked) => await changeOfRule(asked, kind, null),
  });
}

const ruleViewOf = ({ ruleId: rule, thresholdCents, maximumCents, dailyCents, ...row }: RuleRow) =>
  fit(ruleView, {
    ...wireOf({ rule, belowCents: thresholdCents, ...row }),
    ...wireOf({ maxAmountCents: maximumCents, maxPerDayCents: dailyCents }),
  });

const topUpViewOf = ({ topUpId, ruleId, ...row }: TopUpRow) =>
  fit(topUpView, { ...wireOf(row), top_up: topUpId, rule: ruleId });
