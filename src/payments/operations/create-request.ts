import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Fields } from '../../platform/base/canonical.ts';
import { parseMoney } from '../../platform/base/money.ts';
import { createValidator } from '../../platform/http/validate.ts';
import type { CreateRequest } from '../create/payment.ts';
import { account, amount, billerCode, merchantReference, phone } from './fields.ts';

/** The fields of a payment, shared by the request, a row of a file and a form. */
export const paymentFields = {
  biller_name: billerCode,
  amount,
  account,
  phone: Type.Optional(phone),
  merchant_reference: Type.Optional(merchantReference),
};

const payment = Type.Object(paymentFields);
const validate = createValidator(payment);

/** The parameters that a row of a file or a form must have. */
export const REQUIRED_FIELDS: readonly string[] = payment.required;

/** Throws: `missing_field`, `invalid_field`, each naming the first parameter at fault. */
export function readCreateRequest(fields: Fields): CreateRequest {
  return createRequestOf(validate(fields));
}

export function createRequestOf(request: Static<typeof payment>): CreateRequest {
  return {
    billerCode: request.biller_name,
    account: request.account,
    phone: request.phone ?? null,
    amountCents: parseMoney(request.amount),
    merchantReference: request.merchant_reference ?? null,
  };
}
