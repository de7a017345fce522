import { formatMoney } from '../../../platform/base/money.ts';
import type { StreamName } from './streams.ts';

/** The documented forms; every value is text. */

export interface Bill {
  readonly stream: StreamName;
  readonly account: string;
  readonly phoneNumber: string;
  readonly amountCents: bigint;
  /** Only for the stream `credit`: 1 Airtel, 2 Telkom, 4 Safaricom. */
  readonly operatorCode: string | null;
  readonly callbackUrl: string;
}

type Form = Readonly<Record<string, string>>;

export function tokenRequest(by: {
  readonly grantType: string;
  readonly username: string;
  readonly password: string;
}): Form {
  return { grant_type: by.grantType, username: by.username, password: by.password };
}

export function prepareRequest(bill: Bill): Form {
  const { stream, account, phoneNumber } = bill;
  const amount = formatMoney(bill.amountCents).replace(/\.00$/, '');
  switch (stream) {
    case 'kplc':
      return {
        Stream: stream,
        PhoneNumber: phoneNumber,
        Amount: amount,
        MeterNumber: account,
        CallbackUrl: bill.callbackUrl,
      };
    case 'nairobiwater':
      return { Stream: stream, AccountNumber: account, PhoneNumber: phoneNumber, Amount: amount };
    case 'credit':
      return {
        Stream: stream,
        PhoneNumber: account,
        Amount: amount,
        OperatorCode: bill.operatorCode ?? '',
      };
  }
}

export function commitRequest(by: {
  readonly stream: StreamName;
  readonly transactionId: string;
  readonly paidBy: string | null;
}): Form {
  return {
    Stream: by.stream,
    TransactionID: by.transactionId,
    ...(by.paidBy === null ? {} : { PaidBy: by.paidBy }),
  };
}
