import { randomUUID } from 'node:crypto';
import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { PaymentInstruction, StatusQuery } from '../../operator-outcomes.ts';
import type { Connector } from '../../operator.ts';
import { openApi } from '../../http-api.ts';
import type { ApiOptions } from '../../http-api.ts';
import { notSent } from '../../outcomes.ts';
import type { SecretPaths } from '../../secret-path.ts';
import type { Limit } from '../../with-token.ts';
import { createCallbacks, RESULT } from './callbacks.ts';
import { classifyAccount, classifyBalance, classifyPayment, classifyStatus } from './classify.ts';
import type { Sent } from './classify.ts';
import { TINGG } from './declaration.ts';
import {
  accountPacket,
  envelope,
  paymentPacket,
  statusPacket,
  transactionIdOf,
} from './requests.ts';
import type { Credentials, Operation } from './requests.ts';

/** The Tingg service that pays one biller. */
export interface Service {
  readonly serviceCode: string;
  /** True: the service presents bills. False: it only validates accounts. */
  readonly hasBills: boolean;
}

export interface TinggOptions extends ApiOptions {
  readonly credentials: Credentials;
  readonly billers: ReadonlyMap<string, Service>;
  /** Sent when a payment has no number. */
  readonly phoneNumber: string;
  readonly acceptanceWindowMs: number | null;
  readonly caseAfterMs: number;
  readonly callbackUrl: string;
  readonly paths: SecretPaths;
}

const PATH = '/v1/global-api/payments';

/**
 * Payments are accepted first. They are then queried by our own reference, at intervals and after each
 * callback.
 */
export function createTinggConnector(options: TinggOptions): Connector {
  const { billers, statusTimeoutMs, payTimeoutMs } = options;
  const api = openApi(options, { accept: 'application/json' });
  const call = async (operation: Operation, packet: object, limit: Limit): Promise<Ending> => {
    const json = JSON.stringify(envelope(operation, options.credentials, packet));
    return await api.call({ path: PATH, json }, limit);
  };
  const asking = (signal: AbortSignal): Limit => ({ deadlineMs: statusTimeoutMs, signal });
  return {
    declaration: TINGG,
    acceptanceWindowMs: options.acceptanceWindowMs,
    payDeadlineMs: Math.max(payTimeoutMs, statusTimeoutMs),
    caseAfterMs: options.caseAfterMs,
    prepare: null,
    async pay(instruction, signal) {
      const service = billers.get(instruction.billerCode);
      if (service === undefined) {
        const reason = noService(instruction.billerCode);
        return notSent(reason, { answered: true, operatorPaused: true });
      }
      const packet = packetOf(instruction, service, options);
      const limit = { deadlineMs: payTimeoutMs, signal };
      const ending = await call('BEEP.postPayment', packet, limit);
      return classifyPayment(ending, sentOf(instruction));
    },
    async status(query, signal) {
      const sent = sentOf(query);
      const packet = statusPacket(sent.transactionId, query.operatorHandle);
      return classifyStatus(await call('BEEP.queryPaymentStatus', packet, asking(signal)), sent);
    },
    async validate({ billerCode, account }, signal) {
      const service = billers.get(billerCode);
      if (service === undefined) return { kind: 'unknown', reason: noService(billerCode) };
      const packet = accountPacket({
        ...{ serviceCode: service.serviceCode, account, phone: options.phoneNumber },
        transactionId: randomUUID(),
      });
      const operation = service.hasBills ? 'BEEP.queryBill' : 'BEEP.validateAccount';
      return classifyAccount(await call(operation, packet, asking(signal)));
    },
    balance: async (signal) =>
      classifyBalance(await call('BEEP.queryFloatBalance', {}, asking(signal))),
    products: null,
    pullStatement: null,
    quote: null,
    callbacks: createCallbacks(options.paths),
    close: api.close,
  };
}

function sentOf(query: StatusQuery): Sent {
  return { transactionId: transactionIdOf(query), amountCents: query.amountCents };
}

function packetOf(
  instruction: PaymentInstruction,
  { serviceCode }: Service,
  options: TinggOptions,
): object {
  const { reference, attemptNumber, account, amountCents, phone } = instruction;
  const path = options.paths.make({ kind: RESULT, reference, attemptNumber });
  return paymentPacket({
    serviceCode,
    phone: phone ?? options.phoneNumber,
    account,
    transactionId: transactionIdOf(instruction),
    amountCents,
    at: new Date(),
    callbackUrl: `${options.callbackUrl}/${path}`,
  });
}

function noService(billerCode: string): string {
  return `no service is configured for ${billerCode}`;
}
