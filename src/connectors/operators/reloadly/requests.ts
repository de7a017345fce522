import { moneyNumber } from '../../../platform/base/money.ts';
import { phoneNumber } from '../../../platform/base/mobile-number.ts';

// The requests, as Reloadly documents them.

export interface TopUp {
  readonly networkId: string;
  readonly reference: string;
  /** Digits, with the country's code in front. */
  readonly phone: string;
  readonly amountCents: bigint;
}

/** Which of the two amounts of a top-up is in our currency: the recipient's, or our wallet's. */
export type AmountsIn = 'recipient' | 'wallet';

export function tokenRequest(by: {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
}): object {
  return {
    client_id: by.clientId,
    client_secret: by.clientSecret,
    grant_type: 'client_credentials',
    audience: by.audience,
  };
}

export function topUpRequest(
  topUp: TopUp,
  by: { readonly country: string; readonly amountsIn: AmountsIn },
): object {
  return {
    operatorId: Number(topUp.networkId),
    amount: moneyNumber(topUp.amountCents),
    useLocalAmount: by.amountsIn === 'recipient',
    customIdentifier: topUp.reference,
    recipientPhone: { countryCode: by.country, number: topUp.phone },
  };
}

/** The report's rows of one instruction. There is at most one unless something went wrong. */
export function reportPath(reference: string): string {
  return `/topups/reports/transactions?customIdentifier=${encodeURIComponent(reference)}&page=1&size=20`;
}

/** Which network a number belongs to, ported or not. */
export function networkPath(phone: string, country: string): string {
  return `/operators/mnp-lookup/phone/${phone}/countries/${country}`;
}

/** All networks that sell in a country. */
export function networksPath(country: string): string {
  return `/operators/countries/${country}`;
}

export function quoteRequest(networkId: string, amountCents: bigint): object {
  return { operatorId: Number(networkId), amount: moneyNumber(amountCents) };
}

/** Undefined: the account is no phone number. */
export function phoneOf(account: string): string | undefined {
  return phoneNumber(account);
}
