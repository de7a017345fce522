import type { AccountStatus, ProductType, RiskClass } from '../facts.ts';
import type { Profile } from '../registry/profile.ts';

/** Dates in records are `YYYY-MM-DD` texts: they sort, compare and go to the database as they are. */
export type Day = string;

/** Terms of an account; amounts in cents of KES. */
export interface Terms {
  readonly product: ProductType;
  readonly openedOn: Day;
  /** 0 when it is in another currency and no rate is known. */
  readonly originalCents: bigint;
  readonly instalmentCents: bigint | null;
  readonly repaymentMonths: number | null;
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

/** One account of one person as a lender submits it. */
export interface SubmittedAccount {
  /** Line of the file it begins on; 0 when it is from no file. */
  readonly line: number;
  readonly profile: Profile;
  readonly accountNumber: string;
  readonly clientNumber: string;
  readonly terms: Terms;
  /** One for a monthly file; several when an account comes with its history, the oldest first. */
  readonly states: readonly State[];
}

/** Something wrong with a line, for the lender to fix; never repeats what the line holds. */
export interface Finding {
  readonly line: number;
  /** Column at fault, or empty when it is the line as a whole. */
  readonly field: string;
  /** Permanent name of the rule, listed in the import guide. */
  readonly rule: string;
  /** For people: what is expected. */
  readonly text: string;
}
