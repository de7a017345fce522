import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { ListedBiller } from '../payments/billers/lists.ts';
import { AMOUNT_RULES } from '../payments/billers/product.ts';
import type { ActivitySums } from '../payments/overview/activity.ts';
import { Refusal } from '../platform/base/errors.ts';
import { centsOf } from '../platform/base/money.ts';
import { interval, intervalOf, sums, sumsOf, sumsText } from './activity-view.ts';
import { billerStatus, statusOf } from './biller-view.ts';
import { changing } from './changing.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, money, moneyOrNull, NOTHING, text, textOrNull, titled } from './fields.ts';
import { ASKS_OPERATORS } from './limits.ts';
import { product, productOf } from './product-schema.ts';
import { setting } from './proposing.ts';
import { routeOf, routeView, STATES } from './route-view.ts';
import { settingReason } from './signer-schema.ts';
import { momentIf } from '../platform/base/times.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/billers/administer.ts')),
  ...(await import('../payments/billers/biller-products.ts')),
  ...(await import('../payments/billers/lists.ts')),
  ...(await import('../payments/dispatch/ask-products.ts')),
  ...(await import('../payments/overview/figures.ts')),
  ...(await import('../payments/prices/text.ts')),
  ...(await import('../payments/settings/billers.ts')),
});
type Loaded = Awaited<ReturnType<typeof core>>;

const biller = fields.code({ argument: true, description: 'biller code' });

interface Accounts {
  readonly account_label: string;
}

const row = {
  biller: text({ title: 'Code' }),
  ...titled({ name: text, category: text }),
  /** Its own, for which its settings were made. */
  operator: text({ title: 'Operator', wide: true }),
  minimum: money({ title: 'Minimum' }),
  maximum: moneyOrNull({ title: 'Maximum', nullText: 'none' }),
  /** Of vendors without one of their own, in words. */
  fee: text({ title: 'Fee' }),
  amounts: Type.Enum([...AMOUNT_RULES], { title: 'Amounts', wide: true }),
  phone: Type.Boolean({ title: 'Phone', wide: true }),
  validates: Type.Boolean({ title: 'Validates', wide: true }),
  account_format: text({
    ...{ title: 'Account', wide: true },
    text: (format: string, { account_label: label }: Accounts) => `${label}: ${format}`,
  }),
  account_label: text(),
  ...billerStatus,
  /** Why no route can be used; null: one can. */
  obstacle: textOrNull(),
  /** Those that may execute its payments, in the order in which they are tried. */
  operators: Type.Array(Type.String()),
  quarantined: Type.Boolean(),
  position: Type.Integer(),
};
const billerRow = Type.Object({ ...row, last_hour: sums() });
export type BillerRow = Static<typeof billerRow>;

const list = Type.Object({ billers: Type.Array(billerRow) });
export type BillerList = Static<typeof list>;

const shown = Type.Object({
  ...row,
  last_hour: sums({ title: 'Last hour', text: sumsText }),
  routes: Type.Array(routeView, { title: 'Routes' }),
  /** The last 24 hours, by half-hour. */
  intervals: Type.Array(interval),
});
export type BillerView = Static<typeof shown>;

interface Listing {
  readonly operator: string;
  readonly refreshed_at: string | null;
  readonly error: string | null;
}

function listingText(listings: readonly Listing[], _: unknown, time: (iso: string) => string) {
  return listings
    .map(({ operator, refreshed_at: at, error }) => {
      const failed = error === null ? '' : `, and the last attempt failed: ${error}`;
      return `${operator} ${at === null ? 'has never listed anything' : `listed them ${time(at)}`}${failed}`;
    })
    .join('; ');
}

const products = Type.Object({
  biller: text(),
  amounts: Type.Enum([...AMOUNT_RULES], {
    title: 'Accepted',
    text: (rule: string) =>
      rule === 'any' ? 'any amount within its limits' : 'only amounts of these products',
  }),
  operators: Type.Array(
    Type.Object({
      operator: text(),
      /** The last complete list. */
      refreshed_at: fields.timeOrNull(),
      /** Why the last attempt failed. */
      error: textOrNull(),
    }),
    { title: 'Lists', text: listingText },
  ),
  products: Type.Array(Type.Object({ operator: text({ title: 'Operator' }), ...product })),
});

export const BILLERS: Noun = {
  command: 'biller',
  summary: 'Billers: what can be paid.',
  definitions: [
    view(core, {
      name: 'biller.list',
      summary: 'All billers, in the order vendors see them.',
      route: 'GET /billers',
      permission: 'billers.read',
      input: NOTHING,
      output: list,
      rows: 'billers',
      empty: 'no billers',
      isWatched: true,
      handle: async ({ core: loaded, deps }) => {
        const now = deps.clock.now();
        const of = await loaded.lastHourBy(deps.activity, now, (each) => each.billerCode);
        const billers = await loaded.readBillers(deps.pool, now);
        return { billers: billers.map((one) => rowOf(loaded, one, of(one.biller.billerCode))) };
      },
    }),
    view(core, {
      name: 'biller.show',
      summary: 'A biller with its routes and the payments of the last hour.',
      route: 'GET /billers/:biller',
      permission: 'billers.read',
      input: inputOf({ biller }),
      output: shown,
      isWatched: true,
      handle: async ({ core: loaded, input: { biller: named }, deps }) => {
        const now = deps.clock.now();
        const one = await loaded.readBiller(deps.pool, named, now);
        const of = await loaded.lastHourBy(deps.activity, now, (each) => each.billerCode);
        const isShown = ({ billerCode }: { readonly billerCode: string }) => billerCode === named;
        const intervals = await loaded.lastDayOf(deps.activity, now, isShown);
        return {
          ...rowOf(loaded, one, of(named)),
          routes: (await loaded.readRoutes(deps.pool, named)).map(routeOf),
          intervals: intervals.map(intervalOf),
        };
      },
    }),
    setting(core, {
      name: 'biller.set',
      summary: 'Add a biller, or change the settings that are given.',
      route: 'POST /billers/:biller',
      permission: 'billers.act',
      proposes: 'operator_setting',
      actsAlone: true,
      needsOne: [
        ...['name', 'category', 'operator', 'minimum', 'maximum', 'amounts', 'phone'],
        ...['validates', 'account_format', 'account_label', 'position'],
      ],
      input: {
        biller,
        name: Type.Optional(fields.displayName({ description: 'full name' })),
        category: Type.Optional(fields.displayName({ description: 'such as airtime, water, tv' })),
        operator: Type.Optional(
          fields.code({ description: 'operator that executes its payments', placeholder: 'code' }),
        ),
        minimum: Type.Optional(
          fields.positive({ description: 'minimum amount', placeholder: 'amount' }),
        ),
        maximum: fields.positiveOrNone('maximum', 'maximum amount', 'no maximum amount'),
        amounts: Type.Optional(
          Type.Enum([...AMOUNT_RULES], {
            placeholder: 'rule',
            description:
              'any, or products: only amounts for which one of its operators sells something',
          }),
        ),
        phone: flag(
          'phone',
          'a phone number is required in addition to the account',
          'no phone number is required',
        ),
        validates: flag(
          'validates',
          'the operator can validate accounts',
          'the operator cannot validate accounts',
        ),
        account_format: Type.Optional(
          Type.String({
            ...{ maxLength: 1000, placeholder: 'format' },
            description: 'msisdn for mobile numbers, or an anchored pattern such as ^[0-9]{11}$',
          }),
        ),
        account_label: Type.Optional(
          fields.displayName({ description: 'what its accounts are called', placeholder: 'label' }),
        ),
        position: Type.Optional(
          Type.Integer({
            ...{ minimum: 0, maximum: 1_000_000, placeholder: 'number' },
            description: 'position in the list',
          }),
        ),
      },
      change: async ({ core: { changeJson, BILLER }, input }) => {
        const change = changeJson({
          name: input.name,
          category: input.category,
          operatorCode: input.operator,
          minimumCents: centsOf(input.minimum),
          maximumCents: centsOf(input.maximum),
          amounts: input.amounts,
          secondaryAccount: input.phone,
          validatesAccounts: input.validates,
          accountFormat: input.account_format,
          accountLabel: input.account_label,
          position: input.position,
        });
        return { setting: BILLER, key: { billerCode: input.biller }, change };
      },
    }),
    changing(core, {
      name: 'biller.set-status',
      summary:
        'Take a biller OFFLINE (nothing is created or sent; payments already sent are still verified) or ONLINE.',
      route: 'POST /billers/:biller/status',
      permission: 'billers.act',
      actsAlone: 'always',
      input: inputOf({
        biller,
        status: Type.Enum([...STATES], { argument: true, description: 'ONLINE or OFFLINE' }),
        reason: fields.reasonOr('no reason given', { option: 'reason' }),
        until: Type.Optional(
          fields.moment({ description: 'when it becomes ONLINE again automatically' }),
        ),
      }),
      output: Type.Object({ biller: text({ title: 'Biller' }), ...billerStatus }),
      now: async ({ core: { readBiller }, input: { biller: named }, deps: { pool, clock } }) => ({
        ...{ biller: named, ...statusOf(await readBiller(pool, named, clock.now())) },
      }),
      change: async ({ core: { changeBillerStatus }, input, deps: { pool, wireTime } }) => {
        const { biller: named, status, reason } = input;
        const until = momentIf(input.until, 'until', wireTime);
        await changeBillerStatus(pool, named, status, { reason: reason.trim(), until });
      },
    }),
    view(core, {
      name: 'biller.products',
      summary:
        'What the biller’s operators sell for it, according to their last lists, and the amounts that the biller accepts.',
      route: 'GET /billers/:biller/products',
      permission: 'billers.read',
      input: inputOf({ biller }),
      output: products,
      ...{ rows: 'products', empty: 'no products' },
      handle: async ({ core: loaded, input, deps }) => await productsOf(loaded, input.biller, deps),
    }),
    action(core, {
      name: 'biller.refresh-products',
      summary: 'Ask the biller’s operators what they sell now, and keep their lists.',
      route: 'POST /billers/:biller/products',
      permission: 'billers.act',
      actsAlone: 'always',
      programsMay: true,
      limit: ASKS_OPERATORS,
      input: inputOf({ biller, reason: settingReason }),
      output: products,
      handle: async ({ core: loaded, input, deps }) => {
        const { operators } = await productsOf(loaded, input.biller, deps);
        const by = { ...deps, masterKeys: await deps.masterKeys() };
        for (const { operator } of operators) await loaded.refreshListing(operator, by);
        const result = await productsOf(loaded, input.biller, deps);
        return { result, audit: { before: { operators }, after: { operators: result.operators } } };
      },
    }),
  ],
};

/** A setting that is on or off. */
function flag(name: string, isOn: string, isOff: string) {
  const shorthands = { [`no-${name}`]: { value: false, says: isOff } };
  return Type.Optional(Type.Boolean({ description: isOn, shorthands }));
}

function rowOf({ formulaText }: Loaded, one: ListedBiller, lastHour: ActivitySums): BillerRow {
  const { biller: of, routes, fee, obstacle } = one;
  return fit(billerRow, {
    ...{ ...wireOf(of), ...statusOf(one), obstacle, fee: formulaText(fee) },
    phone: of.secondaryAccount,
    validates: of.validatesAccounts,
    operators: routes.map(({ operatorCode }) => operatorCode),
    position: of.listPosition,
    last_hour: sumsOf(lastHour),
  });
}

/** Throws: `not_found`. */
async function productsOf({ readBillerProducts }: Loaded, named: string, { pool }: StaffDeps) {
  const found = await readBillerProducts(pool, named);
  if (found === undefined) {
    throw new Refusal('not_found', { text: `Biller ${named} does not exist.` });
  }
  return {
    biller: named,
    amounts: found.amounts,
    operators: found.listings.map(wireOf),
    products: found.products.map((one) => ({ operator: one.operatorCode, ...productOf(one) })),
  };
}
