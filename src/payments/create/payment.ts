import type { FailureCode } from './failure-code.ts';

/** What the wire says about a transaction (design §4). */
export const PAYMENT_STATUSES = [
  /** No instruction is under way. */
  'QUEUED',
  /** Sent, or the outcome is not known yet. */
  'PENDING',
  'SUCCESS',
  'FAILED',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export type Outcome = 'success' | 'failed';

/**
 * The status follows from two facts: the outcome, and whether an instruction's end is unknown.
 * There is no way from an outcome to anything else.
 */
export function statusOf(outcome: Outcome | null, instructionUnderWay: boolean): PaymentStatus {
  if (outcome === 'success') return 'SUCCESS';
  if (outcome === 'failed') return 'FAILED';
  return instructionUnderWay ? 'PENDING' : 'QUEUED';
}

/** A payment to create, checked against biller and vendor rules. */
export interface NewPayment {
  readonly vendorId: number;
  readonly paymentId: string;
  readonly billerCode: string;
  readonly account: string;
  readonly phone: string | null;
  readonly amountCents: bigint;
  readonly feeCents: bigint;
  readonly merchantReference: string | null;
  /** Refuse it when an equal transaction was created within the last 30 s. */
  readonly duplicateCheck: boolean;
}

/** How the database decided on a create. */
export type CreateDecision =
  | {
      /** Accepted now, or replayed: the same reference and content came before. */
      readonly kind: 'accepted' | 'replayed';
      readonly paymentId: string;
      readonly createdAt: Date;
    }
  | { readonly kind: 'insufficient_float' }
  | {
      /** Refused because of this earlier transaction. */
      readonly kind: 'reference_reused' | 'likely_duplicate';
      readonly paymentId: string;
    };

/** The operator's final word about a transaction, from wherever it came. */
export interface FinalReport {
  readonly vendorId: number;
  readonly paymentId: string;
  readonly billerCode: string;
  readonly outcome: Outcome;
  /** What the operator says it paid, in cents; null when it failed. */
  readonly paidCents: bigint | null;
  readonly billerReference: string | null;
  readonly message: string;
  readonly details: Readonly<Record<string, string>> | null;
  /** Null exactly with a success. */
  readonly failureCode: FailureCode | null;
  readonly source: 'answer' | 'status' | 'callback' | 'statement' | 'person';
}

/** What became of a report: see functions/settle_payments.sql. */
export type SettleResult = 'settled' | 'repeated' | 'contradicted' | 'unknown';

/** Identifies a payment. */
export interface PaymentKey {
  readonly vendorId: number;
  readonly paymentId: string;
}
