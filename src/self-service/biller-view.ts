import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Vendor } from '../parties/vendor.ts';
import { MSISDN } from '../payments/billers/account-format.ts';
import type { Biller } from '../payments/billers/biller.ts';
import type { ConnectorOf } from '../payments/operations/validators.ts';
import { validatorsOf } from '../payments/operations/validators.ts';
import { percentText } from '../payments/prices/describe.ts';
import { feePriceFor } from '../payments/prices/price.ts';
import type { FeeFormula } from '../payments/prices/price.ts';
import { MONEY_PATTERN, formatMoney } from '../platform/base/money.ts';
import { nullable } from '../platform/http/schemas.ts';
import { cents } from './schemas.ts';

const fee = Type.Object(
  {
    tiers: Type.Array(
      Type.Object({
        from_cents: cents('The tier counts for amounts from here to the next one.'),
        flat_cents: cents('The flat part of the fee.'),
        percent: Type.String({ description: 'Per cent of the amount.', examples: ['1.5'] }),
      }),
    ),
    minimum_cents: nullable(cents('The fee is at least this, before VAT is added.')),
    maximum_cents: nullable(cents('The fee is at most this, before VAT is added.')),
    vat_percent: Type.String({ examples: ['16'] }),
    vat: Type.String({ description: '`included` in the fee, or `added` to it.' }),
    excise_percent: Type.String({
      description:
        'Excise duty on the fee, `included` or `added` as VAT is. VAT is charged on both.',
      examples: ['0'],
    }),
  },
  { description: 'What you pay for a payment.' },
);

/** A biller with what a payment to it needs. */
export const biller = Type.Object({
  biller: Type.String({ description: 'Code of the biller: the `biller_name` of create.' }),
  name: Type.String(),
  category: Type.String({ examples: ['electricity'] }),
  status: Type.String({ description: '`ONLINE` or `OFFLINE`.', examples: ['ONLINE'] }),
  minimum_cents: cents('Smallest amount.'),
  maximum_cents: nullable(cents('Largest amount; null: no limit.')),
  account_label: Type.String({ examples: ['Meter number'] }),
  account_format: Type.String({
    description: '`msisdn`: a Kenyan mobile number; otherwise a regular expression.',
  }),
  phone_required: Type.Boolean({ description: 'Whether create needs `phone`.' }),
  can_validate: Type.Boolean({ description: 'Whether accounts can be validated.' }),
  fee: nullable(fee),
  parameters: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description:
      'JSON Schema of the parameters of create for this biller, for forms and checks before it is called.',
    additionalProperties: true,
  }),
});

type BillerView = Static<typeof biller>;

export function billerView(one: Biller, vendor: Vendor, connectorOf: ConnectorOf): BillerView {
  const { maximumCents } = one;
  const price = feePriceFor(one.feePrices, vendor.vendorId, Date.now());
  return {
    biller: one.billerCode,
    name: one.name,
    category: one.category,
    status: one.availability,
    minimum_cents: String(one.minimumCents),
    maximum_cents: maximumCents === null ? null : String(maximumCents),
    account_label: one.accountLabel,
    account_format: one.accountFormat,
    phone_required: one.secondaryAccount,
    can_validate: validatorsOf(one, connectorOf).length > 0,
    fee: price === undefined ? null : feeView(price),
    parameters: parametersOf(one, vendor),
  };
}

function feeView(formula: FeeFormula): Static<typeof fee> {
  const { minimumCents, maximumCents } = formula;
  return {
    tiers: formula.tiers.map((tier) => ({
      from_cents: String(tier.fromCents),
      flat_cents: String(tier.flatCents),
      percent: percentText(tier.bps),
    })),
    minimum_cents: minimumCents === null ? null : String(minimumCents),
    maximum_cents: maximumCents === null ? null : String(maximumCents),
    vat_percent: percentText(formula.vatBps),
    vat: formula.vatIncluded ? 'included' : 'added',
    excise_percent: percentText(formula.exciseBps ?? 0),
  };
}

/** An account that is a mobile number may be written in any usual form, so it has no pattern. */
function parametersOf(one: Biller, { referenceRequired }: Vendor): BillerView['parameters'] {
  const { accountFormat, accountLabel, minimumCents, maximumCents } = one;
  const upTo = maximumCents === null ? '' : ` to ${formatMoney(maximumCents)}`;
  return {
    type: 'object',
    properties: {
      biller_name: { const: one.billerCode },
      account: {
        type: 'string',
        title: accountLabel,
        ...(accountFormat === MSISDN ? { format: MSISDN } : { pattern: accountFormat }),
      },
      amount: {
        type: 'string',
        pattern: MONEY_PATTERN.source,
        description: `KES ${formatMoney(minimumCents)}${upTo === '' ? ' or more' : upTo}`,
      },
      phone: { type: 'string', format: MSISDN },
      merchant_reference: { type: 'string', maxLength: 64 },
    },
    required: [
      'biller_name',
      'account',
      'amount',
      ...(one.secondaryAccount ? ['phone'] : []),
      ...(referenceRequired ? ['merchant_reference'] : []),
    ],
    additionalProperties: false,
  };
}

export const EXAMPLE_BILLER: BillerView = {
  biller: 'kplc_prepaid',
  name: 'Kenya Power Prepaid',
  category: 'electricity',
  status: 'ONLINE',
  minimum_cents: '5000',
  maximum_cents: null,
  account_label: 'Meter number',
  account_format: '^[0-9]{5,14}$',
  phone_required: false,
  can_validate: true,
  fee: null,
  parameters: {
    type: 'object',
    properties: {
      biller_name: { const: 'kplc_prepaid' },
      account: { type: 'string', title: 'Meter number', pattern: '^[0-9]{5,14}$' },
      amount: { type: 'string', pattern: MONEY_PATTERN.source, description: 'KES 50.00 or more' },
    },
    required: ['biller_name', 'account', 'amount'],
    additionalProperties: false,
  },
};
