import { CURRENCY, moneyNumber } from '../../../platform/base/money.ts';

// The requests of BEEP v1: one path, the operation in `function`, the credentials in the body.

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface Payment {
  readonly serviceCode: string;
  readonly phone: string;
  readonly account: string;
  readonly transactionId: string;
  readonly amountCents: bigint;
  readonly at: Date;
  readonly callbackUrl: string;
}

export type Operation =
  | 'BEEP.postPayment'
  | 'BEEP.queryPaymentStatus'
  | 'BEEP.queryBill'
  | 'BEEP.validateAccount'
  | 'BEEP.queryFloatBalance';

/** One packet for each call, so that the answer is about one payment. */
export function envelope(operation: Operation, credentials: Credentials, packet: object): object {
  return {
    function: operation,
    countryCode: 'KE',
    payload: { credentials: { ...credentials }, packet: [packet] },
  };
}

export function paymentPacket(payment: Payment): object {
  return {
    serviceCode: payment.serviceCode,
    MSISDN: payment.phone,
    accountNumber: payment.account,
    payerTransactionID: payment.transactionId,
    amount: moneyNumber(payment.amountCents),
    currencyCode: CURRENCY,
    datePaymentReceived: stamp(payment.at),
    narration: payment.transactionId,
    extraData: { callbackUrl: payment.callbackUrl },
  };
}

/**
 * The payerTransactionID of one attempt. The answer to a used one is not documented, so an instruction
 * after a proven refusal gets a new one.
 */
export function transactionIdOf(sent: {
  readonly reference: string;
  readonly attemptNumber: number;
}): string {
  return `${sent.reference}-${sent.attemptNumber}`;
}

/** @param beepTransactionId Tingg's own id, which its documents require; null: its answer was lost. */
export function statusPacket(transactionId: string, beepTransactionId: string | null): object {
  return {
    payerTransactionID: transactionId,
    ...(beepTransactionId === null ? {} : { beepTransactionID: beepTransactionId }),
  };
}

/** About an account or its bill. The documents require a phone number and an id, though nothing is paid. */
export function accountPacket(asked: {
  readonly serviceCode: string;
  readonly account: string;
  readonly phone: string;
  readonly transactionId: string;
}): object {
  return {
    serviceCode: asked.serviceCode,
    accountNumber: asked.account,
    MSISDN: asked.phone,
    payerTransactionID: asked.transactionId,
  };
}

/** `YYYY-MM-DD HH:MM:SS` in East Africa. */
function stamp(at: Date): string {
  const local = new Date(at.getTime() + 3 * 3_600_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
