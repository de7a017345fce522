import { Refusal } from '../../platform/base/errors.ts';

/**
 * Text is repeated only if it may be a misspelt code: a caller that mixes up its parameters sends an
 * account or a phone number here, which have digits.
 */
const REPEATABLE = /^[a-z][a-z_-]{0,31}$/i;

/** The refusal of a code that no biller has, sent as `field`. */
export function unknownBiller(field: string, code: string): Refusal {
  if (!REPEATABLE.test(code)) return new Refusal('unknown_biller', { field });
  const text = `There is no biller ${code}; the biller list has the codes`;
  return new Refusal('unknown_biller', { field, text });
}
