import { Type } from 'typebox';
import type { Static } from 'typebox';
import { strict } from '../../../platform/base/json-fields.ts';
import { MOBILE_NUMBER } from '../../../platform/base/mobile-number.ts';
import { MONEY_PATTERN, parseMoney } from '../../../platform/base/money.ts';
import { createNetworks, isNetwork } from '../../../platform/networks.ts';
import { CONNECTION_SETTINGS } from '../../connection.ts';
import { createSettingsReader, readSecretJson } from '../../settings.ts';

const money = Type.String({ pattern: MONEY_PATTERN.source });

export const DARAJA_SETTINGS = strict({
  ...CONNECTION_SETTINGS,
  base_url: Type.String({ maxLength: 200 }),
  /** Ours, which customers pay to. */
  short_code: Type.String({ pattern: '^\\d{5,7}$' }),
  /**
   * The short code is a store or a head office, and customers pay to this till, without an account number: then it is
   * the account number of its payments.
   */
  till: Type.Optional(Type.String({ pattern: '^\\d{5,7}$' })),
  /** Addresses that may call back, or networks such as 196.201.214.0/24. Default: Safaricom's. */
  addresses: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { minItems: 1 })),
  /** Smallest and largest amounts that validation accepts. */
  minimum: Type.Optional(money),
  maximum: Type.Optional(money),
  /** Confirmations of at least this amount are credited only when the pull or a statement has them too. */
  confirm_from: Type.Optional(money),
  /** Result of a payment while validation cannot be reached. */
  unreachable: Type.Optional(Type.Enum(['Completed', 'Cancelled'])),
  /** Version of the API with which the URLs are registered. Some apps have the product of only one. */
  register_version: Type.Optional(Type.Enum(['v1', 'v2'])),
  pull: Type.Optional(Type.Enum(['on', 'off'])),
  /** `checked`: the balances of an imported organisation statement must lead from row to row. */
  statement_balances: Type.Optional(Type.Enum(['checked', 'ignored'])),
  /** Daraja asks for it when the pull is registered. */
  nominated_number: Type.Optional(Type.String({ pattern: MOBILE_NUMBER.source })),
});
export type DarajaSettings = Static<typeof DARAJA_SETTINGS>;
export const readDarajaSettings = createSettingsReader(DARAJA_SETTINGS, 'source');

const SECRET = strict({
  consumer_key: Type.String({ minLength: 1 }),
  consumer_secret: Type.String({ minLength: 1 }),
  /** Needed only for STK push. */
  passkey: Type.Optional(Type.String({ minLength: 1 })),
});
export type DarajaSecret = Static<typeof SECRET>;
const checkSecret = createSettingsReader(SECRET, 'source');

export function readDarajaSecret(sourceCode: string, text: string): DarajaSecret {
  const given = readSecretJson(text, {
    owner: `source ${sourceCode}`,
    parts: 'consumer_key, consumer_secret and, for STK push, passkey',
  });
  return checkSecret(sourceCode, given, 'secret');
}

/** The numbers by which Safaricom and customers know a source. */
export interface OurNumbers {
  readonly shortCode: string;
  /** Null: a pay bill, to which customers pay with an account number. */
  readonly till: string | null;
}

export function numbersOf({ short_code: shortCode, till }: DarajaSettings): OurNumbers {
  return { shortCode, till: till ?? null };
}

/** Confirmations of a till name the store, the head office or the till itself. */
export function isOurs({ shortCode, till }: OurNumbers, number: string): boolean {
  return number === shortCode || number === till;
}

/** Published by Safaricom, or seen. */
const SAFARICOM = [
  ...[200, 206, 207, 208, 212].map((last) => `196.201.214.${last}`),
  ...[44, 114].map((last) => `196.201.213.${last}`),
  ...[69, 74, 127, 128, 129, 132, 136, 138].map((last) => `196.201.212.${last}`),
];

/**
 * Which addresses may call back. Throws an `Error` naming the source.
 * @param addresses undefined: Safaricom's.
 */
export function readAddresses(
  sourceCode: string,
  addresses: readonly string[] = SAFARICOM,
): (address: string) => boolean {
  const wrong = addresses.find((entry) => !isNetwork(entry));
  if (wrong !== undefined) {
    throw new Error(`source ${sourceCode}: “${wrong}” is not an address or a network`);
  }
  return createNetworks(addresses);
}

export function limitOf(text: string | undefined): bigint | null {
  return text === undefined ? null : parseMoney(text);
}
