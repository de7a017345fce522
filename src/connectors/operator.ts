import type { Callbacks } from './operator-callbacks.ts';
import type {
  Declined,
  NotSent,
  PaymentInstruction,
  PaymentOutcome,
  StatusOutcome,
  StatusQuery,
} from './operator-outcomes.ts';
import type { StatementFormat, StatementPage, StatementQuery } from './operator-statements.ts';

/**
 * The interface between the dispatcher and an operator's protocol;
 * `docs/guide/write-a-connector.md` explains how to implement it. A connector has no lasting state,
 * decides nothing about money, and never throws for an operator's or network error: every result is
 * an outcome. If it throws anyway, the dispatcher treats the outcome as unknown.
 *
 * A capability that the operator lacks is declared as `null`; nothing is left out. A plain object of closures: it is
 * wrapped by copying its properties, so methods that use `this` would fail.
 */
export interface Connector {
  readonly declaration: Declaration;
  /**
   * For this long after an instruction has left us for certain, a "not found" proves nothing, because the
   * instruction may still be in transit. `provesAfterMsOf` counts from the claim. Null: "not found" never
   * proves anything with this operator.
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

/** The protocols, by the name in `operators.connector`. `registry.ts` has them. */
export const PROTOCOL_NAMES = [
  ...(['http-json', 'daraja-b2b', 'dt-one', 'jambopay', 'reloadly', 'africastalking'] as const),
  ...(['tingg', 'http', 'daraja-b2c'] as const),
] as const;

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
  /**
   * What no document establishes: what to try in the provider’s own sandbox before the first payment, and what depends
   * on the answer.
   */
  readonly toTry: readonly string[];
  /** Others' clients, requests and samples that the connector and its emulator were checked against. */
  readonly witnesses: readonly string[];
  /** The operator's reaction to a second instruction under the same reference. */
  readonly callerKey: 'answers_again' | 'refuses_reuse' | 'none';
  /** The way in which the result of an accepted instruction arrives. */
  readonly result: 'answer' | 'callback' | 'answer_or_callback';
  /** The id by which the operator is asked about an instruction. */
  readonly statusBy: 'our_reference' | 'operator_handle' | 'cannot_be_asked';
  /**
   * The proof that a callback is the operator's. With `confirmed_by_query` anybody can send a callback, so it may only
   * cause a query (`canBeForged`).
   */
  readonly callbackTrust:
    | 'signed'
    | 'secret_url_confirmed_by_query'
    | 'confirmed_by_query'
    | 'secret_url'
    | 'no_callbacks';
  /** The amounts that it takes, in cents: multiples of `stepCents` in this range. Absent: no document says. */
  readonly amounts?: {
    readonly minimumCents: number;
    readonly maximumCents: number;
    readonly stepCents: number;
  };
  /** Source of the movements of our float with the operator, or the reason why they cannot be pulled. */
  readonly movements: 'pulled' | `not pulled: ${string}`;
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

/** Something that an operator sells: a bundle, a bouquet, a voucher, or payments of a kind of bill. */
export interface Product {
  /** The operator's own code, as its settings name it. */
  readonly productCode: string;
  readonly name: string;
  /** Such as "Utilities, Electricity". */
  readonly service: string;
  /** Who delivers it. */
  readonly provider: string;
  /** Value for the receiver, as the operator writes it: `100 KES`, `10 to 10000 KES`, `1 GB`. */
  readonly value: string;
  /** The payable amount; null if the operator does not say. */
  readonly amount: Range | null;
  /** The price that we pay to the operator; null if it does not say. */
  readonly price: Range | null;
  /** Period in which the receiver can use it, as the operator writes it. */
  readonly validity: string | null;
  /** Field that a payment must have, such as `account_number`. */
  readonly requires: string;
  /** Our billers whose payments buy it, by the operator's settings. */
  readonly billerCodes: readonly string[];
}

/** A range of money, both ends included; equal for a fixed price. */
export interface Range {
  readonly minimumCents: bigint;
  readonly maximumCents: bigint;
  readonly currency: string;
}

/** A protocol as the registry uses it. Each folder of `operators/` exports one such object. */
export interface Protocol {
  readonly declaration: Declaration;
  /** A made-up secret in the right format, to check an operator that has none yet. */
  readonly exampleSecret: string;
  /**
   * True: we may generate the secret and give it to the operator. False: the operator gives it to
   * us.
   */
  readonly inventsSecret: boolean;
  /**
   * Throws an `Error` naming the operator and what is invalid.
   * @param callbackUrl of this operator, without a trailing slash.
   */
  create(operator: UsableOperator, callbackUrl: string): Connector;
  /** Reads statements that people import; null: not possible. */
  readonly statementFormat: ((operator: StatementOperator) => StatementFormat) | null;
}

/** An operator as people configured it. */
export interface ConfiguredOperator {
  readonly operatorCode: string;
  /** The name of its protocol in `registry.ts`. */
  readonly connector: string;
  readonly baseUrl: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly maxConcurrency: number;
  /** Secrets shared with it, newest first. */
  readonly secrets: readonly Secret[];
}

export interface Secret {
  readonly secret: string;
  /** Null: until it is replaced. */
  readonly validUntil: Date | null;
}

/** An operator with at least one secret. */
export interface UsableOperator extends ConfiguredOperator {
  /** The newest one. */
  readonly secret: string;
}

export type StatementOperator = Pick<ConfiguredOperator, 'operatorCode' | 'connector' | 'settings'>;
