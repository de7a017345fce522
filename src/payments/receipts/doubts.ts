import type { Doubt } from './receipt.ts';

/** Why a receipt waits for people, as they read it. */
export const DOUBT_TEXTS: Readonly<Record<Doubt['reason'], string>> = {
  same_number: 'another source reported its number',
  like_number: 'a number that is written differently was reported',
  alike: 'another source reported this amount for this account at about this time or on this day',
  collected: 'a collector reported this number and amount itself',
  changed_hands: 'the account number was another vendor’s shortly before',
  opening:
    'the balance that the vendor brought from another system may have this money, because its date is later',
  payout: 'it may be a payout to the vendor that the bank returned',
  returned: 'the bank marks it, or its text, as the return of a payment of ours',
  renumbered:
    'the source listed this amount on this day before its settings gave lines other numbers',
  line_wrap: 'the bank broke its text into lines, which can be read in two ways',
  no_reference: 'the bank gives no reference, so that an equal payment could not be told apart',
  mistyped:
    'of this number and that of another receipt with this amount and account, people entered one, which may be mistyped',
  type: 'nobody knows whether the provider’s word for it means a payment',
  part: 'the account number may be a part of another vendor’s, whose rest was cut off',
};

export const doubtText = ({ reason, others }: Doubt): string =>
  `${DOUBT_TEXTS[reason]}: ${others.join(', ')}`;
