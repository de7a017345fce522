import type { PaymentContent } from '../../connectors/operator-outcomes.ts';
import type { FailureCode } from './failure-code.ts';

/** The status of a payment in the API. */
export const PAYMENT_STATUSES = [
  /** No instruction is in progress. */
  'QUEUED',
  /** Sent, or the outcome is not known yet. */
  'PENDING',
  'SUCCESS',
  'FAILED',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export type Outcome = 'success' | 'failed';

/**
 * The status follows from two facts: the outcome, and whether the result of an instruction is
 * unknown. An outcome changes only by a correction, on which two people decide.
 */
export function statusOf(outcome: Outcome | null, instructionUnderWay: boolean): PaymentStatus {
  if (outcome === 'success') return 'SUCCESS';
  if (outcome === 'failed') return 'FAILED';
  return instructionUnderWay ? 'PENDING' : 'QUEUED';
}

/** The form of a vendor's own reference. */
export const MERCHANT_REFERENCE = /^[\x21-\x7E]([\x20-\x7E]{0,62}[\x21-\x7E])?$/;

/** A vendor's request for a payment. */
export interface CreateRequest extends PaymentContent {
  readonly billerCode: string;
  readonly merchantReference: string | null;
  /** The fee that a person was shown; undefined: whatever it is. */
  readonly shownFeeCents?: bigint;
}

/** A payment to create, checked against biller and vendor rules. */
export interface NewPayment extends Omit<CreateRequest, 'shownFeeCents'> {
  readonly vendorId: number;
  readonly paymentId: string;
  /** With its VAT. */
  readonly feeCents: bigint;
  readonly vatCents: bigint;
  /** The version of the price that the fee is from; null: no price was in force. */
  readonly feePrice: number | null;
  /** Refuse it if an equal payment was created within so many seconds; 0: do not look for one. */
  readonly duplicateSeconds: number;
}

/** The database's decision on a create. */
export type CreateDecision =
  | {
      /** Accepted now, or replayed: the same reference and content came before. */
      readonly kind: 'accepted' | 'replayed';
      readonly paymentId: string;
      readonly createdAt: Date;
      readonly feeCents: bigint;
    }
  | { readonly kind: 'insufficient_float' }
  | {
      /** Refused because of this earlier payment. */
      readonly kind: 'reference_reused' | 'likely_duplicate';
      readonly paymentId: string;
    };

/** The operator's final report about a payment, from any source. */
export interface FinalReport {
  readonly vendorId: number;
  readonly paymentId: string;
  readonly billerCode: string;
  readonly outcome: Outcome;
  /** The amount that the operator says it paid, in cents; null if the payment failed. */
  readonly paidCents: bigint | null;
  readonly billerReference: string | null;
  readonly message: string;
  readonly details: Readonly<Record<string, string>> | null;
  /** With what the operator is asked for the details that follow. Absent: none do. */
  readonly detailsFollow?: { readonly operatorHandle: string | null };
  /** Null exactly for a success. */
  readonly failureCode: FailureCode | null;
  readonly source: 'answer' | 'status' | 'callback' | 'statement' | 'person';
  /** The operator that reports. Null: a person reports for the operator that has the instruction. */
  readonly operatorCode: string | null;
}

/** The result of a report: see functions/settle_payments.sql. */
export type SettleResult = 'settled' | 'repeated' | 'contradicted' | 'no_payment';

/** Identifies a payment. */
export interface PaymentKey {
  readonly vendorId: number;
  readonly paymentId: string;
}
