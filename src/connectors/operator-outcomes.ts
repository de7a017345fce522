/**
 * Why an operator refused a payment, for programs. Published, so a code keeps its meaning. Connectors choose it
 * from the operator's answer.
 */
export const DECLINE_CODES = [
  /** The operator declined the payment and gave none of the reasons below. */
  'declined',
  /** The biller does not know the account, or accepts no payments for it. */
  'invalid_account',
  /** The operator does not accept this amount: too small, too large, not a multiple. */
  'amount_not_allowed',
  /**
   * The operator refused us, not the payment: our credentials, our contract, or our limits with it.
   */
  'operator_refused',
] as const;
export type DeclineCode = (typeof DECLINE_CODES)[number];

/** The part of a payment that its operator is told. */
export interface PaymentContent {
  readonly account: string;
  readonly phone: string | null;
  readonly amountCents: bigint;
}

export interface PaymentInstruction extends PaymentContent {
  /** Our `ipay_reference`; the same for every repeat, so it serves as the idempotency key. */
  readonly reference: string;
  /** 1 for the first instruction of a payment. */
  readonly attemptNumber: number;
  readonly billerCode: string;
  /** The return value of `prepare` for this attempt; committed before `pay` is called. */
  readonly operatorHandle: string | null;
}

/** The operator executed the payment. */
export interface Paid {
  readonly kind: 'paid';
  /** The operator's own reference (receipt number). */
  readonly operatorReference: string;
  /** The amount that the operator says it paid; the dispatcher compares it with the instruction. */
  readonly amountCents: bigint;
  readonly message: string;
  /** Fields of the payment's result, such as `token` and `units` of prepaid electricity. */
  readonly details: Readonly<Record<string, string>>;
  /**
   * The operator says that more details follow, such as a token: it is asked for them. Default: false.
   */
  readonly detailsFollow?: boolean;
  /** The operator's handle, if the answer has one that only later callbacks need. */
  readonly operatorHandle?: string | null;
}

/** The operator refused permanently: nothing was executed and nothing will be. */
export interface Declined {
  readonly kind: 'declined';
  /** The operator's own code. */
  readonly code: string;
  /** Its meaning for the vendor. */
  readonly failureCode: DeclineCode;
  readonly message: string;
  /** As in `Paid`. */
  readonly operatorHandle?: string | null;
}

/**
 * The operator executed the payment and reversed it: the money is back in our float. An open
 * payment fails; if it had succeeded, a case is opened.
 */
export interface Reversed {
  readonly kind: 'reversed';
  readonly message: string;
}

/** Proof that the instruction was not executed and will not be; it may be sent again. */
export interface NotSent {
  readonly kind: 'not_sent';
  readonly reason: string;
  /**
   * The operator accepts nothing now (for example, our float with it is empty): stop sending for a
   * while.
   */
  readonly operatorPaused: boolean;
  /** False if there was no answer at all, which counts towards the circuit breaker. */
  readonly answered: boolean;
}

/**
 * Not known yet: no answer, an invalid answer, or accepted with the result to follow. Never a
 * failure.
 */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  /** The operator's handle for later queries (a conversation id), if it gave one. */
  readonly operatorHandle: string | null;
  /** True for a well-formed answer such as "accepted"; false counts towards the circuit breaker. */
  readonly answered: boolean;
}

/** The operator knows no instruction with this reference. Proof only after the acceptance window. */
export interface NotFound {
  readonly kind: 'not_found';
}

export type PaymentOutcome = Paid | Declined | NotSent | Unknown;

export type StatusOutcome = Paid | Declined | Reversed | NotSent | NotFound | Unknown;

export type FinalOutcome = Paid | Declined | Reversed;

export interface StatusQuery {
  readonly reference: string;
  readonly attemptNumber: number;
  readonly billerCode: string;
  readonly account: string;
  readonly amountCents: bigint;
  /** From `prepare`, the answer to `pay`, or a callback; null when none of them gave one. */
  readonly operatorHandle: string | null;
}
