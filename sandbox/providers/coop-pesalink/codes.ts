interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly text: string;
}

/** Refusals of a message as a whole, with their HTTP status. */
export const REFUSALS = {
  duplicate: { status: 409, code: '-1', text: 'DUPLICATE MESSAGE REFERENCE' },
  invalid: { status: 400, code: '-2', text: 'INVALID/MISSING PARAMETER' },
  not_positive: {
    status: 400,
    code: '-3',
    text: 'THE AMOUNT DEBITED OR CREDITED MUST BE GREATER THAN 0/POSITIVE INTEGER',
  },
  timed_out: { status: 408, code: '-4', text: 'REQUEST TIMED OUT' },
  not_balancing: { status: 400, code: '-5', text: 'DEBIT AND CREDIT(S) AMOUNTS NOT BALANCING' },
  limit: {
    status: 400,
    code: '-6',
    text: 'TRANSACTION AMOUNT LESS/GREATER THAN MINIMUM/MAXIMUM LIMIT ALLOWED',
  },
  currency: { status: 403, code: '-9', text: 'CURRENCY INVALID/NOT ALLOWED' },
  bank: { status: 403, code: '-10', text: 'BANK CODE INVALID/NOT PESALINK MEMBER BANK' },
  same_reference: {
    status: 400,
    code: '-12',
    text: 'DUPLICATE REFERENCE/IDENTICAL REFERENCE AND MESSAGEREFERENCE',
  },
  unknown: { status: 404, code: '-13', text: 'MESSAGE REFERENCE DOES NOT EXIST' },
  daily_limit: { status: 403, code: '-16', text: 'DAILY LIMIT EXHAUSTED' },
} as const satisfies Readonly<Record<string, Refusal>>;

export type RefusalName = keyof typeof REFUSALS;

/** Accounts that end so are refused at once. */
const AT_ONCE: Readonly<Record<string, RefusalName>> = {
  9902: 'bank',
  9936: 'limit',
  9946: 'daily_limit',
};

export function refusalOf(suffix: string): RefusalName | undefined {
  return AT_ONCE[suffix];
}

interface Leg {
  readonly code: string;
  readonly text: string;
}

export const PAID: Leg = { code: '0', text: 'Success' };
const NO_CREDIT: Leg = { code: '40180193', text: 'No credit allowed on the account' };

/** Legs that fail, by the end of the account. */
const FAILURES: Readonly<Record<string, Leg>> = {
  9931: { code: '40507020', text: 'Insufficient Available Balance' },
  9932: { code: '40000126', text: 'Account cannot be found' },
  9933: { code: '20020000', text: 'Account does not exist' },
  9934: { code: '40409528', text: 'Account is Dormant' },
  9937: { code: '40000132', text: 'Account is Closed' },
};

export function failureOf(suffix: string): Leg {
  return FAILURES[suffix] ?? NO_CREDIT;
}

/** Whether payments to this account fail with a documented code of their own. */
export function failsByCode(suffix: string): boolean {
  return FAILURES[suffix] !== undefined;
}

/** Texts that speak of a queue: the money may be paid after all. */
export const QUEUED: Leg = {
  code: '20201005',
  text: 'Please fund the settlement account and process from retry queue',
};

export type { Leg };
