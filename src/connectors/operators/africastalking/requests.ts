import { CURRENCY, formatMoney } from '../../../platform/base/money.ts';

// The requests, as Africa's Talking documents them.

export interface Send {
  /** 254 and nine digits. */
  readonly phone: string;
  readonly amountCents: bigint;
}

/** The form of `POST /version1/airtime/send`: one recipient, so that a key covers one payment. */
export function sendForm(username: string, { phone, amountCents }: Send): string {
  const amount = `${CURRENCY} ${formatMoney(amountCents).replace(/\.00$/, '')}`;
  const recipients = JSON.stringify([{ phoneNumber: `+${phone}`, amount }]);
  return new URLSearchParams({ username, recipients }).toString();
}

/** Different for each attempt: the key of an earlier, refused attempt would be refused as a duplicate. */
export function idempotencyKey(reference: string, attemptNumber: number): string {
  return `${reference}-${attemptNumber}`;
}

export function findPath(username: string, requestId: string): string {
  return `/query/transaction/find?${new URLSearchParams({ transactionId: requestId, username }).toString()}`;
}

export function userPath(username: string): string {
  return `/version1/user?${new URLSearchParams({ username }).toString()}`;
}
