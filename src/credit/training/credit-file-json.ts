import { orNull } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';

import { isoDay, parseDay } from '../../platform/base/days.ts';
import { SECTORS } from '../../parties/vendor.ts';
import type { AccountState, CreditAccount, CreditFile } from '../facts.ts';

const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
const cents = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const count = Type.Integer({ minimum: 0, maximum: 100_000 });

const STATE = Type.Object({
  asOf: day,
  balanceCents: cents,
  overdueCents: cents,
  daysInArrears: count,
  instalmentsInArrears: count,
  riskClass: Type.Enum(['A', 'B', 'C', 'D', 'E']),
  status: Type.Enum(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'L', 'M', 'N', 'P']),
  statusOn: day,
});

const ACCOUNT = Type.Object({
  key: Type.String({ minLength: 1 }),
  lender: Type.String({ minLength: 1 }),
  sector: Type.Enum([...SECTORS]),
  product: Type.Enum(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L']),
  openedOn: day,
  originalCents: cents,
  instalmentCents: orNull(cents),
  repaymentMonths: orNull(count),
  jointHolders: Type.Optional(count),
  lastPaymentOn: orNull(day),
  lastPaymentCents: orNull(cents),
  current: STATE,
  history: Type.Array(STATE),
  disputed: Type.Boolean(),
});

/** A credit file in JSON: dates `YYYY-MM-DD`, amounts whole cents of KES. */
const FILE = Type.Object({
  asOf: day,
  accounts: Type.Array(ACCOUNT),
  enquiries: Type.Array(
    Type.Object({
      at: day,
      reason: Type.Integer({ minimum: 1, maximum: 12 }),
      sector: Type.Enum([...SECTORS]),
      by: Type.Optional(Type.String({ minLength: 1 })),
    }),
  ),
});

const schema = compiled(FILE);

/** Throws: an Error that names the first invalid field. */
export function parseCreditFile(value: unknown): CreditFile {
  if (!schema.fits(value)) {
    const [first] = schema.problems(value);
    throw new Error(`file${first?.instancePath ?? ''} ${first?.message ?? 'is not a credit file'}`);
  }
  return {
    asOf: dateOf(value.asOf),
    accounts: value.accounts.map(accountOf),
    enquiries: value.enquiries.map((one) => ({ ...one, at: dateOf(one.at) })),
  };
}

/** The JSON form of a file, as read by `parseCreditFile`. */
export function creditFileJson(file: CreditFile): Static<typeof FILE> {
  return {
    asOf: isoDay(file.asOf),
    accounts: file.accounts.map((account) => ({
      ...account,
      openedOn: isoDay(account.openedOn),
      originalCents: Number(account.originalCents),
      instalmentCents: account.instalmentCents === null ? null : Number(account.instalmentCents),
      lastPaymentOn: account.lastPaymentOn === null ? null : isoDay(account.lastPaymentOn),
      lastPaymentCents: account.lastPaymentCents === null ? null : Number(account.lastPaymentCents),
      current: stateJson(account.current),
      history: account.history.map(stateJson),
    })),
    enquiries: file.enquiries.map((one) => ({ ...one, at: isoDay(one.at) })),
  };
}

function accountOf(json: Static<typeof ACCOUNT>): CreditAccount {
  return {
    ...json,
    openedOn: dateOf(json.openedOn),
    originalCents: BigInt(json.originalCents),
    instalmentCents: json.instalmentCents === null ? null : BigInt(json.instalmentCents),
    lastPaymentOn: json.lastPaymentOn === null ? null : dateOf(json.lastPaymentOn),
    lastPaymentCents: json.lastPaymentCents === null ? null : BigInt(json.lastPaymentCents),
    current: stateOf(json.current),
    history: json.history.map(stateOf),
  };
}

function stateOf(json: Static<typeof STATE>): AccountState {
  return {
    ...json,
    asOf: dateOf(json.asOf),
    balanceCents: BigInt(json.balanceCents),
    overdueCents: BigInt(json.overdueCents),
    statusOn: dateOf(json.statusOn),
  };
}

function stateJson(state: AccountState): Static<typeof STATE> {
  return {
    ...state,
    asOf: isoDay(state.asOf),
    balanceCents: Number(state.balanceCents),
    overdueCents: Number(state.overdueCents),
    statusOn: isoDay(state.statusOn),
  };
}

function dateOf(text: string): Date {
  const date = parseDay(text);
  if (date === undefined) throw new Error(`file has an invalid date: ${text}`);
  return date;
}
