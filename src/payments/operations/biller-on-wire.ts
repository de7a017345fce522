import { Type } from 'typebox';
import { formatMoney } from '../../platform/base/money.ts';
import { moneyText, nullable } from '../../platform/http/schemas.ts';
import type { Biller } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { validatorOf } from './validate-account.ts';
import type { ConnectorOf } from './validate-account.ts';

/** A biller as responses show it. */
export const billerFields = {
  biller_name: Type.String({ description: 'Full name of the operator.' }),
  biller_code: Type.String({ description: 'Sent as `biller_name` to create.' }),
  biller_category: Type.String({ examples: ['airtime', 'electricity', 'water', 'tv'] }),
  minimum_balance: moneyText('Minimum amount of a payment.'),
  secondary_account: Type.String({
    description: '`"true"` when create needs `phone` besides the account.',
    examples: ['false'],
  }),
  maximum_amount: nullable(moneyText('Maximum amount of a payment; null without a maximum.')),
  fee: moneyText('Taken from the float on top of the amount of each payment.'),
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
    fee: formatMoney(biller.feeCents),
    account_format: biller.accountFormat,
    account_label: biller.accountLabel,
    can_validate: String(validatorOf(biller, connectorOf) !== undefined),
  };
}

export interface BillerDeps {
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: ConnectorOf;
}
