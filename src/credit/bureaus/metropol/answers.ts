import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../../platform/base/compiled.ts';
import { parseDay } from '../../../platform/base/days.ts';
import { readJson } from '../../../platform/base/json.ts';
import type { CreditAccount, RiskClass } from '../../facts.ts';
import type { IdentityDocument } from '../../registry/documents.ts';
import type { Profile } from '../../registry/profile.ts';
import type { Sector } from '../../../parties/vendor.ts';

const optionalText = Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()]));
const head = {
  has_error: Type.Boolean(),
  api_code: Type.String(),
  trx_id: Type.Optional(Type.String()),
};

const anyAnswer = compiled(Type.Object(head));

const identityAnswer = compiled(
  Type.Object({
    ...head,
    first_name: Type.String(),
    last_name: Type.String(),
    other_name: optionalText,
    dob: optionalText,
    gender: optionalText,
  }),
);

const scoreAnswer = compiled(
  Type.Object({ ...head, credit_score: Type.Union([Type.String(), Type.Number()]) }),
);

const accountInfo = Type.Object({
  current_balance: optionalText,
  date_opened: Type.String(),
  days_in_arrears: optionalText,
  is_your_account: Type.Optional(Type.Boolean()),
  last_payment_amount: optionalText,
  last_payment_date: optionalText,
  loaded_at: optionalText,
  original_amount: optionalText,
  overdue_balance: optionalText,
});
const creditInfoAnswer = compiled(Type.Object({ ...head, account_info: Type.Array(accountInfo) }));

/** Result of an enquiry, as an answer's code gives it. */
export type Meaning = 'success' | 'not_found' | 'refused' | 'duplicate';

const NOT_FOUND: ReadonlySet<string> = new Set(['E011', 'E017', 'E018']);

/** Undefined if the text is not an answer of the bureau. */
export function readHead(
  text: string,
): { readonly meaning: Meaning; readonly code: string; readonly trxId: string | null } | undefined {
  const answer = parse(text);
  if (!anyAnswer.fits(answer)) return undefined;
  const { has_error: hasError, api_code: code } = answer;
  const trxId = answer.trx_id ?? null;
  if (!hasError) return { meaning: 'success', code, trxId };
  if (NOT_FOUND.has(code)) return { meaning: 'not_found', code, trxId };
  return { meaning: code === 'E409' ? 'duplicate' : 'refused', code, trxId };
}

/** The person of an identity answer; undefined if it is malformed. */
export function readProfile(
  text: string,
  document: IdentityDocument,
  asOf: string,
): Profile | undefined {
  const answer = parse(text);
  if (!identityAnswer.fits(answer)) return undefined;
  return {
    name: {
      surname: answer.last_name,
      forenames: [answer.first_name, textOf(answer.other_name)].filter((name) => name !== ''),
    },
    salutation: '',
    alsoKnownAs: [],
    dateOfBirth: dayOf(textOf(answer.dob)) ?? '',
    gender: /^[MF]/i.exec(textOf(answer.gender))?.[0].toUpperCase() ?? '',
    nationality: '',
    documents: [document],
    phones: [],
    addresses: [],
    asOf,
  };
}

/** The number of a score answer as text; undefined if it is malformed. */
export function readScore(text: string): string | undefined {
  const answer = parse(text);
  if (!scoreAnswer.fits(answer)) return undefined;
  const score = String(answer.credit_score);
  return /^\d{1,4}$/.test(score) ? score : undefined;
}

/**
 * The accounts of a credit-information answer; undefined if it is malformed. Metropol gives neither
 * lender nor sector, only whether an account belongs to the vendor that asks, and no status: a
 * balance of zero counts as closed.
 */
export function readAccounts(
  text: string,
  about: { readonly mySector: Sector; readonly mobile: boolean; readonly asOf: Date },
): CreditAccount[] | undefined {
  const answer = parse(text);
  if (!creditInfoAnswer.fits(answer)) return undefined;
  const accounts: CreditAccount[] = [];
  for (const [index, info] of answer.account_info.entries()) {
    const account = accountOf(info, index, about);
    if (account === undefined) return undefined;
    accounts.push(account);
  }
  return accounts;
}

function accountOf(
  info: Static<typeof accountInfo>,
  index: number,
  about: { readonly mySector: Sector; readonly mobile: boolean; readonly asOf: Date },
): CreditAccount | undefined {
  const opened = dayOf(info.date_opened);
  const balanceCents = owedOf(info.current_balance);
  const overdueCents = owedOf(info.overdue_balance);
  const originalCents = centsOf(info.original_amount);
  const days = Number(textOf(info.days_in_arrears) || '0');
  if (
    opened === undefined ||
    balanceCents === undefined ||
    overdueCents === undefined ||
    originalCents === undefined ||
    !Number.isSafeInteger(days) ||
    days < 0
  ) {
    return undefined;
  }
  const loaded = dayOf(textOf(info.loaded_at));
  const asOf = loaded === undefined ? about.asOf : dateOf(loaded);
  const paidOn = dayOf(textOf(info.last_payment_date));
  const isClosed = balanceCents === 0n;
  return {
    key: `metropol ${String(index).padStart(5, '0')}`,
    lender: info.is_your_account === true ? 'own' : `metropol ${index}`,
    sector: info.is_your_account === true ? about.mySector : otherThan(about.mySector),
    product: about.mobile ? 'I' : 'H',
    openedOn: dateOf(opened),
    originalCents,
    instalmentCents: null,
    repaymentMonths: null,
    lastPaymentOn: paidOn === undefined ? null : dateOf(paidOn),
    lastPaymentCents: centsOf(info.last_payment_amount) ?? null,
    current: {
      asOf,
      balanceCents,
      overdueCents,
      daysInArrears: days,
      instalmentsInArrears: days > 0 ? 1 : 0,
      riskClass: classOf(days),
      status: isClosed ? 'A' : 'F',
      statusOn: asOf,
    },
    history: [],
    disputed: false,
  };
}

function otherThan(sector: Sector): Sector {
  return sector === 'other' ? 'bank' : 'other';
}

function classOf(days: number): RiskClass {
  if (days <= 30) return 'A';
  if (days <= 90) return 'B';
  if (days <= 180) return 'C';
  return days <= 360 ? 'D' : 'E';
}

function parse(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function textOf(value: string | number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

function centsOf(value: string | number | null | undefined): bigint | undefined {
  const text = textOf(value);
  if (text === '') return 0n;
  const match = /^(\d{1,13})(?:\.(\d{1,4}))?$/.exec(text);
  if (match === null) return undefined;
  return BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0').slice(0, 2));
}

/** Nothing is owed on an overpaid account, whose balance is below zero. */
function owedOf(value: string | number | null | undefined): bigint | undefined {
  const text = textOf(value);
  if (!/^-\d/.test(text)) return centsOf(text);
  return centsOf(text.slice(1)) === undefined ? undefined : 0n;
}

function dayOf(text: string): string | undefined {
  const day = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text);
  if (day === null) return undefined;
  const iso = `${day[1]}-${day[2]}-${day[3]}`;
  return parseDay(iso) === undefined ? undefined : iso;
}

function dateOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}
