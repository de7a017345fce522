import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Biller } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { headerStatus, moneyText, nullable } from '../../platform/http/schemas.ts';
import { validatorOf } from './validate-account.ts';
import type { ConnectorOf } from './validate-account.ts';
import { billerCode, prefix } from './fields.ts';

const billerFields = {
  biller_name: Type.String({ description: 'Full name of the operator.' }),
  biller_code: Type.String({ description: 'Sent as `biller_name` to create.' }),
  biller_category: Type.String({ examples: ['airtime', 'electricity', 'water', 'tv'] }),
  minimum_balance: moneyText('Smallest amount the biller takes.'),
  secondary_account: Type.String({
    description: '`"true"` when create needs `phone` besides the account.',
    examples: ['false'],
  }),
  maximum_amount: nullable(moneyText('Largest amount the biller takes; null for no maximum.')),
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

function billerOnWire(biller: Biller, connectorOf: ConnectorOf) {
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

interface BillerDeps {
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: ConnectorOf;
}

const listRequest = Type.Object({ vid });
const listResponse = Type.Object({
  header_status: headerStatus,
  data: Type.Array(Type.Object(billerFields)),
});

/** Specification §4.2. */
export function listBillers(
  { catalogue, connectorOf }: BillerDeps,
  path: string,
): Operation<typeof listRequest, typeof listResponse, undefined> {
  return {
    name: 'listBillers',
    method: 'GET',
    path,
    summary: 'List billers',
    description: 'What can be paid. No signature.',
    signedBy: undefined,
    request: listRequest,
    response: listResponse,
    handle: () => ({
      header_status: 200,
      data: catalogue.billers().map((biller) => billerOnWire(biller, connectorOf)),
    }),
  };
}

const statusRequest = Type.Object({ vid, biller_code: billerCode });
const statusResponse = Type.Object({
  header_status: headerStatus,
  data: Type.Object({
    ...billerFields,
    status: Type.String({
      description: '`ONLINE`, or `OFFLINE` during maintenance or downtime at the operator.',
      examples: ['ONLINE'],
    }),
  }),
});

/** Specification §4.3. */
export function billerStatus(
  { catalogue, connectorOf }: BillerDeps,
  path: string,
): Operation<typeof statusRequest, typeof statusResponse, undefined> {
  return {
    name: 'billerStatus',
    method: 'GET',
    path,
    summary: 'Biller status',
    description: 'Whether a biller can be paid now. Ask before create. No signature.',
    signedBy: undefined,
    request: statusRequest,
    response: statusResponse,
    handle: (request) => {
      const biller = catalogue.biller(request.biller_code);
      if (biller === undefined) throw new Refusal('unknown_biller', { field: 'biller_code' });
      return {
        header_status: 200,
        data: { ...billerOnWire(biller, connectorOf), status: biller.availability },
      };
    },
  };
}

const lookupRequest = Type.Object({ vid, prefix });
const lookupResponse = Type.Object({
  header_status: headerStatus,
  data: Type.Object({
    prefix: Type.String({ examples: ['722'] }),
    operator: Type.String({ description: 'An airtime biller code.', examples: ['safaricom'] }),
  }),
});

/** Specification §4.7. */
export function phoneLookup(
  deps: Pick<Authenticators, 'byVendor'> & { readonly catalogue: BillerCatalogue },
  path: string,
): Operation<typeof lookupRequest, typeof lookupResponse, Vendor> {
  return {
    name: 'phoneLookup',
    method: 'POST',
    path,
    summary: 'Phone lookup',
    description: 'The mobile operator that uses a prefix, to buy airtime from.',
    signedBy: deps.byVendor,
    request: lookupRequest,
    response: lookupResponse,
    handle: (request) => {
      const operator = deps.catalogue.billerOfPrefix(request.prefix);
      if (operator === undefined) throw new Refusal('unknown_prefix', { field: 'prefix' });
      return { header_status: 200, data: { prefix: request.prefix, operator } };
    },
  };
}
