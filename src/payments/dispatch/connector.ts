import type { Product } from '../billers/product.ts';
import type { FailureCode } from '../create/failure-code.ts';

/**
 * The interface between the dispatcher and an operator's protocol;
 * `docs/guide/write-a-connector.md` explains how to implement it. A connector has no lasting state,
 * decides nothing about money, and never throws for an operator's or network error: every result is
 * an outcome. If it throws anyway, the dispatcher treats the outcome as unknown.
 *
 * A capability that the operator lacks is declared as `null`; nothing is left out.
 */
export interface Connector {
  readonly declaration: Declaration;
  /**
   * For this long after an instruction was sent, a "not found" proves nothing, because the instruction
   * may still be in transit. Null: "not found" never proves anything with this operator.
   */
  readonly acceptanceWindowMs: number | null;
  /** Maximum duration of `pay` and of `status`; leases last longer than this. */
  readonly payDeadlineMs: number;
  /**
   * After this time without an outcome, a case is opened for people, and the operator is still
   * queried. Null: people open it themselves.
   */
  readonly caseAfterMs: number | null;
  /** The first of two steps, for operators that have them; the second is `pay`. */
  readonly prepare: Preparation | null;
  pay(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentOutcome>;
  /**
   * If the answer comes by callback, the outcome here is `unknown`. Null: the operator cannot be
   * queried.
   */
  readonly status: ((query: StatusQuery, signal: AbortSignal) => Promise<StatusOutcome>) | null;
  readonly validate: ((query: AccountQuery, signal: AbortSignal) => Promise<AccountAnswer>) | null;
  /** Our float with the operator; also how an open circuit breaker probes. */
  readonly balance: ((signal: AbortSignal) => Promise<BalanceAnswer>) | null;
  /** Movements of our float with the operator, page by page; null: the declaration says why. */
  readonly pullStatement:
    | ((page: StatementQuery, signal: AbortSignal) => Promise<StatementPage>)
    | null;
  /** Asks for the amount that the operator pays out in another currency; `operator test` shows it. */
  readonly quote: ((query: QuoteQuery, signal: AbortSignal) => Promise<QuoteAnswer>) | null;
  /** Lists the operator's products, with prices, page by page. Null: it has no list. */
  readonly products: ((cursor: string | null, signal: AbortSignal) => Promise<ProductPage>) | null;
  readonly callbacks: Callbacks | null;
  /** Frees connections. */
  close(): Promise<void>;
}

/** Facts about every operator that uses the protocol. Shown by the CLI and in the reference. */
export interface Declaration {
  /** The provider and its API, for people. */
  readonly title: string;
  /** Where the protocol is documented. */
  readonly source: string;
  /**
   * Evidence that nothing was executed. Each entry alone is sufficient. Only these may become
   * `not_sent`, `declined` or `not_found`; everything else is `unknown`.
   */
  readonly proofOfNonExecution: readonly [string, ...string[]];
  /** Answers that look like proof but are not. */
  readonly notProof: readonly string[];
  /** The operator's reaction to a second instruction under the same reference. */
  readonly callerKey: 'answers_again' | 'refuses_reuse' | 'none';
  /** The way in which the result of an accepted instruction arrives. */
  readonly result: 'answer' | 'callback' | 'answer_or_callback';
  /** The id by which the operator is asked about an instruction. */
  readonly statusBy: 'our_reference' | 'operator_handle' | 'cannot_be_asked';
  /**
   * The proof that a callback is the operator's. `confirmed_by_query`: there is none, because anybody
   * can send one; so it may only cause a query (`canBeForged`).
   */
  readonly callbackTrust:
    | 'signed'
    | 'secret_url_confirmed_by_query'
    | 'confirmed_by_query'
    | 'secret_url'
    | 'no_callbacks';
  /** Source of the movements of our float with the operator, or the reason why they cannot be pulled. */
  readonly movements: 'pulled' | `not pulled: ${string}`;
}

export interface PaymentInstruction {
  /** Our `ipay_reference`; the same for every repeat, so it serves as the idempotency key. */
  readonly reference: string;
  /** 1 for the first instruction of a payment. */
  readonly attemptNumber: number;
  readonly billerCode: string;
  readonly account: string;
  readonly phone: string | null;
  readonly amountCents: bigint;
  /** The return value of `prepare` for this attempt; committed before `pay` is called. */
  readonly operatorHandle: string | null;
}

/**
 * Reserves an id with the operator and moves no money, so that a failure can never mean a payment.
 */
export interface Preparation {
  readonly deadlineMs: number;
  prepare(
    instruction: PaymentInstruction,
    signal: AbortSignal,
  ): Promise<Prepared | Declined | NotSent>;
}

export interface Prepared {
  readonly kind: 'prepared';
  readonly operatorHandle: string;
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
  /** The operator's handle, if the answer has one that only later callbacks need. */
  readonly operatorHandle?: string | null;
}

/** The operator refused permanently: nothing was executed and nothing will be. */
export interface Declined {
  readonly kind: 'declined';
  /** The operator's own code. */
  readonly code: string;
  /** Its meaning for the vendor. */
  readonly failureCode: FailureCode;
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
      /** YYYY-MM-DD. */
      readonly dueDate: string | null;
    }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export type BalanceAnswer =
  | { readonly kind: 'balance'; readonly balanceCents: bigint }
  /** The operator accepted the query; the balance comes by callback. */
  | { readonly kind: 'asked' }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /** The operator can be reached: it answered, but with no balance in our currency. Default: false. */
      readonly answered?: boolean;
    };

export interface StatementQuery {
  readonly from: Date;
  /** Excluded. */
  readonly to: Date;
  /** `next` of the page before; null for the first. */
  readonly cursor: string | null;
}

export type StatementPage =
  | {
      readonly kind: 'page';
      readonly movements: readonly FloatMovement[];
      /** Null on the last page. */
      readonly next: string | null;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** One movement of our float with the operator. */
export interface FloatMovement {
  readonly kind: 'payment' | 'reversal' | 'top_up' | 'charge';
  /** By the operator's clock. */
  readonly at: Date;
  /** The operator's own reference; identifies the movement in all of its statements. */
  readonly operatorReference: string;
  /** Our `ipay_reference` as the operator repeats it; null when the line has none. */
  readonly reference: string | null;
  readonly billerCode: string | null;
  readonly account: string | null;
  /** Above zero. */
  readonly amountCents: bigint;
}

export interface QuoteQuery {
  readonly billerCode: string;
  readonly account: string;
  readonly amountCents: bigint;
}

export type QuoteAnswer =
  | {
      readonly kind: 'quote';
      /** Amount for the receiver. Decimal text in `currency`, as the operator gives it. */
      readonly amount: string;
      readonly currency: string;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

export type ProductPage =
  | {
      readonly kind: 'page';
      readonly products: readonly Product[];
      /** The cursor of the next page; null on the last. */
      readonly next: string | null;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Reads and answers the operator's callbacks. */
export interface Callbacks {
  /** The response that the operator expects for an accepted callback: JSON content, or a text. */
  readonly acceptedBody: object | string;
  /**
   * True if a callback that is believed names its payment only by the handle. Then the handles of
   * payments that have ended are kept too.
   */
  readonly keepsHandles: boolean;
  /**
   * @param find looks up payments of this operator, so that a callback is compared with the
   * instruction.
   */
  read(request: CallbackRequest, find: PaymentFinder): Promise<CallbackReading>;
}

/** A callback as received over HTTP. */
export interface CallbackRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The path after `/callbacks/<operator>`, without the leading slash. */
  readonly path: string;
  /** The bytes as received, for the signature. */
  readonly body: Buffer;
}

export interface PaymentFinder {
  byReference(reference: string): Promise<SentPayment | undefined>;
  /**
   * The open payment, or with `keepsHandles` also one of which an attempt had the handle. Undefined if several
   * have it.
   */
  byHandle(operatorHandle: string): Promise<SentPayment | undefined>;
}

/** A payment for which an instruction was sent. For a settled payment, the last attempt. */
export interface SentPayment extends StatusQuery {
  readonly isOpen: boolean;
  /** The handle by which it was found is that of an earlier attempt: a report by it says nothing about the last. */
  readonly isEarlier?: boolean;
}

/** A callback's report about one payment. */
export interface CallbackReport {
  readonly reference: string;
  readonly outcome: FinalOutcome | Hint | Mismatch;
}

/**
 * The report of an unsigned callback. It is not trusted: the operator is queried at once. If the
 * payment is already settled and `says` contradicts it, a case is opened. If the callback can be
 * forged, only the reference is used.
 */
export interface Hint {
  readonly kind: 'hint';
  /** The handle to query with from now on; null: unchanged. */
  readonly operatorHandle: string | null;
  readonly says: FinalOutcome | null;
}

/**
 * The callback does not match the payment that it names (it has another handle, for example).
 * People look at it.
 */
export interface Mismatch {
  readonly kind: 'mismatch';
  readonly reason: string;
  readonly says: FinalOutcome | null;
}

export type CallbackReading =
  | { readonly kind: 'reports'; readonly reports: readonly CallbackReport[] }
  /** The answer to `balance`. */
  | { readonly kind: 'balance'; readonly balanceCents: bigint }
  /** Not from the operator: wrong signature, stale, malformed. Nothing is changed. */
  | { readonly kind: 'refused'; readonly reason: string };
