import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Biller } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { AccountQuery } from '../../connectors/operator.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Operation, RefusalForm } from '../../platform/http/operation.ts';
import { headerStatus, moneyText, nullable } from '../../platform/http/schemas.ts';
import { account, billerCodeOrName, phone } from './fields.ts';
import { lookUpAccount } from './look-up-account.ts';
import type { LookedUp, LookUpDeps } from './look-up-account.ts';
import { unknownBiller } from '../billers/unknown-biller.ts';

const request = Type.Object({
  vid,
  account,
  account_type: billerCodeOrName,
  phone: Type.Optional(phone),
});
const response = Type.Object({
  header_status: headerStatus,
  status: Type.Integer({ description: '1 when the account is valid, otherwise 0.' }),
  text: Type.String({
    description: '`SUCCESS`; any other value means that the account is not valid.',
  }),
  account_data: Type.Object({
    account: Type.String({ description: 'The account that was validated.' }),
    name: nullable(Type.String({ description: 'Not every operator provides it.' })),
    amountdue: nullable(moneyText('Not every operator provides it.')),
    due_date: nullable(
      Type.String({
        description: 'The day on which it is due, YYYY-MM-DD. Not every operator provides it.',
        examples: ['2026-01-31'],
      }),
    ),
  }),
  prefix: nullable(
    Type.String({ description: 'Prefix of `phone`, null without one.', examples: ['722'] }),
  ),
});

/** Clients of this operation expect them at the top level as well. */
const refusalForm: RefusalForm = {
  name: 'validate',
  fieldsOf: (refusal) => ({ status: 0, text: refusal.message }),
};

const EXAMPLE = {
  request: {
    vid: 'demo',
    account: '4100129901',
    account_type: 'nairobi_water',
    phone: '254722000000',
  },
  answer: {
    header_status: 200,
    status: 1,
    text: 'SUCCESS',
    account_data: {
      account: '4100129901',
      name: 'Tumaini Jabali',
      amountdue: '353.60',
      due_date: '2026-01-31',
    },
    prefix: '722',
  },
};

/** Specification §4.6. */
export function validateAccount(
  deps: LookUpDeps & {
    readonly byVendor: Authenticators['byVendor'];
    readonly catalogue: BillerCatalogue;
  },
): Operation<typeof request, typeof response, Vendor> {
  return {
    name: 'validateAccount',
    method: 'POST',
    path: '/billing/validate/account',
    tag: 'Billing',
    summary: 'Validate an account',
    description:
      'Asks the operator whether an account exists. If the biller has several operators, the next one is asked if the first does not know the account. Available only for some billers.',
    signedBy: deps.byVendor,
    request,
    response,
    refusals: {
      unknown_biller: {},
      validation_unavailable: {},
      operator_unavailable: {},
      overloaded: {},
    },
    example: EXAMPLE,
    refusalForm,
    handle: async (fields, vendor) => {
      const biller = requireBiller(fields.account_type, deps.catalogue);
      const asked = { biller, account: fields.account, phone: fields.phone };
      const { query, answer } = await lookUpAccount(deps, vendor.vendorId, asked);
      return answerOf(query, answer);
    },
  };
}

function answerOf(
  { account: asked, phone: number }: AccountQuery,
  answer: LookedUp['answer'],
): Static<typeof response> {
  const valid = answer.kind === 'valid';
  return {
    header_status: 200,
    status: valid ? 1 : 0,
    text: valid ? 'SUCCESS' : answer.message,
    account_data: {
      account: asked,
      name: valid ? answer.name : null,
      amountdue:
        valid && answer.amountDueCents !== null ? formatMoney(answer.amountDueCents) : null,
      due_date: valid ? answer.dueDate : null,
    },
    prefix: number === null ? null : prefixOf(number),
  };
}

/**
 * The biller with a code or a name. Throws: `unknown_biller`, `invalid_field` if several billers
 * have the name.
 */
function requireBiller(codeOrName: string, catalogue: BillerCatalogue): Biller {
  const text = codeOrName.trim().toLowerCase();
  const byCode = catalogue.biller(text);
  if (byCode !== undefined) return byCode;
  const [biller, other] = catalogue.billers().filter(({ name }) => name.toLowerCase() === text);
  if (biller === undefined) throw unknownBiller('account_type', codeOrName);
  if (other === undefined) return biller;
  throw new Refusal('invalid_field', {
    field: 'account_type',
    text: 'account_type is the name of several billers; send the biller’s code',
  });
}

/** The three digits after 254; null for a number of another country. */
function prefixOf(number: string): string | null {
  return /^254(\d{3})\d{6}$/.exec(number)?.[1] ?? null;
}
