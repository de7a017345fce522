import type { FailureCode } from '../create/failure-code.ts';

/**
 * The interface between the dispatcher and an operator's protocol. A new protocol is one folder in
 * `connectors/` that implements it. It follows real providers: some answer only by callback, some
 * answer even status queries by callback, some have no idempotency key, some return a token with
 * the payment.
 *
 * A connector never throws for an operator's or network error: every result is an outcome. If it
 * throws anyway, the dispatcher treats the outcome as unknown.
 */
export interface PaymentInstruction {
  /** Our `ipay_reference`; the same for every repeat, so it serves as the idempotency key. */
  readonly reference: string;
  /** 1 for the first instruction of a payment. */
  readonly attemptNumber: number;
  readonly billerCode: string;
  readonly account: string;
  readonly phone: string | null;
  readonly amountCents: bigint;
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
}

/** The operator refused permanently: nothing was executed and nothing will be. */
export interface Declined {
  readonly kind: 'declined';
  /** The operator's own code. */
  readonly code: string;
  /** Its meaning for the vendor. */
  readonly failureCode: FailureCode;
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

export type PaymentOutcome = Paid | Declined | NotSent | Unknown;

/**
 * The operator knows no instruction with this reference. A proof only after the acceptance window.
 */
export interface NotFound {
  readonly kind: 'not_found';
}

export type StatusOutcome = Paid | Declined | NotFound | Unknown;

export interface StatusQuery {
  readonly reference: string;
  readonly billerCode: string;
  readonly account: string;
  readonly amountCents: bigint;
  /** The handle that the operator returned when it accepted, or null. */
  readonly operatorHandle: string | null;
}

export interface AccountQuery {
  readonly billerCode: string;
  readonly account: string;
  readonly phone: string | null;
}

export type AccountAnswer =
  | {
      readonly kind: 'valid';
      readonly name: string | null;
      readonly amountDueCents: bigint | null;
    }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** A callback as received over HTTP. */
export interface CallbackRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The path after `/callbacks/<operator>`, without the leading slash. */
  readonly path: string;
  /** The bytes as received, for the signature. */
  readonly body: Buffer;
}

/** A callback's report about one payment. */
export interface CallbackReport {
  readonly reference: string;
  readonly outcome: Paid | Declined;
}

export type CallbackReading =
  | { readonly kind: 'reports'; readonly reports: readonly CallbackReport[] }
  /** Not from the operator: wrong signature, stale, malformed. Nothing is changed. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface Connector {
  /**
   * How long after an instruction was sent a "not found" is not yet a proof, because the
   * instruction may still be in transit. Null: with this operator "not found" never proves
   * anything, and a payment without another answer waits for a statement or a person.
   */
  readonly acceptanceWindowMs: number | null;
  /** Maximum duration of `pay`; leases last longer than this. */
  readonly payDeadlineMs: number;
  pay(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentOutcome>;
  /**
   * Absent: the operator cannot be asked. An asynchronous answer is `unknown`; the callback has the
   * result.
   */
  status?(query: StatusQuery, signal: AbortSignal): Promise<StatusOutcome>;
  validate?(query: AccountQuery, signal: AbortSignal): Promise<AccountAnswer>;
  /** Our float with the operator, in cents; also used to probe an open breaker. Null: no answer. */
  balance?(signal: AbortSignal): Promise<bigint | null>;
  readCallback?(request: CallbackRequest): CallbackReading;
  /** Frees connections. */
  close(): Promise<void>;
}
