import { Type } from 'typebox';
import type { Static } from 'typebox';
import { feeOf, formulaOf, rateOf } from '../payments/prices/written.ts';
import { Refusal } from '../platform/base/errors.ts';
import { parseMoney } from '../platform/base/money.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, money, orNull, text, textOrNull, titled } from './fields.ts';
import { formula } from './price-schema.ts';
import { setting } from './proposing.ts';
import { readMoment } from '../platform/base/times.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/prices/describe.ts')),
  ...(await import('../payments/billers/price-lists.ts')),
  ...(await import('../payments/prices/text.ts')),
  ...(await import('../payments/settings/prices.ts')),
  ...(await import('../parties/require-vendor.ts')),
});
type Loaded = Awaited<ReturnType<typeof core>>;

const biller = fields.code({ argument: true, description: 'biller code' });

const PERCENT = String.raw`(100(\.0{1,2})?|\d{1,2}(\.\d{1,2})?)`;
const percent = (options: fields.Options) =>
  Type.String({
    pattern: `^${PERCENT}$`,
    form: 'a percentage from 0 to 100 with at most two decimals, such as 1.5',
    placeholder: 'number',
    ...options,
  });

const rate = (flat: string, share: string) => ({
  flat: Type.Optional(fields.amount({ description: flat, placeholder: 'amount' })),
  percent: Type.Optional(percent({ description: share })),
});

const tierIn = (written: string) => feeOf('from', written);
const FORM =
  'the first amount and the fee from there on, such as 1000=10, 1000=1.5% or 1000=10+1.5%';
export const fee = {
  ...rate('a flat fee', 'per cent of the amount, with a flat fee in addition to it'),
  tiers: Type.Optional(
    Type.Array(
      Type.Object(
        { from: fields.amount(), ...rate('a flat fee', 'per cent of the amount') },
        { additionalProperties: false },
      ),
      {
        description:
          'another fee from this amount on, such as 1000=10, 1000=1.5% or 1000=10+1.5%; repeatable',
        spelt: [{ option: 'tier', placeholder: 'from=fee', read: tierIn, form: FORM }],
      },
    ),
  ),
  minimum: Type.Optional(
    fields.positive({ description: 'the fee is at least this', placeholder: 'amount' }),
  ),
  maximum: Type.Optional(
    fields.positive({ description: 'the fee is at most this', placeholder: 'amount' }),
  ),
  vat_percent: Type.Optional(
    percent({
      ...{ description: 'VAT of the fee, which is added to it', option: 'vat' },
      placeholder: 'percent',
    }),
  ),
  vat_included: Type.Boolean({
    ...{ default: false, description: 'the fee includes the VAT, and the excise duty' },
  }),
  excise_percent: Type.Optional(
    percent({
      ...{ description: 'excise duty on the fee; VAT is charged on both', option: 'excise' },
      placeholder: 'percent',
    }),
  ),
};

const vid = Type.Optional(
  fields.vid({ description: 'only of this vendor (default: of every vendor without its own)' }),
);
const from = Type.Optional(
  fields.moment({
    description: 'a later time or day from which it counts (default: now, or once it is approved)',
  }),
);

const priced = {
  valid_from: fields.time({ title: 'From' }),
  ...titled({ set_by: text, version: fields.count }),
  /** In words. */
  price: text({ title: 'Price' }),
  set_at: fields.time(),
};

const feeView = Type.Object({
  biller: text({ title: 'Biller' }),
  vid: textOrNull({ title: 'Vendor', nullText: 'all' }),
  ...priced,
  formula,
});

const termsView = Type.Object({
  ...titled({ biller: text, operator: text }),
  ...priced,
  cost: money(),
  cost_percent: text(),
  commission: money(),
  commission_percent: text(),
  commission_paid: Type.Enum(['netted', 'later']),
});

export type FeeRow = Static<typeof feeView>;
export type TermsRow = Static<typeof termsView>;

const quoteView = Type.Object({
  ...titled({ biller: text, amount: money, fee: money }),
  vat: money({ title: 'VAT in it' }),
  version: orNull(Type.Integer(), { title: 'Version', nullText: 'no fee' }),
  operators: Type.Array(
    Type.Object({
      ...titled({ operator: text, cost: money, commission: money, margin: money }),
    }),
    { title: 'Through' },
  ),
});

const LISTS = {
  permission: 'billers.read',
  input: inputOf({
    biller: Type.Optional(fields.code({ description: 'only of this biller', placeholder: 'code' })),
    replaced: Type.Boolean({
      ...{ default: false, option: 'all' },
      description: 'also those that were replaced',
    }),
  }),
  rows: 'prices',
} as const;

const SETS = { permission: 'finance.act', proposes: 'price_setting' } as const;

export const PRICES: Noun = {
  command: 'price',
  summary: 'Prices: what vendors pay for payments, and what operators charge and give us.',
  definitions: [
    view(core, {
      ...LISTS,
      name: 'price.list',
      summary: 'The fees in force, and those that begin later.',
      route: 'GET /prices',
      output: Type.Object({ prices: Type.Array(feeView) }),
      empty: 'no fees',
      handle: async ({ core: { readFees, formulaFields, formulaText }, input, deps }) => {
        const rows = await readFees(deps.pool, wantedBy(input));
        return {
          prices: rows.map((row) =>
            fit(feeView, {
              ...{ ...wireOf(row), price: formulaText(row), formula: formulaFields(row) },
            }),
          ),
        };
      },
    }),
    view(core, {
      ...LISTS,
      // As the report of margins: what operators charge is the company's business.
      permission: 'finance.read',
      name: 'price.operators',
      summary: 'What operators charge and give us, and what begins later.',
      route: 'GET /operator-prices',
      output: Type.Object({ prices: Type.Array(termsView) }),
      empty: 'no prices of operators',
      handle: async ({ core: { readOperatorPrices, termsFields, termsText }, input, deps }) => {
        const rows = await readOperatorPrices(deps.pool, wantedBy(input));
        return {
          prices: rows.map((row) =>
            fit(termsView, { ...wireOf(row), price: termsText(row), ...termsFields(row) }),
          ),
        };
      },
    }),
    view(core, {
      name: 'price.show',
      summary:
        'What a payment would cost now, and what each operator with a price would charge and give. Changes nothing.',
      route: 'GET /billers/:biller/price',
      permission: 'finance.read',
      input: inputOf({
        biller,
        amount: fields.positive({ argument: true, description: 'amount of the payment' }),
        vid: Type.Optional(fields.vid({ description: 'for this vendor' })),
      }),
      output: quoteView,
      handle: async ({ core: { quote, requireVendor }, input, deps }) => {
        const amountCents = parseMoney(input.amount);
        const vendor = input.vid === undefined ? null : await requireVendor(deps.pool, input.vid);
        const payment = {
          billerCode: input.biller,
          vendorId: vendor?.vendorId ?? null,
          amountCents,
        };
        const cost = await quote(deps.pool, payment, deps.clock.now().getTime());
        const { feeCents, vatCents, feePrice: version } = cost;
        return {
          ...wireOf({ biller: input.biller, amountCents, feeCents, vatCents, version }),
          operators: cost.operators.map((one) => wireOf(one)),
        };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'price.set',
      summary:
        'Set the fee that is taken in addition to the amount of a biller’s payments. Existing payments keep their fee.',
      route: 'POST /prices/:biller',
      needsOne: ['flat', 'percent', 'tiers'],
      input: { biller, vid, ...fee, from },
      change: async ({ core: loaded, input, deps }) => ({
        ...{ setting: loaded.FEE, key: await feeKey(loaded, input, deps) },
        change: { formula: loaded.formulaJson(formulaOf(input)), ...beginOf(input, deps) },
      }),
    }),
    setting(core, {
      ...SETS,
      name: 'price.remove',
      summary:
        'End a fee. Without its own fee, a vendor pays the biller’s. Without a biller’s fee, it pays no fee. A price that begins later stays.',
      route: 'POST /prices/:biller/remove',
      input: { biller, vid, from },
      change: async ({ core: loaded, input, deps }) => ({
        ...{ setting: loaded.FEE, key: await feeKey(loaded, input, deps) },
        change: { formula: null, ...beginOf(input, deps) },
      }),
    }),
    setting(core, {
      ...SETS,
      name: 'price.set-operator',
      summary:
        'Set what an operator charges us for a biller’s payments, and the commission that it gives us; 0 ends it. It counts for instructions from then on.',
      route: 'POST /operator-prices/:biller/:operator',
      needsOne: ['cost', 'cost_percent', 'commission', 'commission_percent'],
      input: {
        biller,
        operator: fields.code({ argument: true, description: 'operator code' }),
        cost: Type.Optional(
          fields.amount({ description: 'what it charges for a payment', placeholder: 'amount' }),
        ),
        cost_percent: Type.Optional(percent({ description: 'and per cent of the amount' })),
        commission: Type.Optional(
          fields.amount({ description: 'what it gives for a payment', placeholder: 'amount' }),
        ),
        commission_percent: Type.Optional(percent({ description: 'and per cent of the amount' })),
        commission_paid: Type.Optional(
          Type.Enum(['netted', 'later'], {
            placeholder: 'how',
            description:
              'netted: it takes that much less from our float; later: it pays it afterwards',
          }),
        ),
        from,
      },
      change: async ({ core: { termsJson, OPERATOR_PRICE }, input, deps }) => {
        const { commission, commission_percent: share, commission_paid: paid } = input;
        if (((commission ?? share) === undefined) !== (paid === undefined)) {
          const says = 'commission_paid is required with a commission, and only then';
          throw new Refusal('missing_field', { field: 'commission_paid', text: says });
        }
        const terms = {
          cost: rateOf(input.cost, input.cost_percent),
          commission: rateOf(commission, share),
          commissionNetted: paid !== 'later',
        };
        return {
          setting: OPERATOR_PRICE,
          key: { billerCode: input.biller, operatorCode: input.operator },
          change: { ...termsJson(terms), ...beginOf(input, deps) },
        };
      },
    }),
  ],
};

const wantedBy = ({ replaced, biller: billerCode }: { replaced: boolean; biller?: string }) =>
  ({ which: replaced ? 'all' : 'current', billerCode }) as const;

async function feeKey(
  { requireVendor }: Loaded,
  { biller: billerCode, vid: named }: { readonly biller: string; readonly vid?: string },
  { pool }: StaffDeps,
) {
  if (named === undefined) return { billerCode, vendor: null };
  const { vendorId, vid: key } = await requireVendor(pool, named);
  return { billerCode, vendor: { vendorId, vid: key } };
}

/** Throws: `invalid_field`. */
const beginOf = ({ from: at }: { readonly from?: string }, { wireTime }: StaffDeps) => ({
  validFrom: at === undefined ? null : readMoment(at, 'from', wireTime).toISOString(),
});
