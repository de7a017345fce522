import { Type } from 'typebox';
import { Refusal } from '../../base/errors.ts';
import { formatMoney } from '../../base/money.ts';
import type { BillerCatalogue } from '../../billers/catalogue.ts';
import type { Connector } from '../../dispatch/connector.ts';
import { account, billerCode, phone, vid } from './fields.ts';
import type { Operation } from './operation.ts';
import { headerStatus, moneyText, nullable } from './schemas.ts';

const request = Type.Object({
  vid,
  account,
  account_type: billerCode,
  phone: Type.Optional(phone),
});
const response = Type.Object({
  header_status: headerStatus,
  status: Type.Integer({ description: '1 when the account is valid, otherwise 0.' }),
  text: Type.String({ description: '`SUCCESS`; anything else means: not valid.' }),
  account_data: Type.Object({
    account: Type.String({ description: 'The account asked about.' }),
    name: nullable(Type.String({ description: 'Not every operator tells it.' })),
    amountdue: nullable(moneyText('Not every operator tells it.')),
  }),
  prefix: nullable(
    Type.String({ description: 'Prefix of `phone`, null without one.', examples: ['722'] }),
  ),
});

/** Specification §4.6. */
export function validateAccount(
  deps: {
    readonly catalogue: BillerCatalogue;
    readonly connectorOf: (operatorCode: string) => Connector | undefined;
  },
  path: string,
): Operation<typeof request, typeof response, 'vendor'> {
  return {
    name: 'validateAccount',
    method: 'POST',
    path,
    summary: 'Validate an account',
    description:
      'Asks the operator whether an account exists. Available for a limited set of billers.',
    signedBy: 'vendor',
    request,
    response,
    refusesAtTopLevel: true,
    handle: async (fields) => {
      const biller = deps.catalogue.biller(fields.account_type);
      if (biller === undefined) throw new Refusal('unknown_biller', { field: 'account_type' });
      const connector = deps.connectorOf(biller.operatorCode);
      if (!biller.validatesAccounts || connector?.validate === undefined) {
        throw new Refusal('validation_unavailable', { field: 'account_type' });
      }
      const answer = await connector.validate(
        {
          billerCode: biller.billerCode,
          account: fields.account,
          phone: fields.phone ?? null,
        },
        AbortSignal.timeout(connector.payDeadlineMs),
      );
      if (answer.kind === 'unknown') {
        throw new Refusal('operator_unavailable', { retryAfterSeconds: 10 });
      }
      const valid = answer.kind === 'valid';
      return {
        header_status: 200,
        status: valid ? 1 : 0,
        text: valid ? 'SUCCESS' : answer.message,
        account_data: {
          account: fields.account,
          name: valid ? answer.name : null,
          amountdue:
            valid && answer.amountDueCents !== null ? formatMoney(answer.amountDueCents) : null,
        },
        prefix: fields.phone === undefined ? null : prefixOf(fields.phone),
      };
    },
  };
}

/** The three digits after +254, 254 or 0; null for a number of another country. */
function prefixOf(phoneNumber: string): string | null {
  return /^(?:\+?254|0)?(\d{3})\d{6}$/.exec(phoneNumber)?.[1] ?? null;
}
