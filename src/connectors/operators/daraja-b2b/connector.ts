import type { Declined, NotSent, PaymentInstruction } from '../../operator-outcomes.ts';
import type { Connector } from '../../operator.ts';
import { MOBILE_NUMBER } from '../../../platform/base/mobile-number.ts';
import { createOperatorPool } from '../../connection.ts';
import type { Connection } from '../../connection.ts';
import { declined, notSent, unknown } from '../../outcomes.ts';
import type { SecretPaths } from '../../secret-path.ts';
import type { Limit } from '../../with-token.ts';
import { createDarajaCaller } from './caller.ts';
import type { DarajaApp } from './caller.ts';
import { BALANCE, createCallbacks, RESULT, STATUS, TIMEOUT } from './callbacks.ts';
import { classifyInstruction, classifyQuestion } from './classify.ts';
import { DARAJA_B2B } from './declaration.ts';
import { parseHandle } from './handle.ts';
import type { Handle } from './handle.ts';
import { balanceRequest, paymentRequest, statusRequest } from './requests.ts';
import type { AskedFor, Bill, CallbackUrls, Initiator, Receiver } from './requests.ts';

/** The rules for paying to one biller. */
export interface BillerRule {
  readonly receiver: Receiver;
  /** The AccountReference, with `{account}` in it. */
  readonly accountReference: string;
}

export interface DarajaOptions extends Connection, DarajaApp {
  readonly initiator: Initiator;
  /** By biller code. */
  readonly billers: ReadonlyMap<string, BillerRule>;
  readonly maxAccountLength: number;
  /** Account whose available amount is our float. */
  readonly floatAccount: string;
  readonly caseAfterMs: number;
  readonly callbackUrl: string;
  readonly paths: SecretPaths;
}

/**
 * Daraja B2B: instructions are accepted at once, the result comes by callback, and queries cannot use
 * our reference.
 */
export function createDarajaConnector(options: DarajaOptions): Connector {
  const pool = createOperatorPool(options.baseUrl.origin, options);
  const call = createDarajaCaller(options, pool);
  const urlsOf = (kind: string, reference: string, attemptNumber: number): CallbackUrls => {
    const url = (of: string): string =>
      `${options.callbackUrl}/${options.paths.make({ kind: of, reference, attemptNumber })}`;
    return { result: url(kind), timeout: url(TIMEOUT) };
  };
  const asking = (signal: AbortSignal): Limit => ({ deadlineMs: options.statusTimeoutMs, signal });
  let closing: Promise<void> | undefined;
  return {
    declaration: DARAJA_B2B,
    acceptanceWindowMs: null,
    payDeadlineMs: Math.max(options.payTimeoutMs, options.statusTimeoutMs),
    caseAfterMs: options.caseAfterMs,
    prepare: null,
    async pay(instruction, signal) {
      const bill = billOf(instruction, options);
      if ('kind' in bill) return bill;
      const urls = urlsOf(RESULT, instruction.reference, instruction.attemptNumber);
      const body = paymentRequest(options.initiator, bill, urls);
      const limit = { deadlineMs: options.payTimeoutMs, signal };
      return classifyInstruction(await call('/mpesa/b2b/v1/paymentrequest', body, limit));
    },
    async status({ reference, attemptNumber, operatorHandle }, signal) {
      const handle = parseHandle(operatorHandle);
      if (handle === null) return unknown('without a ConversationID nothing can be asked', true);
      if (handle.isOver) {
        const reason = 'our float with the operator is too low';
        return notSent(reason, { answered: true, operatorPaused: true });
      }
      const urls = urlsOf(STATUS, reference, attemptNumber);
      const path = '/mpesa/transactionstatus/v1/query';
      const questions = namesOf(handle).map(async (name) => {
        const body = statusRequest(options.initiator, name, urls);
        return classifyQuestion(await call(path, body, asking(signal)));
      });
      const results = await Promise.all(questions);
      return results.find(({ answered }) => answered) ?? results[0] ?? unknown('not asked', false);
    },
    validate: null,
    async balance(signal) {
      const body = balanceRequest(options.initiator, urlsOf(BALANCE, '', 0));
      const asked = classifyQuestion(
        await call('/mpesa/accountbalance/v1/query', body, asking(signal)),
      );
      return asked.answered ? { kind: 'asked' } : { kind: 'unknown', reason: asked.reason };
    },
    pullStatement: null,
    quote: null,
    products: null,
    callbacks: createCallbacks(options.paths, options.floatAccount),
    close: () => (closing ??= pool.close()),
  };
}

/**
 * What to ask for. Without a receipt number, both ids: documents and clients contradict each other about which of
 * them `OriginalConversationID` is, and an answer about another id than that of the payment is no answer.
 */
function namesOf({ receipt, originatorId, conversationId }: Handle): AskedFor[] {
  if (receipt !== null) return [{ TransactionID: receipt }];
  const ids = originatorId === null ? [conversationId] : [originatorId, conversationId];
  return ids.map((id) => ({ OriginalConversationID: id }));
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
