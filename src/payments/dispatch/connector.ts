import type { FailureCode } from '../create/failure-code.ts';

/**
 * The interface between the dispatcher and an operator's protocol. A new protocol is one folder in
 * `connectors/` that implements it. Its shape comes from real providers: some answer only by
 * callback, some answer status queries by callback too, some know no idempotency key, some hand out
 * a token with the payment.
 *
 * A connector never throws for what an operator or the network does: every ending is an outcome.
 * If it throws all the same, the dispatcher treats the outcome as unknown.
 */
export interface PaymentInstruction {
  /** Our `ipay_reference`; the same for every repeat, so it serves as the idempotency key. */
  readonly reference: string;
  /** 1 for the first instruction of a transaction. */
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
  /** What the operator says it paid; the dispatcher compares it with the instruction. */
  readonly amountCents: bigint;
  readonly message: string;
  /** What the payment yielded, such as `token` and `units` of prepaid electricity. */
  readonly details: Readonly<Record<string, string>>;
}

/** The operator refused for good: nothing was executed and nothing will be. */
export interface Declined {
  readonly kind: 'declined';
  /** The operator's own code. */
  readonly code: string;
  /** What it means for the vendor. */
  readonly failureCode: FailureCode;
  readonly message: string;
}

/** Proof that the instruction was not executed and will not be; it may be sent again. */
export interface NotSent {
  readonly kind: 'not_sent';
  readonly reason: string;
  /** The operator can take nothing now (our float with it is empty, say): stop sending for a while. */
  readonly operatorPaused: boolean;
  /** False when not even an answer came, which counts towards the circuit breaker. */
  readonly answered: boolean;
}

/** Nobody can tell yet: no answer, garbage, or accepted and to be told later. Never a failure. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: string;
  /** The operator's handle for later queries (a conversation id), when it gave one. */
  readonly operatorHandle: string | null;
  /** True for a well-formed answer such as "accepted"; false counts towards the circuit breaker. */
  readonly answered: boolean;
}

export type PaymentOutcome = Paid | Declined | NotSent | Unknown;

/** The operator knows no instruction with this reference. Proof only after the acceptance window. */
export interface NotFound {
  readonly kind: 'not_found';
}

export type StatusOutcome = Paid | Declined | NotFound | Unknown;

export interface StatusQuery {
  readonly reference: string;
  readonly billerCode: string;
  readonly account: string;
  readonly amountCents: bigint;
  /** What the operator gave us when it accepted, or null. */
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

/** A callback as it came over HTTP. */
export interface CallbackRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What follows `/callbacks/<operator>` in the path, without the leading slash. */
  readonly path: string;
  /** The bytes as received, for the signature. */
  readonly body: Buffer;
}

/** What a callback reports about one transaction. */
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
   * How long after an instruction left us a "not found" is still no proof, because the instruction
   * may be on its way. Null: "not found" never proves anything with this operator, and a transaction
   * without another answer waits for a statement or a person.
   */
  readonly acceptanceWindowMs: number | null;
  /** Longest time `pay` can take; leases last longer than this. */
  readonly payDeadlineMs: number;
  pay(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentOutcome>;
  /** Absent: the operator cannot be asked. An asynchronous answer is `unknown` and comes by callback. */
  status?(query: StatusQuery, signal: AbortSignal): Promise<StatusOutcome>;
  validate?(query: AccountQuery, signal: AbortSignal): Promise<AccountAnswer>;
  /** Our float with the operator, in cents; also how an open breaker probes. Null: no answer. */
  balance?(signal: AbortSignal): Promise<bigint | null>;
  readCallback?(request: CallbackRequest): CallbackReading;
  /** Frees connections. */
  close(): Promise<void>;
}
