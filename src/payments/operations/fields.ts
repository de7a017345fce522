import { Type } from 'typebox';
import { MONEY_PATTERN } from '../../platform/base/money.ts';
import { parameter } from '../../platform/http/parameter.ts';
import { MERCHANT_REFERENCE } from '../create/payment.ts';

export const billerCode = parameter(
  /^[a-z0-9_]{1,40}$/,
  'a biller code as the list operation returns it',
  'Code of the biller, from the biller list.',
  { examples: ['kplc_prepaid'] },
);

export const billerCodeOrName = parameter(
  /^[a-z0-9_]{1,40}$|^.{1,100}$/,
  'a biller code, or a name, as the list operation returns them',
  'Code or name of the biller, from the biller list. Upper and lower case do not matter.',
  { examples: ['kplc_prepaid'] },
);

export const amount = parameter(
  MONEY_PATTERN,
  'a decimal number such as 100.00, with at most 12 digits before the point and 2 after it',
  'Amount in KES, at most two decimals. It is signed exactly as sent: `100` and `100.00` have different signatures.',
  { examples: ['100.00'] },
);

export const account = parameter(
  /^[A-Za-z0-9+][A-Za-z0-9+./_#%@(), -]{0,63}$|^\s{0,16}[A-Za-z0-9+(][A-Za-z0-9+./_#%@(), -]{0,63}\s{0,16}$/,
  '1 to 64 letters, digits or + . / _ # % @ ( ) , - and spaces, beginning with a letter, a digit, + or (',
  'The customer’s account, meter or phone number in the biller’s system, of the biller’s `account_format`. Spaces around it do not count; a mobile number may be written in any usual way.',
  { examples: ['14234567890'] },
);

export const phone = parameter(
  /^\+?\d{9,15}$|^\s{0,16}[+(]?[\d+(][\d ().-]{7,40}\s{0,16}$/,
  'a phone number of 9 to 15 digits, such as 254712345678',
  'The customer’s phone number; billers whose `secondary_account` is `"true"` need it. Spaces, hyphens, dots and parentheses do not count; `+254…`, `254…`, `0…` and nine digits are the same number. A Kenyan number is a mobile one: 254, then 7 or 1, then eight digits.',
  { examples: ['254712345678'] },
);

export const merchantReference = parameter(
  MERCHANT_REFERENCE,
  '1 to 64 printable ASCII characters without spaces at the ends',
  'Your own unique reference. The same reference with the same content returns the first response again and is paid only once. Always send it. Empty text is refused: it would identify nothing.',
  // Programs that lose their reference send empty text, and repeat what is then paid twice.
  { examples: ['INV-2031-7'], refusesEmpty: true },
);

export const batchReference = parameter(
  MERCHANT_REFERENCE,
  '1 to 64 printable ASCII characters without spaces at the ends',
  'Your own unique reference of the file. The same reference with the same file is the same batch.',
  { examples: ['payroll-2026-11'] },
);

/** The reference of the payment that examples create. */
export const EXAMPLE_REFERENCE = '00000081M7Y4NP8KEYWR8EDAAS5ZSBQV';

// A reference of an existing payment: an impossible one is unknown, like any other.
export const ipayReference = Type.String({
  description: 'The `ipay_reference` that create returned.',
});
export const earlierMerchantReference = Type.String({
  description: 'The `merchant_reference` that create was called with, instead of `reference`.',
});

export const prefix = parameter(
  /^\d{3}$/,
  'exactly 3 digits without the leading 0, such as 722',
  'The three digits that follow +254 in the phone number.',
  { examples: ['722'] },
);

/** Any code is read, so that all that are not supported get the same answer. `kes` is none either. */
export const currency = parameter(
  // The first alternative is the one that was published: clients may know it.
  /^[A-Z]{3}$|^[A-Za-z]{3}$/,
  'KES',
  'Only `KES` is supported, in capital letters.',
  { examples: ['KES'] },
);

const TIME_FORMS =
  'epoch seconds, epoch milliseconds, YYYY-MM-DD HH:MM:SS, or ISO 8601. Without an offset, the time is in the service’s time zone';

export const fundTime = parameter(
  /^(\d{9,10}|\d{12,13}|\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})$|^(\d{4}-\d{2}-\d{2}T[\d:.]{5,18}|\d{8}T[\d.]{4,16})(Z|[+-]\d{2}:?\d{2})?$/,
  TIME_FORMS,
  'Time of the request. If there is nothing to move, a `time` with which money was moved before returns the response of the latest such movement, marked as a replay.',
);

export const collectionTime = parameter(
  /^[0-9T:.Z +-]{9,40}$/,
  TIME_FORMS,
  'When the customer paid; at most a day in the future.',
);
