import { Refusal } from '../../platform/base/errors.ts';
import { kenyanMobileNumber, phoneNumber } from '../../platform/base/mobile-number.ts';
import { MSISDN, describeFormat, hasFormat } from './account-format.ts';
import type { Biller } from './biller.ts';

/**
 * An account as it is compared, stored and sent to the operator. Anything that does not look like a
 * mobile number is only trimmed.
 * @param biller undefined if it is unknown.
 */
export function normaliseAccount(
  text: string,
  biller: Pick<Biller, 'accountFormat'> | undefined,
): string {
  const trimmed = text.trim();
  if (biller?.accountFormat !== MSISDN) return trimmed;
  return kenyanMobileNumber(trimmed) ?? trimmed;
}

/** Normalises an account. Throws: `invalid_field` if it cannot be one of the biller's accounts. */
export function requireAccount(
  text: string,
  biller: Pick<Biller, 'billerCode' | 'accountFormat' | 'accountLabel'>,
): string {
  const account = normaliseAccount(text, biller);
  if (hasFormat(account, biller.accountFormat)) return account;
  const { billerCode, accountFormat: format, accountLabel: label } = biller;
  throw new Refusal('invalid_field', {
    field: 'account',
    text: `account (${label} of ${billerCode}) must be ${describeFormat(format)}`,
  });
}

/** A phone number as it is compared and stored. Throws: `invalid_field`. */
export function requirePhone(text: string): string {
  const phone = phoneNumber(text);
  if (phone !== undefined) return phone;
  throw new Refusal('invalid_field', {
    field: 'phone',
    text: 'phone must be a Kenyan mobile number such as 254712345678, or one of another country with its code',
  });
}
