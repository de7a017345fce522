import type { Declined, NotSent, PaymentInstruction } from '../../operator-outcomes.ts';
import type { Connector } from '../../operator.ts';
import { MOBILE_NUMBER } from '../../../platform/base/mobile-number.ts';
import { declined, notSent } from '../../outcomes.ts';
import { declineOf } from './codes.ts';
import { DARAJA_B2B } from './declaration.ts';
import { createPayingConnector } from './paying.ts';
import type { PayingOptions } from './paying.ts';
import { paymentRequest } from './requests.ts';
import type { Bill, Receiver } from './requests.ts';

/** The rules for paying to one biller. */
export interface BillerRule {
  readonly receiver: Receiver;
  /** The AccountReference, with `{account}` in it. */
  readonly accountReference: string;
}

export interface DarajaOptions extends PayingOptions {
  /** By biller code. */
  readonly billers: ReadonlyMap<string, BillerRule>;
  readonly maxAccountLength: number;
}

/**
 * Daraja B2B: instructions are accepted at once, the result comes by callback, and queries cannot use
 * our reference.
 */
export function createDarajaConnector(options: DarajaOptions): Connector {
  return createPayingConnector(options, {
    declaration: DARAJA_B2B,
    ownId: () => null,
    declineOf,
    path: '/mpesa/b2b/v1/paymentrequest',
    bodyOf: (instruction, urls) => {
      const bill = billOf(instruction, options);
      return 'kind' in bill ? bill : { body: paymentRequest(options.initiator, bill, urls) };
    },
  });
}

/** The payment to send, or why nothing is sent. */
function billOf(
  instruction: PaymentInstruction,
  options: DarajaOptions,
): Bill | Declined | NotSent {
  const { billerCode, account, amountCents, phone, reference } = instruction;
  const rule = options.billers.get(billerCode);
  if (rule === undefined) {
    const reason = `no pay bill number or till is configured for ${billerCode}`;
    return notSent(reason, { answered: true, operatorPaused: true });
  }
  if (amountCents % 100n !== 0n) {
    return declined('cents', 'amount_not_allowed', 'The operator takes whole shillings only');
  }
  const accountReference = rule.accountReference.replace('{account}', () => account);
  if (accountReference.length > options.maxAccountLength) {
    return declined('account', 'invalid_account', 'The account is too long for the operator');
  }
  return {
    amount: String(amountCents / 100n),
    receiver: rule.receiver,
    account: accountReference,
    requester: phone !== null && MOBILE_NUMBER.test(phone) ? phone : null,
    reference,
  };
}
