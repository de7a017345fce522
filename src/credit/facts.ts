import type { Sector } from '../parties/vendor.ts';

/**
 * The registry's facts about one subject's credit, as summaries and scorecards read them. Pure
 * data: dates are UTC midnights, amounts are cents of KES.
 *
 * Codes are those of the Kenyan data specification template (CBK, individual and mobile templates).
 */
export interface CreditFile {
  /** The day of the accounts; data submitted for a later day is not included. */
  readonly asOf: Date;
  readonly accounts: readonly CreditAccount[];
  /**
   * Accounts that the subject guarantees and others owe. They are neither scored nor counted with the
   * subject's own. Absent: none, or not known.
   */
  readonly guarantees?: readonly CreditAccount[];
  /**
   * Enquiries about the subject up to the present one, including those of the day, oldest first.
   */
  readonly enquiries: readonly PastEnquiry[];
  /** The last record that people made about the subject's life, if any. */
  readonly life?: LifeRecord;
}

/** A overdraft, B credit card, C business working capital, D business expansion, E mortgage, F asset finance, G trade finance, H personal, I mobile loan, J insurance premium, K group, L uncleared effects. */
export const PRODUCT_TYPES = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L'] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** As answers name them. */
export const PRODUCT_NAMES: Readonly<Record<ProductType, string>> = {
  A: 'OVERDRAFT',
  B: 'CREDIT_CARD',
  C: 'BUSINESS_WORKING_CAPITAL',
  D: 'BUSINESS_EXPANSION',
  E: 'MORTGAGE',
  F: 'ASSET_FINANCE',
  G: 'TRADE_FINANCE',
  H: 'PERSONAL_LOAN',
  I: 'MOBILE_LOAN',
  J: 'INSURANCE_PREMIUM',
  K: 'GROUP_LOAN',
  L: 'UNCLEARED_EFFECTS',
};

/** A normal 0–30 days, B watch >30–90, C substandard >90–180, D doubtful >180–360, E loss >360. */
export const RISK_CLASSES = ['A', 'B', 'C', 'D', 'E'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];

/** A closed, B dormant, C write-off, D legal, E collection, F active, G rescheduled, H settled, J called up, K suspended, L deceased, M deferred, N not updated, P disputed. */
export type AccountStatus =
  | 'A'
  | 'B'
  | 'C'
  | 'D'
  | 'E'
  | 'F'
  | 'G'
  | 'H'
  | 'J'
  | 'K'
  | 'L'
  | 'M'
  | 'N'
  | 'P';

/** The part of an account that changes from one submission to the next. */
export interface AccountState {
  /** The date that the lender submitted it for. */
  readonly asOf: Date;
  readonly balanceCents: bigint;
  readonly overdueCents: bigint;
  readonly daysInArrears: number;
  readonly instalmentsInArrears: number;
  readonly riskClass: RiskClass;
  readonly status: AccountStatus;
  readonly statusOn: Date;
}

export interface CreditAccount {
  /** Lender and its account number, as one key within the subject's file. */
  readonly key: string;
  readonly lender: string;
  readonly sector: Sector;
  readonly product: ProductType;
  readonly openedOn: Date;
  /** 0 if unknown: the account is in another currency, and no rate was ever submitted. */
  readonly originalCents: bigint;
  readonly instalmentCents: bigint | null;
  readonly repaymentMonths: number | null;
  /** Other people who hold the account too. Absent: not known. Not scored. */
  readonly jointHolders?: number;
  readonly lastPaymentOn: Date | null;
  readonly lastPaymentCents: bigint | null;
  /** The newest state. */
  readonly current: AccountState;
  /** Earlier states, oldest first, without `current`. */
  readonly history: readonly AccountState[];
  /** The days of its sales, oldest first. `lender` holds it now. Absent: it was never sold. */
  readonly soldOn?: readonly Date[];
  /** The keys of its former accounts, oldest first. Absent: it was never sold. Not scored. */
  readonly boughtFrom?: readonly string[];
  /** The subject disputes it: it is shown, but neither scored nor counted as non-performing. */
  readonly disputed: boolean;
  /**
   * A suppression rule hides negative information about it. The account then counts neither against
   * the subject nor in the subject's favour.
   */
  readonly troubleSuppressed?: true;
  /**
   * Share of it that still counts in the subject's favour, in thousandths: it fades in the last part of
   * its retention. Absent: all.
   */
  readonly retainedPermille?: number;
}

/** `living` refutes deaths that lenders reported up to that day. */
export interface LifeRecord {
  readonly status: 'deceased' | 'living';
  /** UTC midnight of the day on which people recorded it, in our time zone. */
  readonly recordedOn: Date;
}

export interface PastEnquiry {
  readonly at: Date;
  /** Report reason 1–12; 3 and 4 are not applications and never lower a score. */
  readonly reason: number;
  readonly sector: Sector;
  /** The lender that asked. Absent: unknown. */
  readonly by?: string;
}
