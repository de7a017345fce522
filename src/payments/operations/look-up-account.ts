import { Refusal } from '../../platform/base/errors.ts';
import { requireAccount, requirePhone } from '../billers/account.ts';
import type { Biller } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Capacity } from '../dispatch/capacity.ts';
import type { AccountAnswer, AccountQuery } from '../../connectors/operator.ts';
import { askValidators, validatorsOf } from './validators.ts';
import type { ConnectorOf } from './validators.ts';

export interface LookUpDeps {
  readonly catalogue: Pick<BillerCatalogue, 'operator'>;
  readonly connectorOf: ConnectorOf;
  readonly capacity: Capacity;
}

export interface LookedUp {
  readonly query: AccountQuery;
  readonly answer: Exclude<AccountAnswer, { kind: 'unknown' }>;
}

/**
 * Asks the biller's operators about an account, within the limits agreed with each of them, and within
 * the vendor's share.
 * Throws: `validation_unavailable`, `invalid_field`, `overloaded`, `operator_unavailable`.
 */
export async function lookUpAccount(
  { catalogue, connectorOf, capacity }: LookUpDeps,
  vendorId: number,
  asked: {
    readonly biller: Biller;
    readonly account: string;
    readonly phone: string | undefined;
  },
): Promise<LookedUp> {
  const { biller } = asked;
  const validators = validatorsOf(biller, connectorOf);
  if (validators.length === 0) {
    throw new Refusal('validation_unavailable', { field: 'account_type' });
  }
  const account = requireAccount(asked.account, biller);
  const phone = asked.phone === undefined ? null : requirePhone(asked.phone);
  const query = { billerCode: biller.billerCode, account, phone };
  const answer = await askValidators(validators, query, (operatorCode) => {
    const operator = catalogue.operator(operatorCode);
    return operator && capacity.beginValidation(operator, vendorId);
  });
  if (answer.kind === 'overloaded') {
    throw new Refusal('overloaded', {
      retryAfterSeconds: 1,
      text: 'The operator accepts no more validations at present',
    });
  }
  if (answer.kind === 'unknown') {
    throw new Refusal('operator_unavailable', { retryAfterSeconds: 10 });
  }
  return { query, answer };
}
