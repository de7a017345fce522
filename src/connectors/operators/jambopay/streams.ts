import type { Declined } from '../../operator-outcomes.ts';

/** A code proves that the payment is refused, or that it may be tried again. */
export type CodeMeaning = Declined['failureCode'] | 'try_again' | 'paused';

export interface Stream {
  /** The field with the account, in requests, answers and callbacks. */
  readonly accountField: 'MeterNumber' | 'AccountNumber' | 'PhoneNumber';
  readonly hasCallback: boolean;
  readonly minimumCents: bigint;
  /** Codes that prove that nothing was executed. Other codes prove nothing. */
  readonly proof: Readonly<Record<string, CodeMeaning>>;
}

export type StreamName = 'kplc' | 'nairobiwater' | 'credit';

/** User or password. */
const CREDENTIALS = { '1010': 'paused', '1011': 'paused' } as const;

export const STREAMS: Readonly<Record<StreamName, Stream>> = {
  kplc: {
    accountField: 'MeterNumber',
    hasCallback: true,
    minimumCents: 1n,
    // The page of the commit prints no codes.
    proof: CREDENTIALS,
  },
  nairobiwater: {
    accountField: 'AccountNumber',
    hasCallback: false,
    minimumCents: 50_00n,
    proof: {
      ...CREDENTIALS,
      '1040': 'invalid_account',
      '1120': 'invalid_account',
      '2020': 'paused',
    },
  },
  credit: {
    accountField: 'PhoneNumber',
    hasCallback: false,
    minimumCents: 1n,
    proof: {
      ...CREDENTIALS,
      '1012': 'try_again',
      '1050': 'operator_refused',
      '1051': 'try_again',
      /** Our float is too low. */
      '1060': 'paused',
    },
  },
};

/**
 * Codes in the answer to prepare, of every stream. Preparing moves no money, so they only decide
 * whether to try again. All other codes are refusals.
 */
export const PREPARE_CODES: Readonly<Record<string, CodeMeaning>> = {
  ...CREDENTIALS,
  '2020': 'paused',
  '1060': 'paused',
  '1040': 'invalid_account',
  '1120': 'invalid_account',
  '1000': 'try_again',
  '1050': 'try_again',
  '1051': 'try_again',
  '1052': 'try_again',
  '1054': 'try_again',
  '4440': 'try_again',
};

/** Ignores separators and leading zeros, which may be lost in transit. */
export function isSameAccount(stream: Stream, one: string, other: string): boolean {
  const bare = (text: string): string => {
    const plain = text.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
    return stream.accountField === 'PhoneNumber' ? plain.slice(-9) : plain.replace(/^0+/, '');
  };
  return bare(one) === bare(other);
}
