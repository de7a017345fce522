import type { AccountStatus, ProductType, RiskClass } from '../facts.ts';

/** Dates in records are `YYYY-MM-DD` texts: they sort, compare and go to the database unchanged. */
export type Day = string;

/** The units in which lenders write amounts. Cents are hundredths of any currency. */
export const AMOUNT_UNITS = ['shillings', 'cents'] as const;
export type AmountUnit = (typeof AMOUNT_UNITS)[number];

/** Terms of an account; amounts in cents of KES. */
export interface Terms {
  readonly product: ProductType;
  readonly openedOn: Day;
  /** 0 if the account is in another currency and no rate is known. */
  readonly originalCents: bigint;
  readonly instalmentCents: bigint | null;
  readonly repaymentMonths: number | null;
  /** Other people who hold the account too; null when the lender does not say. */
  readonly jointHolders: number | null;
  /** The person guarantees it, and another person owes it; null when the lender does not say. */
  readonly isGuarantee: boolean | null;
}

/** An account at one as-of date; amounts in cents of KES. */
export interface State {
  readonly asOf: Day;
  readonly balanceCents: bigint;
  readonly overdueCents: bigint;
  readonly daysInArrears: number;
  readonly instalmentsInArrears: number;
  readonly riskClass: RiskClass;
  readonly status: AccountStatus;
  readonly statusOn: Day;
  readonly lastPaymentOn: Day | null;
  readonly lastPaymentCents: bigint | null;
}

/** The registry's data about an account. */
export interface KnownAccount {
  readonly crn: bigint;
  readonly accountId: bigint;
  readonly identityHash: string;
  readonly terms: Terms;
  /** The newest as-of date that the terms were submitted for, changed or not. */
  readonly termsAsOf: Day;
  /** The states of the batch's as-of dates, by date. */
  readonly states: ReadonlyMap<Day, State>;
}

/** The location that the sealed bytes of an account are bound to. */
export function accountLocation(crn: bigint): string {
  return `credit_accounts|${crn}`;
}
