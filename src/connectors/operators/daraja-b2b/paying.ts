import type { Declined, NotSent, PaymentInstruction } from '../../operator-outcomes.ts';
import type { Connector, Declaration } from '../../operator.ts';
import { openApi } from '../../http-api.ts';
import type { ApiOptions } from '../../http-api.ts';
import { notSent, unknown } from '../../outcomes.ts';
import type { SecretPaths } from '../../secret-path.ts';
import type { Limit } from '../../with-token.ts';
import { createDarajaCaller } from './caller.ts';
import type { DarajaApp } from './caller.ts';
import { BALANCE, createCallbacks, RESULT, STATUS, TIMEOUT } from './callbacks.ts';
import type { Rules } from './callbacks.ts';
import { classifyInstruction, classifyQuestion } from './classify.ts';
import { knownHandle } from './handle.ts';
import type { Handle } from './handle.ts';
import { balanceRequest, statusRequest } from './requests.ts';
import type { AskedFor, CallbackUrls, Initiator } from './requests.ts';

export interface PayingOptions extends ApiOptions, DarajaApp {
  readonly initiator: Initiator;
  /** Account whose available amount is our float. */
  readonly floatAccount: string;
  readonly caseAfterMs: number;
  readonly callbackUrl: string;
  readonly paths: SecretPaths;
}

/** One of Daraja's ways to pay: a request, its callbacks and its codes. */
export interface PayingApi extends Rules {
  readonly declaration: Declaration;
  readonly path: string;
  /** The body of the request, or why nothing is sent. */
  bodyOf(
    instruction: PaymentInstruction,
    urls: CallbackUrls,
  ): { readonly body: object } | Declined | NotSent;
}

/** Instructions are accepted at once, the result comes by callback, and so do the answers to queries. */
export function createPayingConnector(options: PayingOptions, api: PayingApi): Connector {
  const http = openApi(options);
  const call = createDarajaCaller(http, options);
  const urlsOf = (kind: string, reference: string, attemptNumber: number): CallbackUrls => {
    const url = (of: string): string =>
      `${options.callbackUrl}/${options.paths.make({ kind: of, reference, attemptNumber })}`;
    return { result: url(kind), timeout: url(TIMEOUT) };
  };
  const asking = (signal: AbortSignal): Limit => ({ deadlineMs: options.statusTimeoutMs, signal });
  return {
    declaration: api.declaration,
    acceptanceWindowMs: null,
    payDeadlineMs: Math.max(options.payTimeoutMs, options.statusTimeoutMs),
    caseAfterMs: options.caseAfterMs,
    prepare: null,
    async pay(instruction, signal) {
      const urls = urlsOf(RESULT, instruction.reference, instruction.attemptNumber);
      const request = api.bodyOf(instruction, urls);
      if ('kind' in request) return request;
      const limit = { deadlineMs: options.payTimeoutMs, signal };
      return classifyInstruction(await call(api.path, request.body, limit));
    },
    async status(query, signal) {
      const handle = knownHandle(query.operatorHandle, api.ownId(query));
      if (handle === null) return unknown('without a ConversationID nothing can be asked', true);
      if (handle.isOver) {
        const reason = 'our float with the operator is too low';
        return notSent(reason, { answered: true, operatorPaused: true });
      }
      const urls = urlsOf(STATUS, query.reference, query.attemptNumber);
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
    callbacks: createCallbacks(options.paths, options.floatAccount, api),
    close: http.close,
  };
}

/**
 * What to ask for. Without a receipt number, both ids: documents and clients contradict each other about which of
 * them `OriginalConversationID` is, and an answer about another id than that of the payment is no answer.
 */
function namesOf({ receipt, originatorId, conversationId }: Handle): AskedFor[] {
  if (receipt !== null) return [{ TransactionID: receipt }];
  const ids = [originatorId, conversationId].filter((id) => id !== null && id !== '');
  return ids.map((id) => ({ OriginalConversationID: String(id) }));
}
