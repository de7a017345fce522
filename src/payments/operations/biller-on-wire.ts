import { Type } from 'typebox';
import { formatMoney } from '../../platform/base/money.ts';
import { moneyText, nullable } from '../../platform/http/schemas.ts';
import type { Biller } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { formulaFields } from '../prices/describe.ts';
import { feeOf, feePriceFor } from '../prices/price.ts';
import { validatorsOf } from './validators.ts';
import type { ConnectorOf } from './validators.ts';

/** A biller as responses show it. */
export const billerFields = {
  biller_name: Type.String({ description: 'Full name of the operator.' }),
  biller_code: Type.String({ description: 'Sent as `biller_name` to create.' }),
  biller_category: Type.String({ examples: ['airtime', 'electricity', 'water', 'tv'] }),
  minimum_balance: moneyText('Minimum amount of a payment.'),
  secondary_account: Type.String({
    description: '`"true"` when create needs `phone` in addition to the account.',
    examples: ['false'],
  }),
  maximum_amount: nullable(moneyText('Maximum amount of a payment; null without a maximum.')),
  fee: moneyText(
    'Taken from the float on top of the amount of each payment, with VAT. If it depends on the amount: the fee of the minimum amount.',
  ),
  fee_formula: nullable(
    Type.Object(
      {
        tiers: Type.Array(
          Type.Object({
            from: moneyText('The tier counts for amounts from here to the next one.'),
            flat: moneyText('The flat part of the fee.'),
            percent: Type.String({ description: 'Per cent of the amount.', examples: ['1.5'] }),
          }),
        ),
        minimum: nullable(moneyText('The fee is at least this, before VAT is added.')),
        maximum: nullable(moneyText('The fee is at most this, before VAT is added.')),
        vat_percent: Type.String({ examples: ['16'] }),
        vat: Type.String({ description: '`included` in the fee, or `added` to it.' }),
        excise_percent: Type.String({
          description:
            'Excise duty on the fee, `included` or `added` as VAT is. VAT is charged on both.',
          examples: ['0'],
        }),
      },
      {
        description:
          'How to compute the fee from the amount; null without a fee. Shares are rounded half up to a cent. Your own price may differ; the response of create contains it.',
      },
    ),
  ),
  account_format: Type.String({
    description:
      '`msisdn`: a Kenyan mobile number, in any usual spelling. Otherwise a regular expression that the whole account matches.',
    examples: ['^[0-9]{5,14}$'],
  }),
  account_label: Type.String({
    description: 'What the biller’s customers call their account.',
    examples: ['Meter number'],
  }),
  can_validate: Type.String({
    description: '`"true"` when the operation that validates accounts takes this biller.',
    examples: ['true'],
  }),
};

export const EXAMPLE_BILLER = {
  biller_name: 'Kenya Power Prepaid',
  biller_code: 'kplc_prepaid',
  biller_category: 'electricity',
  minimum_balance: '50.00',
  secondary_account: 'false',
  maximum_amount: null,
  fee: '0.00',
  fee_formula: null,
  account_format: '^[0-9]{5,14}$',
  account_label: 'Meter number',
  can_validate: 'true',
};

export function billerOnWire(biller: Biller, connectorOf: ConnectorOf) {
  const { maximumCents } = biller;
  return {
    biller_name: biller.name,
    biller_code: biller.billerCode,
    biller_category: biller.category,
    minimum_balance: formatMoney(biller.minimumCents),
    secondary_account: String(biller.secondaryAccount),
    maximum_amount: maximumCents === null ? null : formatMoney(maximumCents),
    ...feeOnWire(biller),
    account_format: biller.accountFormat,
    account_label: biller.accountLabel,
    can_validate: String(validatorsOf(biller, connectorOf).length > 0),
  };
}

/** The price for vendors without one of their own: this list is not signed. */
function feeOnWire({ feePrices, minimumCents }: Biller) {
  const price = feePriceFor(feePrices, null, Date.now());
  return {
    fee: formatMoney(price === undefined ? 0n : feeOf(price, minimumCents).feeCents),
    fee_formula: price === undefined ? null : formulaFields(price),
  };
}

export interface BillerDeps {
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: ConnectorOf;
}
